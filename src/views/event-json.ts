import { type Delivery, type Repeat, repeatOf } from '../domain/alert/delivery.ts';
import type { EventPlace } from '../domain/history/event-log.ts';
import { lastOf } from '../domain/history/run-signals.ts';
import type { Ping } from '../domain/ping/ping.ts';
import { MICROS_PER_SECOND, type Micros, toIsoMicros } from '../lib/instant.ts';
import { withSnakeCase } from '../lib/snake-case.ts';
import { csvLine } from '../lib/text/csv.ts';
import type { FlipEvent, LoggedEvent, SignalEvent } from '../services/history/event-log.ts';
import type { LogFormat } from '../wire/dashboard/audit-log-input.ts';
import { sentenceJson } from './board-json.ts';

export function eventJson(event: LoggedEvent) {
  return event.kind === 'flip' ? flipJson(event) : runJson(event);
}

/** A run or a single signal. */
function runJson(event: SignalEvent) {
  const { kind, run, signals, excerpts, isKept } = event;
  const last = lastOf(event);
  return {
    kind,
    /** Stays equal while signals are added to it. */
    id: `run-${signals[0].n}`,
    at: toIsoMicros(last.createdAt),
    runId: last.rid,
    /** Null if the signal is not part of a run. */
    result: run?.result ?? null,
    duration: secondsOrNull(run?.duration ?? null),
    exitStatus: last.exitStatus,
    /** Whether its pings are gone: they cannot be opened. */
    isKept,
    signals: signals.map((ping) => signalJson(ping, excerpts.get(ping.n) ?? [])),
  };
}

/** The facts of a ping. Times are ISO with microseconds, durations are seconds. */
export function pingFacts(ping: Ping) {
  return {
    n: ping.n,
    at: toIsoMicros(ping.createdAt),
    signal: ping.signal,
    exitStatus: ping.exitStatus,
    scheme: ping.scheme,
    method: ping.method,
    from: ping.remoteAddr,
    userAgent: ping.userAgent,
    ...lateness(ping),
  };
}

/** When the thing happened that the ping reports, if it came late. */
export function lateness({ occurredAt }: Ping) {
  return occurredAt === null ? {} : { occurred: toIsoMicros(occurredAt) };
}

/** The excerpt is a few lines of the body, around the match if there was a search. */
function signalJson(ping: Ping, excerpt: readonly string[]) {
  return { ...pingFacts(ping), size: ping.bodySize, excerpt };
}

function flipJson({ flip, cause, since, deliveries, notes }: FlipEvent) {
  return {
    kind: 'flip' as const,
    id: `flip-${flip.id}`,
    at: toIsoMicros(flip.createdAt),
    oldStatus: flip.oldStatus,
    newStatus: flip.newStatus,
    cause: cause && { kind: cause.kind, exitStatus: cause.exitStatus },
    /** The time for which the check had its old status. */
    lasted: since === null ? null : secondsOrNull(flip.createdAt - since),
    deliveries: deliveries.map(deliveryJson),
    /** What people have said to the outage that it opened, and why nobody was told of it. */
    notes: notes.map(sentenceJson),
  };
}

/** Why a message is another one than the first about the change to those that are assigned. */
function becauseOf(delivery: Pick<Delivery, 'ordinal' | 'why' | 'createdAt'>): {
  readonly because?: Repeat['kind'] | 'step';
} {
  const repeat = repeatOf(delivery);
  if (repeat !== null) return { because: repeat.kind };
  return delivery.why === 'step' ? { because: 'step' } : {};
}

export function deliveryJson(delivery: FlipEvent['deliveries'][number]) {
  const last = delivery.attempts.at(-1);
  return {
    id: delivery.uuid,
    channel: { id: delivery.channelUuid, label: delivery.channelLabel, name: delivery.channelName },
    ...becauseOf(delivery),
    state: delivery.state,
    tries: delivery.attemptCount,
    /** When it was last tried, and how long that took. Null if it was not tried yet. */
    triedAt: toIsoMicros(last?.startedAt ?? null),
    took: secondsOrNull(last?.duration ?? null),
    finishedAt: toIsoMicros(delivery.finishedAt),
    nextAt: toIsoMicros(delivery.nextAttemptAt),
    /** The last error. Empty after a success. */
    error: delivery.error,
  };
}

export function cursorOf({ n, flip }: EventPlace): string {
  return `${n}.${flip.createdAt}.${flip.id}`;
}

export function secondsOrNull(span: Micros | null): number | null {
  return span === null ? null : span / MICROS_PER_SECOND;
}

const COLUMNS = [
  ...['time', 'event', 'number', 'run_id', 'result', 'exit_status', 'duration', 'method', 'address'],
  ...['user_agent', 'body_bytes', 'excerpt', 'old_status', 'new_status', 'cause', 'deliveries', 'occurred'],
];

/** The lines before the events. */
export function eventHeader(format: LogFormat): string {
  return format === 'csv' ? csvLine(COLUMNS) : '';
}

export function eventLines(events: readonly LoggedEvent[], format: LogFormat): string {
  const line =
    format === 'csv'
      ? csvOf
      : (event: ReturnType<typeof eventJson>) => `${JSON.stringify(withSnakeCase(event))}\n`;
  return events.map((event) => line(eventJson(event))).join('');
}

function csvOf(event: ReturnType<typeof eventJson>): string {
  if (event.kind === 'flip') {
    const { at, oldStatus, newStatus, cause, deliveries } = event;
    const told = deliveries.map(({ channel, state, error }) => [channel.name || channel.label, state, error]);
    const blanks = Array.from({ length: 10 }, () => '');
    const toldText = told.map((one) => one.filter((part) => part !== '').join(' ')).join('; ');
    return csvLine([at, 'flip', ...blanks, oldStatus, newStatus, cause?.kind ?? '', toldText, '']);
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
    ...[String(last?.size ?? ''), last?.excerpt.join('\n') ?? '', '', '', '', '', last?.occurred ?? ''],
  ]);
}
