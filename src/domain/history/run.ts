import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { CheckSummary } from '../check/check.ts';
import type { Flip } from '../check/flip.ts';
import { ALWAYS_WATCHED, type Expecting, type Unwatched } from '../check/occurrences.ts';
import { deadlineOf, isRunOverdue, runLimit, statusAt, type Timed } from '../check/status.ts';
import { OpenRuns } from '../ping/open-runs.ts';
import { happenedAt, MAX_RUN, type Ping } from '../ping/ping.ts';
import { nextOccurrence } from '../schedule/schedule.ts';
import { Accounts } from './accounts.ts';

export const RUN_RESULTS = [
  'ok',
  'warned',
  'failed',
  'late',
  'running',
  'missed',
  'skipped',
  'unknown',
] as const;

/**
 * The result of a run.
 * - `warned`: it succeeded, and a rule of the check has a remark about it.
 * - `late`: it succeeded, but only after its deadline, when the check was already down.
 * - `failed`: it reported a failure, or did not end within the grace time and has not ended since.
 * - `missed`, `skipped`, `unknown`: a run was expected, and none came for it. One after the other they are one entry.
 */
export type RunResult = (typeof RUN_RESULTS)[number];

/** One run of a job, put together from its pings. */
export interface Run {
  readonly result: RunResult;
  /** The place of the run among others: its end, the deadline that it did not keep, or the start while it is running. */
  readonly at: Instant;
  /** Null if no `start` came. */
  readonly startedAt: Instant | null;
  /** When it was expected, or the first of several that did not come. Null if it was not, or if that is not known. */
  readonly expectedAt: Instant | null;
  /** Null while it is running, if none came, and for one whose end never came. */
  readonly endedAt: Instant | null;
  /** From start to end. Null if one of them is not known. */
  readonly duration: Micros | null;
  /** The ping that began the run. */
  readonly startN: number | null;
  /** The ping that ended the run. */
  readonly endN: number | null;
  readonly exitStatus: number | null;
  /** The number of runs one after the other that did not come, zero for a run that came. */
  readonly count: number;
  /** When they were expected: the newest of them, oldest first. Empty for a run that came. */
  readonly listed: readonly Instant[];
}

export type RunPing = Pick<Ping, 'n' | 'createdAt' | 'occurredAt' | 'signal' | 'rid' | 'exitStatus'> &
  Partial<Pick<Ping, 'runFlags'>>;
export type RunFlip = Pick<Flip, 'createdAt' | 'newStatus' | 'reason'> & Partial<Pick<Flip, 'cause'>>;

/** The known history of a check. Earlier pings and flips may be missing. */
export interface RunHistory {
  readonly check: Timed & Expecting;
  /** In ascending order. */
  readonly pings: readonly RunPing[];
  /** In any order. Flips before the oldest ping should be left out if older pings exist. */
  readonly flips: readonly RunFlip[];
  readonly now: Instant;
  /** Times since the oldest ping in which nobody watched, or nothing was expected. Absent: none. */
  readonly unwatched?: Unwatched;
}

/**
 * The runs of a check, oldest first. `OpenRuns` says which end belongs to which start. A start that neither ended nor took the
 * check down is left out, unless it is the open run of the check.
 */
export function runsOf({ check, pings, flips, now, unwatched = ALWAYS_WATCHED }: RunHistory): Run[] {
  const journal = new RunJournal(check, unwatched);
  const changes = flips.toSorted((a, b) => a.createdAt - b.createdAt);
  let next = 0;
  for (const ping of pings) {
    // A deadline that was missed before a ping is recorded before it, possibly with the same time.
    while (next < changes.length && (changes[next] as RunFlip).createdAt <= ping.createdAt) {
      journal.flip(changes[next++] as RunFlip);
    }
    journal.ping(ping);
  }
  for (const flip of changes.slice(next)) journal.flip(flip);
  return journal.finish(now);
}

/** A run that has begun, and the place of its entry if it has already taken the check down. */
interface OpenRun {
  readonly rid: string | null;
  readonly startedAt: Instant;
  readonly startN: number | null;
  /** The last sign of life: its start, or its progress since. */
  aliveAt: Instant;
  reported: Draft | null;
}

type Draft = { -readonly [Field in keyof Run]: Run[Field] };

class RunJournal {
  readonly #check: RunHistory['check'];
  readonly #runs = new Set<Draft>();
  readonly #open = new OpenRuns<OpenRun>();
  readonly #accounts: Accounts<Draft>;
  /** The run that the deadline depends on: the one that started last. */
  #watched: OpenRun | null = null;
  /** The last end that is known. */
  #endedAt: Instant = Number.NEGATIVE_INFINITY;
  /** When the check went down because nothing came. Null if something has come since. */
  #fellAt: Instant | null = null;
  /** When the check came up again. The ping by which it did follows. */
  #rose: Instant | null = null;
  #hasLatePings = false;

  constructor(check: RunHistory['check'], unwatched: Unwatched) {
    this.#check = check;
    this.#accounts = new Accounts(check, unwatched);
  }

  flip({ createdAt, newStatus, reason, cause }: RunFlip): void {
    this.#rose = newStatus === 'up' ? createdAt : null;
    if (newStatus === 'down') {
      const isSilence = reason === 'timeout' && !this.#overrun(createdAt, cause);
      this.#fellAt = isSilence ? createdAt : null;
      if (isSilence) this.#accounts.fall(createdAt);
    } else if (newStatus !== 'up') {
      this.#accounts.pause(createdAt, this.#watched);
      this.#fellAt = null;
      this.#watched = null;
    }
  }

  ping(ping: RunPing): void {
    if (ping.signal === 'log' || ping.signal === 'ign') return;
    const at = happenedAt(ping);
    this.#hasLatePings ||= ping.occurredAt !== null;
    if (ping.signal === 'progress') this.#keepAlive(ping, at);
    else if (ping.signal === 'start') this.#begin(ping, at);
    else this.#end(ping, ping.signal, at);
  }

  #begin(ping: RunPing, at: Instant): void {
    const run: OpenRun = { rid: ping.rid, startedAt: at, aliveAt: at, startN: ping.n, reported: null };
    this.#open.begin(ping, run);
    const { startedAt = 0, aliveAt = 0 } = this.#watched ?? {};
    // A late sign is watched only if nothing newer is known, and its time was not over when it came.
    const newest = Math.max(this.#endedAt, ping.signal === 'progress' ? aliveAt : startedAt);
    const isWatched = ping.createdAt - at < runLimit(this.#check) && at > newest;
    if (ping.occurredAt === null || isWatched) this.#watched = run;
  }

  /** Without a run id it is of the run that is watched. Of a run that is not known it is the first sign. */
  #keepAlive(ping: RunPing, at: Instant): void {
    const open = (ping.rid === null ? this.#watched : null) ?? this.#open.newest(ping.rid);
    if (open === undefined) this.#begin(ping, at);
    else open.aliveAt = Math.max(open.aliveAt, at);
  }

  finish(now: Instant): Run[] {
    const { lastStartAt, runReported } = this.#check;
    const deadline = deadlineOf(this.#check);
    // The deadline loop may not have noticed yet.
    if (deadline !== null && this.#check.status !== 'down' && statusAt(this.#check, now) === 'down')
      this.#overrun(deadline, '');
    const open =
      lastStartAt === null ? null : this.#openRun(lastStartAt, runReported || isRunOverdue(this.#check, now));
    const { ends, noShows } = this.#accounts.close(now);
    for (const { run, claimed, isLate } of ends) {
      run.expectedAt = claimed;
      if (isLate && run.result !== 'failed') run.result = 'late';
    }
    const absent = noShows.map(({ at, result, first, count, listed }) => {
      return { ...UNENDED, result, at, expectedAt: first, count, listed };
    });
    const came = [...this.#runs];
    // Otherwise they are in the order of their pings, which a clock that was set back does not change.
    if (this.#hasLatePings) came.sort(byTime);
    const runs = merged(absent.sort(byTime), came);
    if (open !== null && !this.#runs.has(open)) runs.push(open);
    return runs;
  }

  #openRun(startedAt: Instant, isReported: boolean): Draft {
    const open = this.#watched;
    if (open?.startedAt === startedAt && open.reported !== null) return open.reported;
    const startN = open?.startedAt === startedAt ? open.startN : null;
    const result = isReported ? 'failed' : 'running';
    return { ...UNENDED, result, at: startedAt, startedAt, startN };
  }

  /** Adds the open run if it has lasted too long at that time. Returns whether it has. */
  #overrun(at: Instant, cause = ''): boolean {
    const open = this.#watched;
    if (open === null) return false;
    // Old flips do not tell the cause.
    const hasOverrun = cause === '' ? at >= open.aliveAt + runLimit(this.#check) : cause === 'overran';
    if (!hasOverrun) return false;
    const { startedAt, startN } = open;
    open.reported = this.#add({ ...UNENDED, result: 'failed', at, startedAt, startN });
    return true;
  }

  #end(ping: RunPing, signal: 'success' | 'fail', at: Instant): void {
    const { n, rid, exitStatus, runFlags, createdAt } = ping;
    const open = this.#open.end(ping);
    const isOwn = open !== undefined && open === this.#watched;
    // A run that began after the one that ends is still watched.
    const isOver = (signal === 'fail' || rid === null) && at >= (this.#watched?.startedAt ?? at);
    if (isOwn || isOver) this.#watched = null;
    this.#endedAt = Math.max(this.#endedAt, at);
    const isKnown = open !== undefined && at - open.startedAt < MAX_RUN;
    if (open?.reported) this.#runs.delete(open.reported);
    const run = this.#add({
      result: signal === 'fail' ? 'failed' : open?.reported ? 'late' : runFlags ? 'warned' : 'ok',
      at,
      expectedAt: null,
      startedAt: isKnown ? open.startedAt : null,
      endedAt: at,
      duration: isKnown ? Math.max(0, at - open.startedAt) : null,
      startN: isKnown ? open.startN : null,
      endN: n,
      exitStatus,
      count: 0,
      listed: [],
    });
    const fellAt = this.#rose === null || this.#rose === createdAt ? this.#fellAt : null;
    this.#accounts.end({ run, at, startedAt: run.startedAt, aliveAt: open?.aliveAt ?? null, fellAt });
    // A result that came late is no sign of the time after it, unless the check came up by it.
    if (at === createdAt || this.#rose !== null) this.#fellAt = null;
    this.#rose = null;
  }

  #add(run: Draft): Draft {
    this.#runs.add(run);
    return run;
  }
}

const UNENDED: Omit<Run, 'result' | 'at'> = {
  count: 0,
  listed: [],
  expectedAt: null,
  startedAt: null,
  endedAt: null,
  duration: null,
  startN: null,
  endN: null,
  exitStatus: null,
};

/** The number of runs that were expected and never came. */
export function missedAmong(runs: readonly Pick<Run, 'result' | 'count'>[]): number {
  return runs.reduce((sum, { result, count }) => sum + (result === 'missed' ? count : 0), 0);
}

/** When a run is due next after that time, by the schedule alone. Null if the schedule has no next time. */
export function nextDue(
  check: Pick<Timed, 'kind' | 'timeoutSeconds' | 'schedule' | 'tz'>,
  after: Instant,
): Instant | null {
  if (check.kind === 'simple') return after + seconds(check.timeoutSeconds);
  return nextOccurrence(check.schedule, check.tz, after);
}

/**
 * When the first run of a check that was never pinged is expected. Null for other checks, and if its schedule has no such
 * time.
 */
export function firstDue(check: CheckSummary): Instant | null {
  if (check.status !== 'new' || check.pingCount > 0) return null;
  if (check.lastPingAt !== null || check.lastStartAt !== null) return null;
  return nextDue(check, check.lastFlipAt ?? check.createdAt);
}

/** The number of runs from which the usual duration is known. */
export const USUAL_RUNS = 20;

/** Whether the run succeeded, whatever else there is to say about it. */
export function isGood({ result }: Pick<Run, 'result'>): boolean {
  return result === 'ok' || result === 'warned' || result === 'late';
}

/** The median duration of the last successful runs. Null if none has a duration. */
export function usualDuration(runs: readonly Run[]): Micros | null {
  return medianOf(
    runs
      .filter(isGood)
      .flatMap(({ duration }) => (duration === null ? [] : [duration]))
      .slice(-USUAL_RUNS),
  );
}

/** Null without durations. */
export function medianOf(durations: readonly Micros[]): Micros | null {
  const sorted = durations.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  if (upper === undefined) return null;
  const lower = sorted[(sorted.length - 1) >> 1] as Micros;
  return Math.round((lower + upper) / 2);
}

const SLOW_FACTOR = 2;
/** No shorter run is slow. */
export const SLOW_FROM: Micros = seconds(60);

/** A run that lasts longer is slow. */
export function slowBeyond(usual: Micros): Micros {
  return Math.max(SLOW_FACTOR * usual, SLOW_FROM);
}

/** When the open run has lasted unusually long. Null if no run is open or the usual duration is not known. */
export function slowAt(check: Pick<Timed, 'lastStartAt'>, usual: Micros | null): Instant | null {
  if (check.lastStartAt === null || usual === null) return null;
  return check.lastStartAt + slowBeyond(usual);
}

/** Whether the open run lasts longer than twice the usual duration, and longer than a minute. */
export function isSlow(check: Pick<Timed, 'lastStartAt'>, usual: Micros | null, now: Instant): boolean {
  const from = slowAt(check, usual);
  return from !== null && now > from;
}

const byTime = (one: Run, other: Run) => one.at - other.at;

/** Puts those that did not come between those that came. */
function merged(absent: readonly Run[], came: readonly Run[]): Run[] {
  const all: Run[] = [];
  let next = 0;
  for (const run of came) {
    for (let one = absent[next]; one !== undefined && one.at <= run.at; one = absent[++next]) all.push(one);
    all.push(run);
  }
  return [...all, ...absent.slice(next)];
}
