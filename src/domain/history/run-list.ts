import type { Instant } from '../../lib/instant.ts';
import type { Check } from '../check/check.ts';
import type { Ping } from '../ping/ping.ts';
import type { Run, RunResult } from './run.ts';

/** Which runs are wanted. */
export interface RunFilter {
  /** At least one. */
  readonly results: readonly RunResult[];
  /** Inclusive. Null leaves an end open. */
  readonly from: Instant | null;
  /** Exclusive. */
  readonly until: Instant | null;
}

/** A place in the list of runs, newest first: that of a run is its time and the number of its ping. */
export interface RunPlace {
  readonly at: Instant;
  readonly n: number;
}

/** The fields of a check that pings, changes of status and acts change. */
export const PINNED_FIELDS = [
  'pingCount',
  'status',
  'lastPingAt',
  'lastStartAt',
  'lastAliveAt',
  'runReported',
  'lastFlipAt',
  'excusedUntilAt',
] as const satisfies readonly (keyof Check)[];

/** Where a list goes on. All its pages tell what was so when it was begun, so that they agree. */
export interface RunCursor {
  /** Listed runs stand before it. */
  readonly place: RunPlace;
  /** When the list was begun. */
  readonly now: Instant;
  /** The check as it was then. */
  readonly check: Pick<Check, (typeof PINNED_FIELDS)[number]>;
}

export interface RunQuestion {
  readonly filter: RunFilter;
  readonly limit: number;
  /** Null begins with the newest. */
  readonly cursor: RunCursor | null;
}

/** A run as it is listed, or runs of a gap that are only counted. */
export interface ListedRun
  extends Pick<Run, 'result' | 'startedAt' | 'expectedAt' | 'endedAt' | 'duration' | 'exitStatus'> {
  readonly place: RunPlace;
  /** The ping that ended the run, or began it. Null if none came. */
  readonly n: number | null;
  readonly rid: string | null;
  /** What was remarkable about it, as a sum. */
  readonly flags: number;
  /** Its declared numbers, as JSON. */
  readonly numbers: string | null;
  /** Whether its ping is there and has a body. */
  readonly hasBody: boolean;
  /** The end of its body, if its ping is gone. */
  readonly excerpt: Uint8Array | null;
  /** How many runs did not come. One for a run that came. */
  readonly count: number;
}

/** What a ping tells of its run. */
export type RunSignal = Pick<
  Ping,
  | 'n'
  | 'rid'
  | 'createdAt'
  | 'occurredAt'
  | 'signal'
  | 'bodySize'
  | 'runStartedAt'
  | 'runFlags'
  | 'runNumbers'
>;

/** Before all runs of the same time. */
const FIRST = Number.MAX_SAFE_INTEGER;
/** A run that did not come stands behind those that came at that time. */
const NO_PING = -1;

/** Before all runs, and before all of a time. */
export const NEWEST_RUN: RunPlace = { at: Number.MAX_SAFE_INTEGER, n: FIRST };
export const upTo = (at: Instant): RunPlace => ({ at, n: FIRST });
/** Behind all runs of that time. */
export const before = (at: Instant): RunPlace => ({ at, n: NO_PING - 1 });

/** Negative if the first is listed before the second. */
export function compareRuns(one: RunPlace, other: RunPlace): number {
  return other.at - one.at || other.n - one.n;
}

/** Lists runs, newest first. Those of a gap that are not listed one by one are one entry, which counts them. */
export function listRuns(runs: readonly Run[], pings: readonly RunSignal[]): ListedRun[] {
  const byNumber = new Map(pings.map((ping) => [ping.n, ping]));
  return runs
    .flatMap((run) => (run.count > 0 ? absent(run) : [present(run, byNumber)]))
    .sort((one, other) => compareRuns(one.place, other.place));
}

function present(run: Run, pings: ReadonlyMap<number, RunSignal>): ListedRun {
  const { result, expectedAt, endedAt, exitStatus } = run;
  const n = run.endN ?? run.startN;
  const ping = n === null ? undefined : pings.get(n);
  // The ping that began it may be gone.
  const startedAt = run.startedAt ?? (run.endN === null ? null : (ping?.runStartedAt ?? null));
  return {
    ...{ result, expectedAt, startedAt, endedAt, exitStatus, n },
    place: { at: run.at, n: n ?? 0 },
    duration: startedAt === null || endedAt === null ? null : Math.max(0, endedAt - startedAt),
    rid: ping?.rid ?? null,
    flags: ping?.runFlags ?? 0,
    numbers: ping?.runNumbers ?? null,
    hasBody: (ping?.bodySize ?? 0) > 0,
    excerpt: null,
    count: 1,
  };
}

function absent({ result, expectedAt, count, listed }: Run): ListedRun[] {
  const one = (at: Instant, times: number): ListedRun => ({
    ...NO_RUN,
    result,
    ...expected(at),
    count: times,
  });
  const rest = count - listed.length;
  const counted = rest > 0 && expectedAt !== null ? [one(expectedAt, rest)] : [];
  return [...counted, ...listed.map((at) => one(at, 1))];
}

const expected = (at: Instant) => ({ expectedAt: at, place: { at, n: NO_PING } });

const NO_RUN = {
  ...{ startedAt: null, endedAt: null, duration: null, exitStatus: null, n: null, rid: null },
  ...{ flags: 0, numbers: null, hasBody: false, excerpt: null },
} as const;

/**
 * Of pings in ascending order, before which there are others: the time after which all is known. Runs are accounted for
 * from the first end on.
 */
export function knownSince(pings: readonly RunSignal[], before: Instant): Instant {
  const end = pings.find(
    ({ signal, occurredAt }) => occurredAt === null && (signal === 'success' || signal === 'fail'),
  );
  if (end !== undefined && end.createdAt < before) return end.createdAt;
  return pings[0]?.createdAt ?? 0;
}
