import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { CheckSummary } from '../check/check.ts';
import type { Flip } from '../check/flip.ts';
import { beginLimit, deadlineOf, isRunOverdue, runLimit, statusAt, type Timed } from '../check/status.ts';
import { happenedAt, isOfEarlierRun, MAX_RUN, type Ping } from '../ping/ping.ts';
import { nextOccurrence } from '../schedule/schedule.ts';
import { dueRuns, MAX_MISSED_RUNS, type Silence } from './missed-runs.ts';

/**
 * The result of a run.
 * - `warned`: it succeeded, and a rule of the check has a remark about it.
 * - `late`: it succeeded, but only after its deadline, when the check was already down.
 * - `failed`: it reported a failure, or did not end within the grace time and has not ended since.
 * - `missed`: a run was due, and none came before the next one was due. Runs that are missed one after the other are
 *   one entry.
 */
export type RunResult = 'ok' | 'warned' | 'failed' | 'late' | 'missed' | 'running';

/** One run of a job, put together from its pings. */
export interface Run {
  readonly result: RunResult;
  /** The place of the run among others: its end, the deadline that it did not keep, or the start while it is running. */
  readonly at: Instant;
  /** Null if no `start` came. */
  readonly startedAt: Instant | null;
  /** Null while it is running, for a missed run, and for one whose end never came. */
  readonly endedAt: Instant | null;
  /** From start to end. Null if one of them is not known. */
  readonly duration: Micros | null;
  /** The ping that began the run. */
  readonly startN: number | null;
  /** The ping that ended the run. */
  readonly endN: number | null;
  readonly exitStatus: number | null;
  /**
   * The number of consecutive missed runs, zero for a run that came. The newest are counted first. If there are more
   * than 1,000 in all, the sum is 1,001 or more.
   */
  readonly missed: number;
}

export type RunPing = Pick<Ping, 'n' | 'createdAt' | 'occurredAt' | 'signal' | 'rid' | 'exitStatus'> &
  Partial<Pick<Ping, 'runFlags'>>;
export type RunFlip = Pick<Flip, 'createdAt' | 'newStatus' | 'reason'> & Partial<Pick<Flip, 'cause'>>;

/** The known history of a check. Earlier pings and flips may be missing. */
export interface RunHistory {
  readonly check: Timed;
  /** In ascending order. */
  readonly pings: readonly RunPing[];
  /** In any order. Flips before the oldest ping should be left out if older pings exist. */
  readonly flips: readonly RunFlip[];
  readonly now: Instant;
}

/**
 * The runs of a check, oldest first. An end belongs to the nearest earlier start with the same rid, unless another end lies
 * between. A start that neither ended nor took the check down is left out, unless it is the open run of the check.
 */
export function runsOf({ check, pings, flips, now }: RunHistory): Run[] {
  const journal = new RunJournal(check);
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
  readonly startedAt: Instant;
  /** The last sign of life: its start, or its progress since. */
  readonly aliveAt: Instant;
  readonly startN: number | null;
  readonly reported: Draft | null;
}

type Draft = { -readonly [Field in keyof Run]: Run[Field] };

/** The time since the last sign of a job whose check is down. */
interface Gap {
  readonly from: Instant;
  /** The entry of the run whose deadline began the outage. Null if another sign has come since, or a failure began it. */
  readonly missed: Draft | null;
}

/** Missed runs to be counted: the runs due in the silence, and `more`. */
interface Count {
  readonly run: Draft;
  readonly silence: Silence;
  readonly more: number;
}

class RunJournal {
  readonly #check: Timed;
  readonly #runs = new Set<Draft>();
  readonly #open = new Map<string | null, OpenRun>();
  readonly #counts: Count[] = [];
  /** The rid of the run that the deadline depends on: the one that started last. Undefined if there is none. */
  #watched: string | null | undefined;
  #gap: Gap | null = null;
  /** The entry of a missed run that came after all, but has not ended. */
  #late: Draft | null = null;
  #endedAt: Instant | null = null;
  #hasLatePings = false;

  constructor(check: Timed) {
    this.#check = check;
  }

  flip({ createdAt, newStatus, reason, cause }: RunFlip): void {
    if (newStatus === 'down') {
      const missed = reason === 'timeout' ? this.#miss(createdAt, cause) : null;
      this.#gap = { from: createdAt, missed };
    } else {
      if (newStatus === 'up') this.#answer(createdAt);
      else this.#giveUp(createdAt);
      this.#gap = null;
    }
    if (newStatus === 'paused' || newStatus === 'new') {
      this.#watched = undefined;
      this.#late = null;
    }
  }

  ping(ping: RunPing): void {
    if (ping.signal === 'log' || ping.signal === 'ign') return;
    const at = happenedAt(ping);
    this.#hasLatePings ||= ping.occurredAt !== null;
    // A late ping may be older than the last deadline. It is no sign of the time after it.
    if (this.#gap === null || at >= this.#gap.from) this.#answer(at, ping.signal === 'start');
    if (ping.signal === 'progress') this.#keepAlive(ping, at);
    else if (ping.signal === 'start') this.#begin(ping, at);
    else {
      this.#end(ping, ping.signal, at);
      this.#endedAt = Math.max(at, this.#endedAt ?? at);
      // A late success that ended the outage has a flip of its own.
      if (ping.signal === 'success' && ping.occurredAt === null) this.#gap = null;
    }
  }

  #begin({ n, rid, createdAt }: RunPing, at: Instant): void {
    this.#open.set(rid, { startedAt: at, aliveAt: at, startN: n, reported: null });
    // A late start whose time was over when it came is not watched.
    if (createdAt - at < runLimit(this.#check)) this.#watched = rid;
  }

  /** Without a run id it is of the run that is watched. Of a run that is not known it is the first sign. */
  #keepAlive(ping: RunPing, at: Instant): void {
    const rid = ping.rid === null && this.#watched !== undefined ? this.#watched : ping.rid;
    const open = this.#open.get(rid);
    if (open === undefined) this.#begin(ping, at);
    else this.#open.set(rid, { ...open, aliveAt: Math.max(open.aliveAt, at) });
  }

  finish(now: Instant): Run[] {
    const { lastStartAt, runReported } = this.#check;
    const deadline = deadlineOf(this.#check);
    // The deadline loop may not have noticed yet.
    const isUnnoticed =
      deadline !== null && this.#check.status !== 'down' && statusAt(this.#check, now) === 'down';
    if (isUnnoticed) this.#gap = { from: deadline, missed: this.#miss(deadline, '') };
    this.#giveUp(now);
    if (lastStartAt !== null)
      this.#add(this.#openRun(lastStartAt, runReported || isRunOverdue(this.#check, now)));
    this.#countMissed();
    const runs = [...this.#runs];
    return this.#hasLatePings ? runs.sort((one, other) => one.at - other.at) : runs;
  }

  #openRun(startedAt: Instant, isReported: boolean): Draft {
    const open = this.#watched === undefined ? undefined : this.#open.get(this.#watched);
    if (open?.startedAt === startedAt && open.reported !== null) return open.reported;
    const startN = open?.startedAt === startedAt ? open.startN : null;
    const result = isReported ? 'failed' : 'running';
    return { ...UNENDED, result, at: startedAt, startedAt, startN };
  }

  /** Adds the run whose deadline has passed. Returns it if it never came. */
  #miss(at: Instant, cause = ''): Draft | null {
    const open = this.#watched === undefined ? undefined : this.#open.get(this.#watched);
    // Old flips do not tell the cause.
    const hasOverrun = (of: OpenRun) =>
      cause === '' ? at >= of.aliveAt + runLimit(this.#check) : cause === 'overran';
    if (open !== undefined && hasOverrun(open)) {
      const { startedAt, startN } = open;
      const reported = this.#add({ ...UNENDED, result: 'failed', at, startedAt, startN });
      this.#open.set(this.#watched as string | null, { ...open, reported });
      return null;
    }
    return this.#add({ ...UNENDED, result: 'missed', at, missed: 1 });
  }

  /** A sign of the job came. It belongs to the last run that was due; the runs before that one were missed. */
  #answer(at: Instant, isStart = false): void {
    if (this.#gap === null) return;
    const silence = this.#silenceUntil(at);
    const { missed } = this.#gap;
    const due = dueRuns(this.#check, silence, 2);
    this.#gap = { from: at, missed: null };
    // The late run began and was never heard of again.
    if (isStart && due > 0) this.#late = null;
    if (missed !== null && due === 0) this.#late = missed;
    else if (missed !== null) this.#counts.push({ run: missed, silence, more: 0 });
    else if (due > 1) this.#missLater(silence, -1);
  }

  /** No sign of the job came. Runs whose grace time is over were missed. */
  #giveUp(at: Instant): void {
    if (this.#gap === null) return;
    const silence = this.#silenceUntil(at - beginLimit(this.#check));
    const { missed } = this.#gap;
    if (missed !== null) this.#counts.push({ run: missed, silence, more: 1 });
    else if (dueRuns(this.#check, silence, 1) > 0) this.#missLater(silence, 0);
  }

  /** Adds runs that were missed while the check was already down. */
  #missLater(silence: Silence, more: number): void {
    this.#late = null;
    const due = nextDue(this.#check, silence.from) ?? silence.until;
    const at = Math.min(due + beginLimit(this.#check), Math.max(due, silence.until));
    this.#counts.push({ run: this.#add({ ...UNENDED, result: 'missed', at, missed: 1 }), silence, more });
  }

  #silenceUntil(until: Instant): Silence {
    const from = this.#gap?.from ?? until;
    return { from, until, endedAt: this.#endedAt ?? from - beginLimit(this.#check) };
  }

  #countMissed(): void {
    let left = MAX_MISSED_RUNS + 1;
    for (const { run, silence, more } of this.#counts.toReversed()) {
      run.missed = Math.max(1, dueRuns(this.#check, silence, Math.max(0, left - more)) + more);
      left -= run.missed;
    }
  }

  #end({ n, rid, exitStatus, runFlags }: RunPing, signal: 'success' | 'fail', at: Instant): void {
    const open = this.#take(rid, at);
    if (this.#watched === rid || signal === 'fail' || rid === null) this.#unwatch(at);
    const isKnown = open !== undefined && at - open.startedAt < MAX_RUN;
    const isOverdue = this.#replaceOverdue(open);
    this.#add({
      result: signal === 'fail' ? 'failed' : isOverdue ? 'late' : runFlags ? 'warned' : 'ok',
      at,
      startedAt: isKnown ? open.startedAt : null,
      endedAt: at,
      duration: isKnown ? Math.max(0, at - open.startedAt) : null,
      startN: isKnown ? open.startN : null,
      endN: n,
      exitStatus,
      missed: 0,
    });
  }

  /** The run that ends `at`, if its start is known. */
  #take(rid: string | null, at: Instant): OpenRun | undefined {
    const open = this.#open.get(rid);
    if (open === undefined || isOfEarlierRun(rid, at, open.startedAt)) return undefined;
    this.#open.delete(rid);
    return open;
  }

  /** A run that began after the one that ends `at` is still watched. */
  #unwatch(at: Instant): void {
    const open = this.#watched === undefined ? undefined : this.#open.get(this.#watched);
    if (open === undefined || at >= open.startedAt) this.#watched = undefined;
  }

  /** Removes the entry of the run that ends now, if it already has one because it was overdue. */
  #replaceOverdue(open: OpenRun | undefined): boolean {
    const late = this.#late;
    this.#late = null;
    if (late !== null) this.#runs.delete(late);
    if (open?.reported) this.#runs.delete(open.reported);
    return late !== null || (open !== undefined && open.reported !== null);
  }

  #add(run: Draft): Draft {
    this.#runs.add(run);
    return run;
  }
}

const UNENDED: Omit<Run, 'result' | 'at'> = {
  missed: 0,
  startedAt: null,
  endedAt: null,
  duration: null,
  startN: null,
  endN: null,
  exitStatus: null,
};

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
  const durations = runs
    .filter(isGood)
    .flatMap(({ duration }) => (duration === null ? [] : [duration]))
    .slice(-USUAL_RUNS)
    .toSorted((a, b) => a - b);
  const upper = durations[durations.length >> 1];
  if (upper === undefined) return null;
  const lower = durations[(durations.length - 1) >> 1] as Micros;
  return Math.round((lower + upper) / 2);
}

const SLOW_FACTOR = 2;
const SLOW_FROM: Micros = seconds(60);

/** When the open run has lasted unusually long. Null if no run is open or the usual duration is not known. */
export function slowAt(check: Pick<Timed, 'lastStartAt'>, usual: Micros | null): Instant | null {
  if (check.lastStartAt === null || usual === null) return null;
  return check.lastStartAt + Math.max(SLOW_FACTOR * usual, SLOW_FROM);
}

/** Whether the open run lasts longer than twice the usual duration, and longer than a minute. */
export function isSlow(check: Pick<Timed, 'lastStartAt'>, usual: Micros | null, now: Instant): boolean {
  const from = slowAt(check, usual);
  return from !== null && now > from;
}
