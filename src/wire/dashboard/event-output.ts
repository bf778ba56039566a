import type { DeliveryState } from '../../domain/alert/delivery.ts';
import type { StoredStatus } from '../../domain/check/check.ts';
import type { EventKind, EventPlace, FlipCause } from '../../domain/history/event-log.ts';
import type { RunResult } from '../../domain/history/run.ts';
import { lastOf } from '../../domain/history/run-signals.ts';
import type { Ping, Signal } from '../../domain/ping/ping.ts';
import { MICROS_PER_SECOND, type Micros, toIsoMicros } from '../../lib/instant.ts';
import { csvLine } from '../../lib/text/csv.ts';
import { withSnakeCase } from '../../lib/text/snake-case.ts';
import type { LogFormat } from './audit-log-input.ts';

/** What a ping says of itself. Times are ISO with microseconds, durations are seconds. */
export interface PingFactsJson {
  readonly n: number;
  readonly at: string;
  readonly signal: Signal;
  readonly exitStatus: number | null;
  readonly scheme: string;
  readonly method: string;
  readonly from: string | null;
  readonly userAgent: string;
}

export interface SignalJson extends PingFactsJson {
  readonly size: number;
  /** A few lines of the body; around the match if there was a search. */
  readonly excerpt: readonly string[];
}

export interface RunEventJson {
  readonly kind: Exclude<EventKind, 'flip'>;
  /** The same while signals are added to it. */
  readonly id: string;
  readonly at: string;
  readonly runId: string | null;
  /** Null if the signal is not part of a run. */
  readonly result: RunResult | null;
  readonly duration: number | null;
  readonly exitStatus: number | null;
  readonly signals: readonly SignalJson[];
}

export interface DeliveryEventJson {
  readonly id: string;
  /** `label` is the name of its kind. */
  readonly channel: { readonly id: string; readonly label: string; readonly name: string };
  readonly state: DeliveryState;
  readonly tries: number;
  /** When it was last tried. Null if it was not tried yet. */
  readonly triedAt: string | null;
  /** How long the last try took. */
  readonly took: number | null;
  readonly finishedAt: string | null;
  readonly nextAt: string | null;
  /** What went wrong last; empty after a success. */
  readonly error: string;
}

export interface FlipEventJson {
  readonly kind: 'flip';
  readonly id: string;
  readonly at: string;
  readonly oldStatus: StoredStatus;
  readonly newStatus: StoredStatus;
  readonly cause: { readonly kind: FlipCause['kind']; readonly exitStatus: number | null } | null;
  /** How long the check had its old status. */
  readonly lasted: number | null;
  readonly deliveries: readonly DeliveryEventJson[];
}

export type EventJson = RunEventJson | FlipEventJson;

export interface EventPageJson {
  /** The newest first. */
  readonly events: readonly EventJson[];
  /** Cursors. `older` is null at the end. */
  readonly older: string | null;
  readonly newer: string;
  readonly hasNewer: boolean;
  readonly counts: Readonly<Record<EventKind, number>> | null;
  readonly oldestAt: string | null;
  readonly unsearched: number;
}

/** What services give for an event; here are only the parts that are shown. */
type Event =
  | {
      readonly kind: Exclude<EventKind, 'flip'>;
      readonly run: { readonly result: RunResult; readonly duration: Micros | null } | null;
      readonly signals: readonly [Ping, ...Ping[]];
      readonly excerpts: ReadonlyMap<number, readonly string[]>;
    }
  | FlipToShow;

interface FlipToShow {
  readonly kind: 'flip';
  readonly flip: {
    readonly id: number;
    readonly createdAt: number;
    readonly oldStatus: StoredStatus;
    readonly newStatus: StoredStatus;
  };
  readonly cause: FlipCause | null;
  readonly since: number | null;
  readonly deliveries: readonly DeliveryToShow[];
}

interface DeliveryToShow {
  readonly uuid: string;
  readonly channelUuid: string;
  readonly channelLabel: string;
  readonly channelName: string;
  readonly state: DeliveryState;
  readonly attemptCount: number;
  readonly nextAttemptAt: number | null;
  readonly finishedAt: number | null;
  readonly error: string;
  readonly attempts: readonly { readonly startedAt: number; readonly duration: Micros }[];
}

export function eventPageJson(page: {
  readonly events: readonly Event[];
  readonly older: EventPlace | null;
  readonly newer: EventPlace;
  readonly hasNewer: boolean;
  readonly counts: ReadonlyMap<EventKind, number> | null;
  readonly oldestAt: number | null;
  readonly unsearched: number;
}): EventPageJson {
  const { older, newer, counts, oldestAt } = page;
  const countOf = (kind: EventKind) => counts?.get(kind) ?? 0;
  return {
    events: page.events.map(eventJson),
    older: older && cursorOf(older),
    newer: cursorOf(newer),
    hasNewer: page.hasNewer,
    counts: counts && {
      ...{ success: countOf('success'), fail: countOf('fail'), start: countOf('start') },
      ...{ log: countOf('log'), ign: countOf('ign'), flip: countOf('flip') },
    },
    oldestAt: toIsoMicros(oldestAt),
    unsearched: page.unsearched,
  };
}

export function eventJson(event: Event): EventJson {
  if (event.kind === 'flip') return flipJson(event);
  const { kind, run, signals, excerpts } = event;
  const last = lastOf({ run: null, signals });
  return {
    kind,
    id: `run-${signals[0].n}`,
    at: toIsoMicros(last.createdAt),
    runId: last.rid,
    result: run?.result ?? null,
    duration: secondsOrNull(run?.duration ?? null),
    exitStatus: last.exitStatus,
    signals: signals.map((ping) => signalJson(ping, excerpts.get(ping.n) ?? [])),
  };
}

export function pingFactsJson(ping: Ping): PingFactsJson {
  return {
    n: ping.n,
    at: toIsoMicros(ping.createdAt),
    signal: ping.signal,
    exitStatus: ping.exitStatus,
    scheme: ping.scheme,
    method: ping.method,
    from: ping.remoteAddr,
    userAgent: ping.userAgent,
  };
}

function signalJson(ping: Ping, excerpt: readonly string[]): SignalJson {
  return { ...pingFactsJson(ping), size: ping.bodySize, excerpt };
}

function flipJson({ flip, cause, since, deliveries }: FlipToShow): FlipEventJson {
  return {
    kind: 'flip',
    id: `flip-${flip.id}`,
    at: toIsoMicros(flip.createdAt),
    oldStatus: flip.oldStatus,
    newStatus: flip.newStatus,
    cause: cause && { kind: cause.kind, exitStatus: cause.exitStatus },
    lasted: since === null ? null : secondsOrNull(flip.createdAt - since),
    deliveries: deliveries.map(deliveryJson),
  };
}

export function deliveryJson(delivery: DeliveryToShow): DeliveryEventJson {
  const last = delivery.attempts.at(-1);
  return {
    id: delivery.uuid,
    channel: { id: delivery.channelUuid, label: delivery.channelLabel, name: delivery.channelName },
    state: delivery.state,
    tries: delivery.attemptCount,
    triedAt: toIsoMicros(last?.startedAt ?? null),
    took: secondsOrNull(last?.duration ?? null),
    finishedAt: toIsoMicros(delivery.finishedAt),
    nextAt: toIsoMicros(delivery.nextAttemptAt),
    error: delivery.error,
  };
}

function cursorOf({ n, flip }: EventPlace): string {
  return `${n}.${flip.createdAt}.${flip.id}`;
}

export function secondsOrNull(span: Micros | null): number | null {
  return span === null ? null : span / MICROS_PER_SECOND;
}

const COLUMNS = [
  ...['time', 'event', 'number', 'run_id', 'result', 'exit_status', 'duration', 'method', 'address'],
  ...['user_agent', 'body_bytes', 'excerpt', 'old_status', 'new_status', 'cause', 'deliveries'],
];

/** What comes before the events. */
export function eventHeader(format: LogFormat): string {
  return format === 'csv' ? csvLine(COLUMNS) : '';
}

export function eventLines(events: readonly Event[], format: LogFormat): string {
  const line = format === 'csv' ? csvOf : (event: EventJson) => `${JSON.stringify(withSnakeCase(event))}\n`;
  return events.map((event) => line(eventJson(event))).join('');
}

function csvOf(event: EventJson): string {
  if (event.kind === 'flip') {
    const { at, oldStatus, newStatus, cause, deliveries } = event;
    const told = deliveries.map(({ channel, state, error }) => [channel.name || channel.label, state, error]);
    const blanks = Array.from({ length: 10 }, () => '');
    const toldText = told.map((one) => one.filter((part) => part !== '').join(' ')).join('; ');
    return csvLine([at, 'flip', ...blanks, oldStatus, newStatus, cause?.kind ?? '', toldText]);
  }
  const { at, kind, runId, result, exitStatus, duration, signals } = event;
  const last = signals.at(-1);
  return csvLine([
    ...[at, kind, String(last?.n ?? ''), runId ?? '', result ?? '', String(exitStatus ?? '')],
    ...[
      String(duration ?? ''),
      last?.method || (last?.scheme ?? ''),
      last?.from ?? '',
      last?.userAgent ?? '',
    ],
    ...[String(last?.size ?? ''), last?.excerpt.join('\n') ?? '', '', '', '', ''],
  ]);
}
