import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { CheckSummary } from '../check/check.ts';
import type { Flip } from '../check/flip.ts';
import { ALWAYS_WATCHED, type Expecting, type Unwatched } from '../check/occurrences.ts';
import { deadlineOf, isRunOverdue, runLimit, statusAt, type Timed } from '../check/status.ts';
import { type BegunRun, WatchedRuns } from '../ping/open-runs.ts';
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
 * The runs of a check, oldest first. `WatchedRuns` says which end belongs to which start. A start that neither ended nor took the
 * check down is left out, unless it is the open run of the check.
 */
export function runsOf(history: RunHistory): Run[] {
  return runsAndSignals(history, () => {});
}

/** As `runsOf`. Also tells of each ping the number of the one that began its run. */
export function runsAndSignals(
  { check, pings, flips, now, unwatched = ALWAYS_WATCHED }: RunHistory,
  tell: (n: number, startN: number | undefined) => void,
): Run[] {
  const journal = new RunJournal(check, unwatched);
  const changes = flips.toSorted((a, b) => a.createdAt - b.createdAt);
  let next = 0;
  for (const [index, ping] of pings.entries()) {
    const isOfLater = (signal: RunPing['signal'] | null) =>
      signal !== null && comesAgain(pings, index, signal);
    let own: RunFlip | null = null;
    // A deadline that was missed before a ping is recorded before it, possibly with the same time.
    for (let change = changes[next]; change !== undefined; change = changes[next]) {
      if (change.createdAt > ping.createdAt) break;
      const maker = change.createdAt === ping.createdAt ? makerOf(change) : null;
      if (maker === ping.signal) own = change;
      if (own !== null || isOfLater(maker)) break;
      journal.flip(change);
      next++;
    }
    const counts = journal.counts(ping, own !== null) || (own !== null && !isOfLater(ping.signal));
    if (own !== null && counts) {
      journal.flip(own);
      next++;
    }
    tell(ping.n, journal.ping(ping, counts)?.startN);
  }
  for (const flip of changes.slice(next)) journal.flip(flip);
  return journal.finish(now);
}

/** The signal that makes such a change of status. */
function makerOf({ newStatus, reason }: RunFlip): RunPing['signal'] | null {
  if (newStatus === 'up') return 'success';
  if (newStatus === 'new') return 'start';
  return reason === 'fail' ? 'fail' : null;
}

/** Whether another such ping came at the same time after it. */
function comesAgain(pings: readonly RunPing[], index: number, signal: RunPing['signal']): boolean {
  const { createdAt } = pings[index] as RunPing;
  for (let later = index + 1; pings[later]?.createdAt === createdAt; later++)
    if (pings[later]?.signal === signal) return true;
  return false;
}

type Draft = { -readonly [Field in keyof Run]: Run[Field] };

class RunJournal {
  readonly #check: RunHistory['check'];
  readonly #runs = new Set<Draft>();
  readonly #begun: WatchedRuns;
  /** The entries of runs that have taken the check down. */
  readonly #reported = new Map<BegunRun, Draft>();
  readonly #accounts: Accounts<Draft>;
  /** When the check went down because nothing came. Null if something has come since. */
  #fellAt: Instant | null = null;
  /** When the check came up again. The ping by which it did follows. */
  #rose: Instant | null = null;
  #hasLatePings = false;

  constructor(check: RunHistory['check'], unwatched: Unwatched) {
    this.#check = check;
    this.#begun = new WatchedRuns(check);
    this.#accounts = new Accounts(check, unwatched);
  }

  flip(flip: RunFlip): void {
    const { createdAt, newStatus, reason, cause } = flip;
    this.#rose = newStatus === 'up' ? createdAt : null;
    if (newStatus === 'down') {
      const isSilence = reason === 'timeout' && !this.#overrun(createdAt, cause);
      this.#fellAt = isSilence ? createdAt : null;
      if (isSilence) this.#accounts.fall(createdAt);
    } else if (newStatus !== 'up') {
      this.#accounts.pause(createdAt, this.#begun.watched);
      this.#fellAt = null;
    }
    this.#begun.changeStatus(flip);
  }

  counts(ping: RunPing, hasChanged: boolean): boolean {
    return this.#begun.counts(ping, hasChanged);
  }

  ping(ping: RunPing, counts: boolean): BegunRun | undefined {
    const run = this.#begun.take(ping, counts);
    if (ping.signal === 'log' || ping.signal === 'ign') return run;
    this.#hasLatePings ||= ping.occurredAt !== null;
    if (ping.signal === 'success' || ping.signal === 'fail') this.#end(ping, ping.signal, run);
    return run;
  }

  finish(now: Instant): Run[] {
    const check = this.#check;
    const { lastStartAt, runReported } = check;
    const deadline = deadlineOf(check);
    // The deadline loop may not have noticed yet.
    if (deadline !== null && check.status !== 'down' && statusAt(check, now) === 'down') {
      const isWatched = lastStartAt !== null && lastStartAt === this.#begun.watched?.watchedFrom;
      if (isWatched && !runReported && isRunOverdue(check, deadline)) this.#overrun(deadline, 'overran');
    }
    const open =
      lastStartAt === null ? null : this.#openRun(lastStartAt, runReported || isRunOverdue(check, now));
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

  #openRun(lastStartAt: Instant, isReported: boolean): Draft {
    const { watched } = this.#begun;
    const open = watched?.watchedFrom === lastStartAt ? watched : null;
    const reported = open === null ? undefined : this.#reported.get(open);
    if (reported !== undefined) return reported;
    const startedAt = open?.startedAt ?? lastStartAt;
    const result = isReported ? 'failed' : 'running';
    return { ...UNENDED, result, at: startedAt, startedAt, startN: open?.startN ?? null };
  }

  /** Adds the open run if it has lasted too long at that time. Returns whether it has. */
  #overrun(at: Instant, cause = ''): boolean {
    const open = this.#begun.watched;
    if (open === null) return false;
    const isOver = !open.isReported && at >= open.aliveAt + runLimit(this.#check);
    // Old flips do not tell the cause.
    if (cause === '' ? !isOver : cause !== 'overran') return false;
    const { startedAt, startN } = open;
    open.isReported = true;
    // Progress may have made it the watched one again since.
    this.#takeBack(open);
    this.#reported.set(open, this.#add({ ...UNENDED, result: 'failed', at, startedAt, startN }));
    return true;
  }

  #end(ping: RunPing, signal: 'success' | 'fail', open: BegunRun | undefined): void {
    const { n, exitStatus, runFlags, createdAt } = ping;
    const at = happenedAt(ping);
    const isKnown = open !== undefined && at - open.startedAt < MAX_RUN;
    const wasReported = open !== undefined && this.#takeBack(open);
    const run = this.#add({
      result: signal === 'fail' ? 'failed' : wasReported ? 'late' : runFlags ? 'warned' : 'ok',
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

  /** Removes the entry of a run that had none to end with. Returns whether there was one. */
  #takeBack(run: BegunRun): boolean {
    const reported = this.#reported.get(run);
    return reported !== undefined && this.#runs.delete(reported);
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
