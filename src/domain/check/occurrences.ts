import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { countOccurrences, lastOccurrences, nextOccurrence, type Stretch } from '../schedule/schedule.ts';
import type { Check } from './check.ts';
import { rulesOf } from './run-rules.ts';
import {
  aliveAt,
  beginLimit,
  endOfRun,
  isRunOverdue,
  isWithin,
  quietSpanOf,
  runLimit,
  type Span,
  type Timed,
} from './status.ts';

/** The fields that say when runs are expected. */
export type Scheduled = Pick<Timed, 'kind' | 'timeoutSeconds' | 'schedule' | 'tz'>;

/** The fields that say which runs are expected, and until when. */
export type Expecting = Scheduled & Pick<Check, 'graceSeconds' | 'runRules' | 'timedAt'>;

/** Times in which nothing is expected (quiet), or in which nobody watched (blind). In any order. */
export interface Unwatched {
  readonly quiet: readonly Span[];
  readonly blind: readonly Span[];
}

export const ALWAYS_WATCHED: Unwatched = { quiet: [], blind: [] };

/** What the check itself knows of such times: its last quiet time. */
export function knownUnwatched(check: Pick<Timed, 'quietFromAt' | 'quietUntilAt'>): Unwatched {
  const quiet = quietSpanOf(check);
  return quiet === null ? ALWAYS_WATCHED : { quiet: [quiet], blind: [] };
}

/**
 * What became of an occurrence that no run came for.
 * - `missed`: nobody knows why.
 * - `skipped`: it was in a quiet time, or another run was still within its limit.
 * - `unknown`: its deadline passed while nobody watched.
 */
export type NoShow = 'missed' | 'skipped' | 'unknown';

/** Occurrences one after the other of which the same became. */
export interface NoShows {
  readonly result: NoShow;
  readonly count: number;
  readonly first: Instant;
  /** The newest of them, oldest first. A gap lists 30 at the most. */
  readonly listed: readonly Instant[];
}

/** Occurrences between two ends that are listed one by one. */
export const MAX_LISTED = 30;

/** Runs missed before a failure that are counted, at most. More make no difference to anybody, and pings wait for the count. */
export const MAX_MISSED = 100;

/** The time between two ends. */
export interface Gap {
  /** The end of the run before. A period counts from it. */
  readonly from: Instant;
  /** When the run began that ends the gap. Null if that is not known. */
  readonly startedAt: Instant | null;
  /** Its last sign of life before its end. Null: its start. */
  readonly aliveAt: Instant | null;
  readonly endedAt: Instant;
}

/** Every occurrence of a gap: the one that the later end claims, and those that nobody does. */
export interface GapAccount {
  readonly claimed: Instant | null;
  readonly noShows: readonly NoShows[];
}

/**
 * Accounts for the occurrences of a gap. The later end claims the last one that is not after its beginning, or else not after
 * its end. Occurrences before the timing of the check was last changed are left out.
 */
export function closeGap(check: Expecting, gap: Gap, unwatched = ALWAYS_WATCHED): GapAccount {
  const { claimed, judge } = judgeGap(check, gap, unwatched);
  return { claimed, noShows: judge?.noShows() ?? [] };
}

interface JudgedGap {
  readonly claimed: Instant | null;
  /** Null: nobody has missed anything. */
  readonly judge: Judge | null;
}

/** `most`: so many missed runs are looked for, and no others. Null: all are. */
function judgeGap(check: Expecting, gap: Gap, unwatched: Unwatched, most: number | null = null): JudgedGap {
  const times = new Times(check, gap.from, unwatched.quiet);
  const after = Math.max(gap.from, check.timedAt ?? gap.from);
  const { hasTwoLimits } = rulesOf(check);
  const end = countedAt(check, gap.endedAt);
  const first = times.next(after);
  if (first === null || first > end) return { claimed: null, judge: null };
  // Most gaps have one occurrence.
  const second = times.next(first);
  if (second === null || second > end) return { claimed: first, judge: null };
  const { startedAt } = gap;
  const started = startedAt !== null && hasTwoLimits ? countedAt(check, startedAt) : (startedAt ?? end);
  // Clocks of jobs may say that a run ended before it began.
  const begin = Math.min(started, end);
  const claimed =
    times.last({ after, until: begin }, 1)[0] ?? times.last({ after, until: end }, 1)[0] ?? null;
  const busy =
    startedAt === null ? null : { from: startedAt, until: busyUntil(check, gap.aliveAt ?? startedAt) };
  const judge = new Judge(check, unwatched, times, claimed, { most });
  judge.take({ after, until: Math.max(gap.endedAt, claimed ?? 0) }, busy);
  return { claimed, judge };
}

/** Until when a run keeps others from being expected: as long as it is within its limit. */
function busyUntil(check: Expecting, alive: Instant): Instant {
  const limit = runLimit(check);
  return limit === Number.POSITIVE_INFINITY ? alive : alive + limit;
}

/** The time for which a run counts: its own, or that of the occurrence that it comes before by little. */
export function countedAt(check: Expecting, at: Instant): Instant {
  const { early } = rulesOf(check);
  if (early === 0 || check.kind === 'simple') return at;
  const times = new Times(check, at);
  const next = times.next(at);
  if (next === null || next - at > early) return at;
  const following = times.next(next);
  return following !== null && next - at > (following - next) / 2 ? at : next;
}

/** A check whose last end was at `from`, and of which nothing came since. */
type Waiting = Expecting & Timed;

/** The first occurrence after the end of a run that is judged by today's timing. Null if there is none. */
export function firstDue(check: Expecting, from: Instant): Instant | null {
  return new Times(check, from).next(Math.max(from, check.timedAt ?? from));
}

/**
 * Accounts for the occurrences since the last end whose deadline has passed. `from` is null if nothing is expected. `fellAt`: when the
 * check went down because nothing came, whatever the limits are by now.
 */
export function openGap(
  check: Waiting,
  from: Instant | null,
  unwatched: Unwatched,
  now: Instant,
  fellAt: Instant | null = null,
): NoShows[] {
  const { judge, isPutOff } = judgeOpen(check, from, unwatched, now, { fellAt });
  if (judge === null) return [];
  // What an open run skips by lasting long is not known before its end.
  const isQuiet = (at: Instant) => unwatched.quiet.some((span) => isWithin(span, at));
  return judge
    .noShows()
    .filter(
      ({ result, first }) =>
        result === 'unknown' ||
        (result === 'missed' && !isPutOff) ||
        (result === 'skipped' && isQuiet(first)),
    );
}

interface JudgedOpen {
  /** Null: nothing is expected. */
  readonly judge: Judge | null;
  /** Whether the open run has lasted too long. */
  readonly isOverdue: boolean;
  /** Whether what was missed is not judged yet. */
  readonly isPutOff: boolean;
}

/** `most`: so many missed runs are looked for, and no others. Null: all are. */
function judgeOpen(
  check: Waiting,
  from: Instant | null,
  unwatched: Unwatched,
  now: Instant,
  { most = null, fellAt = null }: { readonly most?: number | null; readonly fellAt?: Instant | null },
): JudgedOpen {
  if (check.status === 'paused') return { judge: null, isOverdue: false, isPutOff: false };
  const alive = aliveAt(check);
  const isOverdue = alive !== null && isRunOverdue(check, now) && alive + runLimit(check) > (from ?? 0);
  if (from === null) return { judge: null, isOverdue, isPutOff: false };
  const times = new Times(check, from, unwatched.quiet);
  const after = Math.max(from, check.timedAt ?? from);
  const { lastStartAt } = check;
  const { hasTwoLimits } = rulesOf(check);
  const begin = lastStartAt === null ? null : hasTwoLimits ? countedAt(check, lastStartAt) : lastStartAt;
  const claimed = begin === null ? null : (times.last({ after, until: begin }, 1)[0] ?? null);
  // With one limit a run has to end in time, not only to begin.
  const judge = new Judge(check, unwatched, times, hasTwoLimits || isOverdue ? claimed : null, { now, most });
  const busy =
    lastStartAt === null || alive === null ? null : { from: lastStartAt, until: busyUntil(check, alive) };
  const fallen = fellAt === null ? null : times.next(after);
  const judged = fallen !== null && fallen <= (fellAt ?? 0) ? fallen : after;
  judge.take({ after, until: Math.max(now - beginLimit(check), judged) }, busy, claimed);
  return { judge, isOverdue, isPutOff: (check.excusedUntilAt ?? 0) > now };
}

/** The last end from which occurrences are expected. Null if none are. */
export function lastEndOf(check: Waiting): Instant | null {
  const { status, lastPingAt, lastFlipAt } = check;
  if (status === 'paused' || lastPingAt === null) return null;
  const from = countedAt(check, lastPingAt);
  return status === 'new' ? Math.max(from, lastFlipAt ?? from) : from;
}

/** The number of runs missed before an end at `endedAt`, of a run that began at `startedAt` if that is known. At most `MAX_MISSED`. */
export function missedBefore(
  check: Waiting,
  startedAt: Instant | null,
  endedAt: Instant,
  unwatched = knownUnwatched(check),
): number {
  const from = lastEndOf(check);
  if (from === null || endedAt <= from) return 0;
  const gap = { from, startedAt, aliveAt: startedAt === null ? null : aliveAt(check), endedAt };
  return judgeGap(check, gap, unwatched, MAX_MISSED).judge?.missed ?? 0;
}

/**
 * The bad runs in a row at `now`: failing ends with what was missed before them, what was missed since, and an open run that has
 * lasted too long. Of those that were missed since, at most one more than `most` are counted.
 */
export function badRunsAt(
  check: Waiting & Pick<Check, 'badCount'>,
  unwatched: Unwatched,
  now: Instant,
  most = MAX_MISSED,
): number {
  const { judge, isOverdue, isPutOff } = judgeOpen(check, lastEndOf(check), unwatched, now, {
    most: most + 1,
  });
  const missed = judge === null || isPutOff ? 0 : judge.missed;
  // The open run will claim one of them by its end.
  const own = isOverdue && judge?.claimed === null && missed > 0 ? 1 : 0;
  return check.badCount + missed - own + Number(isOverdue);
}

/**
 * When there were, or will be, `most` bad runs in a row if nothing comes: a deadline since the last end. Null if that does not
 * happen.
 */
export function badRunsReach(
  check: Waiting & Pick<Check, 'badCount'>,
  unwatched: Unwatched,
  most: number,
): Instant | null {
  const since = lastEndOf(check) ?? aliveAt(check);
  return since === null ? null : badRunsReachAt(check, unwatched, most, since);
}

/** When there are `most` bad runs in a row if nothing comes from now on. Null if that does not happen. */
export function badRunsReachAt(
  check: Waiting & Pick<Check, 'badCount'>,
  unwatched: Unwatched,
  most: number,
  now: Instant,
): Instant | null {
  for (let at: Instant | null = now; at !== null; at = nextJudgedAt(check, unwatched, at)) {
    if (badRunsAt(check, unwatched, at, most) >= most) return at;
  }
  return null;
}

/** When the next deadline after `now` passes that makes a bad run, or one that may. Null if there is none. */
export function nextJudgedAt(check: Waiting, unwatched: Unwatched, now: Instant): Instant | null {
  const from = lastEndOf(check);
  const overdueAt = endOfRun(check);
  const ofRun = overdueAt !== null && overdueAt > now ? overdueAt : null;
  const missedAt = from === null ? null : nextMissAt(check, from, unwatched, now);
  return ofRun === null || missedAt === null ? (ofRun ?? missedAt) : Math.min(ofRun, missedAt);
}

function nextMissAt(check: Waiting, from: Instant, unwatched: Unwatched, now: Instant): Instant | null {
  const limit = beginLimit(check);
  const putOffTo = check.excusedUntilAt ?? 0;
  const { quiet } = unwatched;
  const times = new Times(check, from, quiet);
  const alive = aliveAt(check);
  // The occurrence at which the open run began is its own.
  const busy =
    alive === null ? [] : [{ from: (check.lastStartAt ?? alive) + 1, until: busyUntil(check, alive) }];
  // What is judged while nobody watches is not bad.
  const blind = unwatched.blind.map((span) => ({ from: span.from - limit, until: span.until - limit }));
  const left = [...quiet, ...blind, ...busy];
  // What is put off is judged together.
  const pending = quiet
    .filter((span) => isPendingAfter(span, limit, now))
    .map((span) => span.from - limit - 1);
  const since = putOffTo > now ? from : Math.max(from, Math.min(now - limit, ...pending));
  let at = times.next(Math.max(since, check.timedAt ?? since));
  for (;;) {
    const due = at;
    if (due === null) return null;
    const span = left.find((one) => isWithin(one, due));
    if (span === undefined) {
      const deadline = Math.max(judgedAt(due, limit, quiet), putOffTo);
      if (deadline > now) return deadline;
    }
    at = times.next(span === undefined ? due : span.until - 1);
  }
}

/** When it is judged whether a run came for an occurrence outside of quiet times: one after a quiet time, if that is in between. */
function judgedAt(due: Instant, limit: Micros, quiet: readonly Span[]): Instant {
  const span = quiet.find((one) => isWithin(one, due + limit));
  return span === undefined ? due + limit : span.until + limit;
}

/** Whether what was due shortly before the quiet time is still to be judged. */
function isPendingAfter({ from, until }: Span, limit: Micros, now: Instant): boolean {
  return from <= now && now < until + limit;
}

/** The occurrences of a check. Those of a period count from `base`. A schedule that cannot be evaluated has none. */
class Times {
  readonly #check: Scheduled;
  readonly #rhythms: readonly Rhythm[];

  constructor(check: Scheduled, base: Instant, quiet: readonly Span[] = []) {
    this.#check = check;
    this.#rhythms = check.kind === 'simple' ? rhythmsOf(base, seconds(check.timeoutSeconds), quiet) : [];
  }

  next(after: Instant): Instant | null {
    const { kind, schedule, tz } = this.#check;
    if (kind === 'simple') return firstOf(this.#rhythms, (rhythm) => rhythm.next(after));
    return safely(() => nextOccurrence(schedule, tz, after), null);
  }

  /** How many there are, or `most` if there are more. */
  count({ after, until }: Stretch, most: number | null = null): number {
    if (after >= until) return 0;
    if (most !== null) return this.#countUpTo(after, until, most);
    const { kind, schedule, tz } = this.#check;
    if (kind === 'simple')
      return this.#rhythms.reduce((sum, rhythm) => sum + rhythm.count(until) - rhythm.count(after), 0);
    return safely(() => countOccurrences(schedule, tz, { after, until }), 0);
  }

  #countUpTo(after: Instant, until: Instant, most: number): number {
    let count = 0;
    for (let at = after; count < most; count++) {
      const next = this.next(at);
      if (next === null || next > until) break;
      at = next;
    }
    return count;
  }

  /** The last ones, oldest first. */
  last({ after, until }: Stretch, most: number): Instant[] {
    if (after >= until) return [];
    const { kind, schedule, tz } = this.#check;
    if (kind !== 'simple') return safely(() => lastOccurrences(schedule, tz, { after, until }, most), []);
    const found: Instant[] = [];
    for (const rhythm of this.#rhythms.toReversed()) {
      const count = rhythm.count(until);
      const number = Math.min(most - found.length, count - rhythm.count(after));
      found.unshift(...Array.from({ length: number }, (_, index) => rhythm.at(count - number + index)));
    }
    return found;
  }
}

function firstOf<T>(items: readonly T[], find: (item: T) => Instant | null): Instant | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

/** Occurrences one period apart, so many at most. */
class Rhythm {
  readonly #first: Instant;
  readonly #period: Micros;
  readonly #most: number;

  constructor(first: Instant, period: Micros, most: number) {
    this.#first = first;
    this.#period = period;
    this.#most = most;
  }

  at(index: number): Instant {
    return this.#first + index * this.#period;
  }

  /** How many there are until then, that instant included. */
  count(until: Instant): number {
    return Math.min(this.#most, Math.max(0, Math.floor((until - this.#first) / this.#period) + 1));
  }

  next(after: Instant): Instant | null {
    const index = this.count(after);
    return index < this.#most ? this.at(index) : null;
  }
}

/** A period counts from the last end. An occurrence in a quiet time is skipped, and its end takes its place. */
function rhythmsOf(base: Instant, period: Micros, quiet: readonly Span[]): Rhythm[] {
  const rhythms: Rhythm[] = [];
  let first = base + period;
  for (const { from, until } of quiet.toSorted((one, other) => one.from - other.from)) {
    const index = Math.max(0, Math.ceil((from - first) / period));
    if (first + index * period >= until) continue;
    rhythms.push(new Rhythm(first, period, index + 1));
    first = until;
  }
  return [...rhythms, new Rhythm(first, period, Number.POSITIVE_INFINITY)];
}

function safely<T>(find: () => T, otherwise: T): T {
  try {
    return find();
  } catch {
    return otherwise;
  }
}

/** Says of the occurrences in stretches of time what became of them. */
class Judge {
  readonly #times: Times;
  /** It came. */
  readonly claimed: Instant | null;
  readonly #most: number | null;
  #missed = 0;
  readonly #closed: readonly { readonly result: NoShow | null; readonly span: Span }[];
  readonly #found: { result: NoShow; after: Instant; until: Instant; count: number }[] = [];

  /**
   * What a quiet time has put off is not judged before `now`. With `most`, only so many missed runs are looked for: `missed` has their
   * number, and there are no `noShows`.
   */
  constructor(
    check: Expecting,
    { quiet, blind }: Unwatched,
    times: Times,
    claimed: Instant | null,
    { now = Number.POSITIVE_INFINITY, most }: { readonly now?: Instant; readonly most: number | null },
  ) {
    const limit = beginLimit(check);
    this.#times = times;
    this.claimed = claimed;
    this.#most = most;
    this.#closed = [
      ...quiet.map((span) => ({ result: 'skipped' as const, span })),
      ...quiet
        .filter((span) => isPendingAfter(span, limit, now))
        .map(({ from }) => ({ result: null, span: { from: from - limit, until: from } })),
      // An occurrence is judged when its deadline passes.
      ...blind.map(({ from, until }) => ({
        result: 'unknown' as const,
        span: { from: from - limit, until: until - limit },
      })),
    ];
  }

  /** After the beginning of a run that is `busy`, and while it is within its limit, others are skipped. */
  take({ after, until }: Stretch, busy: Span | null, claimed: Instant | null = null): void {
    // What a run claims by its beginning is not skipped because of it.
    const from = busy === null ? until : Math.max(busy.from, claimed ?? 0);
    this.#classify(after, Math.min(from, until));
    if (busy === null) return;
    const end = Math.min(until, Math.max(from, busy.until - 1));
    this.#add('skipped', Math.max(after, from), end);
    this.#classify(Math.max(after, from, end), until);
  }

  get missed(): number {
    return this.#missed;
  }

  /** The occurrences in order of time. */
  noShows(): NoShows[] {
    let room = MAX_LISTED;
    const listed = this.#found.toReversed().map(({ result, after, until, count }) => {
      const stretch = { after, until };
      const last = this.#times.last(stretch, Math.min(room, count) + 1).filter((at) => at !== this.claimed);
      const some = room === 0 ? [] : last.slice(-Math.min(room, count));
      room -= some.length;
      return { result, count, first: this.#firstIn(stretch), listed: some };
    });
    return listed.reverse();
  }

  #firstIn({ after, until }: Stretch): Instant {
    const first = this.#times.next(after) ?? until;
    return first === this.claimed ? (this.#times.next(first) ?? until) : first;
  }

  #classify(after: Instant, until: Instant): void {
    const bounds = new Set([until]);
    for (const { span } of this.#closed)
      for (const bound of [span.from - 1, span.until - 1])
        if (bound > after && bound < until) bounds.add(bound);
    let from = after;
    for (const bound of [...bounds].sort((one, other) => one - other)) {
      const closed = this.#closed.find(({ span }) => span.from <= bound && bound < span.until);
      const result = closed === undefined ? 'missed' : closed.result;
      if (result !== null) this.#add(result, from, bound);
      from = bound;
    }
  }

  #add(result: NoShow, after: Instant, until: Instant): void {
    const stretch = { after, until };
    const { claimed } = this;
    const own = claimed !== null && claimed > after && claimed <= until ? 1 : 0;
    if (this.#most !== null) {
      const room = result === 'missed' ? this.#most - this.#missed : 0;
      if (room > 0) this.#missed += Math.min(room, this.#times.count(stretch, room + own) - own);
      return;
    }
    const count = this.#times.count(stretch) - own;
    if (count <= 0) return;
    const last = this.#found.at(-1);
    const isAfterRun =
      last !== undefined && claimed !== null && last.after < claimed && claimed <= last.until;
    if (last?.result !== result || isAfterRun) this.#found.push({ result, ...stretch, count });
    else
      this.#found[this.#found.length - 1] = { result, after: last.after, until, count: last.count + count };
  }
}
