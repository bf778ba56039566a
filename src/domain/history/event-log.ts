import type { Instant } from '../../lib/instant.ts';
import type { Check } from '../check/check.ts';
import type { Flip } from '../check/flip.ts';
import { runLimit } from '../check/status.ts';
import type { Signal } from '../ping/ping.ts';
import type { JoinedRun } from './run-signals.ts';

/** Kinds of entries in the log of a check: signals that came, and changes of status. */
export const EVENT_KINDS = ['success', 'fail', 'start', 'log', 'ign', 'flip'] as const satisfies readonly (
  | Signal
  | 'flip'
)[];

export type EventKind = (typeof EVENT_KINDS)[number];

export type SignalKind = Exclude<EventKind, 'flip'>;

/** Which events are wanted. */
export interface EventFilter {
  readonly kinds: readonly EventKind[];
  /** Null leaves an end open. */
  readonly from: Instant | null;
  readonly before: Instant | null;
  /** In lower case. Bodies and user agents are searched for them. Empty wants all. */
  readonly words: string;
  /** Whether the signals of a run are one event, or each is one. */
  readonly view: 'runs' | 'signals';
}

/** A place in the log: events with these are on the one side, older ones on the other. */
export interface EventPlace {
  readonly n: number;
  readonly flip: Pick<Flip, 'createdAt' | 'id'>;
}

/** A part of the log. */
export interface EventQuestion {
  readonly filter: EventFilter;
  /** Null begins with the newest. */
  readonly place: EventPlace | null;
}

/** Above all events. */
export const NEWEST_PLACE: EventPlace = {
  n: Number.MAX_SAFE_INTEGER,
  flip: { createdAt: Number.MAX_SAFE_INTEGER, id: 0 },
};

/** The kind of an event of signals: of a run its end, or its start while it has none. */
export function kindOf({ signals }: JoinedRun): SignalKind {
  const ended = signals.findLast(({ signal }) => signal === 'success' || signal === 'fail');
  return signalKind((ended ?? signals[0]).signal);
}

/** Progress of a run is listed with the entries of logs, as the API does it. */
export function signalKind(signal: Signal): SignalKind {
  return signal === 'progress' ? 'log' : signal;
}

/** Why the status changed. Null if a ping or a person wanted it. */
export interface FlipCause {
  readonly kind: 'silence' | 'too_long' | 'failed' | 'edit';
  readonly exitStatus: number | null;
}

/** `runs` are those around the time of the flip. */
export function causeOf(
  flip: Flip,
  check: Pick<Check, 'graceSeconds' | 'runRules'>,
  runs: readonly JoinedRun[],
): FlipCause | null {
  if (flip.newStatus !== 'down') return null;
  if (flip.reason === '') return { kind: 'edit', exitStatus: null };
  if (flip.reason === 'fail') {
    const signals = runs.flatMap((one) => one.signals);
    const failed = signals.find(({ createdAt, signal }) => createdAt === flip.createdAt && signal === 'fail');
    return { kind: 'failed', exitStatus: failed?.exitStatus ?? null };
  }
  if (flip.cause !== '') return { kind: flip.cause === 'overran' ? 'too_long' : 'silence', exitStatus: null };
  // Old flips do not tell the cause.
  const longestBegin = flip.createdAt - runLimit(check);
  const isTooLong = runs.some(({ run }) => {
    if (run === null || run.startedAt === null || run.startedAt > longestBegin) return false;
    return run.endedAt === null || run.endedAt > flip.createdAt;
  });
  return { kind: isTooLong ? 'too_long' : 'silence', exitStatus: null };
}
