import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { Flip } from '../check/flip.ts';
import { deadlineOf, isRunOverdue, statusAt, type Timed } from '../check/status.ts';
import { MAX_RUN, type Ping } from '../ping/ping.ts';
import { nextOccurrence } from '../schedule/schedule.ts';

/**
 * How a run went.
 * - `late`: it succeeded, but only after its deadline, when the check was already down.
 * - `failed`: it reported a failure, or did not end within the grace time and has not ended since.
 * - `missed`: the deadline passed, and no run came before the next one was due.
 */
export type RunResult = 'ok' | 'failed' | 'late' | 'missed' | 'running';

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
}

export type RunPing = Pick<Ping, 'n' | 'createdAt' | 'signal' | 'rid' | 'exitStatus'>;
export type RunFlip = Pick<Flip, 'createdAt' | 'newStatus' | 'reason'>;

/** What is known about a check. Earlier pings and flips may be missing. */
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
  readonly startN: number | null;
  readonly reported: Run | null;
}

/** A missed run. What comes before `until` is that run, only later. */
interface Silence {
  readonly missed: Run;
  readonly until: Instant | null;
}

class RunJournal {
  readonly #check: Timed;
  readonly #runs = new Set<Run>();
  readonly #open = new Map<string | null, OpenRun>();
  /** The rid of the run that the deadline depends on: the one that started last. Undefined if there is none. */
  #watched: string | null | undefined;
  #silence: Silence | null = null;

  constructor(check: Timed) {
    this.#check = check;
  }

  flip(flip: RunFlip): void {
    if (flip.newStatus === 'down' && flip.reason === 'timeout') this.#miss(flip.createdAt);
    if (flip.newStatus === 'paused' || flip.newStatus === 'new') {
      this.#watched = undefined;
      this.#silence = null;
    }
  }

  ping(ping: RunPing): void {
    if (ping.signal === 'start') {
      this.#open.set(ping.rid, { startedAt: ping.createdAt, startN: ping.n, reported: null });
      this.#watched = ping.rid;
    }
    if (ping.signal === 'success' || ping.signal === 'fail') this.#end(ping, ping.signal);
  }

  finish(now: Instant): Run[] {
    const { lastStartAt, runReported } = this.#check;
    const deadline = deadlineOf(this.#check);
    // The deadline loop may not have noticed yet.
    const isUnnoticed =
      deadline !== null && this.#check.status !== 'down' && statusAt(this.#check, now) === 'down';
    if (isUnnoticed) this.#miss(deadline);
    if (lastStartAt !== null)
      this.#add(this.#openRun(lastStartAt, runReported || isRunOverdue(this.#check, now)));
    return [...this.#runs];
  }

  #openRun(startedAt: Instant, isReported: boolean): Run {
    const open = this.#watched === undefined ? undefined : this.#open.get(this.#watched);
    if (open?.startedAt === startedAt && open.reported !== null) return open.reported;
    const startN = open?.startedAt === startedAt ? open.startN : null;
    const result = isReported ? 'failed' : 'running';
    return { ...UNENDED, result, at: startedAt, startedAt, startN };
  }

  #miss(at: Instant): void {
    const open = this.#watched === undefined ? undefined : this.#open.get(this.#watched);
    if (open !== undefined && at >= open.startedAt + seconds(this.#check.graceSeconds)) {
      const { startedAt, startN } = open;
      const reported = this.#add({ ...UNENDED, result: 'failed', at, startedAt, startN });
      this.#open.set(this.#watched as string | null, { ...open, reported });
      return;
    }
    const missed = this.#add({ ...UNENDED, result: 'missed', at });
    this.#silence = { missed, until: nextDue(this.#check, at) };
  }

  #end({ n, createdAt, rid, exitStatus }: RunPing, signal: 'success' | 'fail'): void {
    const open = this.#open.get(rid);
    this.#open.delete(rid);
    if (this.#watched === rid || signal === 'fail' || rid === null) this.#watched = undefined;
    const isKnown = open !== undefined && createdAt - open.startedAt < MAX_RUN;
    const isOverdue = this.#replaceOverdue(open, createdAt);
    this.#add({
      result: signal === 'fail' ? 'failed' : isOverdue ? 'late' : 'ok',
      at: createdAt,
      startedAt: isKnown ? open.startedAt : null,
      endedAt: createdAt,
      duration: isKnown ? createdAt - open.startedAt : null,
      startN: isKnown ? open.startN : null,
      endN: n,
      exitStatus,
    });
  }

  /** Removes the entry of the run that ends now, if it already has one because it was overdue. */
  #replaceOverdue(open: OpenRun | undefined, endedAt: Instant): boolean {
    const silence = this.#silence;
    this.#silence = null;
    const isSameRun = silence !== null && (silence.until === null || endedAt < silence.until);
    if (isSameRun) this.#runs.delete(silence.missed);
    if (open?.reported) this.#runs.delete(open.reported);
    return isSameRun || (open !== undefined && open.reported !== null);
  }

  #add(run: Run): Run {
    this.#runs.add(run);
    return run;
  }
}

const UNENDED: Omit<Run, 'result' | 'at'> = {
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

/** The number of runs from which the usual duration is known. */
export const USUAL_RUNS = 20;

/** The median duration of the last successful runs. Null if none has a duration. */
export function usualDuration(runs: readonly Run[]): Micros | null {
  const durations = runs
    .filter(({ result }) => result === 'ok' || result === 'late')
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
