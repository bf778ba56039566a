import { isTold } from '../../src/domain/alert/delivery.ts';
import type { Check } from '../../src/domain/check/check.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import type { Span } from '../../src/domain/check/status.ts';
import { nextOccurrence } from '../../src/domain/schedule/schedule.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import { dueOutside, putOff, type RecordedSpan, spansWithin } from './naive-quiet.ts';
import { type JudgedEnd, judgedEnd, rulesIn } from './naive-rules.ts';
import type { PingRow } from './observed.ts';
import type { Report } from './report.ts';
import { Violation } from './violation.ts';

export { isTold };

/** What a check waits for, worked out from its history alone and as plainly as can be. */
export interface Waiting {
  readonly lastPing: Instant | null;
  /** The open run, if one is open. */
  readonly openStart: Instant | null;
  readonly openRid: string | null;
  /** Its last progress. */
  readonly alive: Instant | null;
  /** Whether it has taken the check down, or has to be overlooked; null when that cannot be told. */
  readonly isReported: boolean | null;
}

const NOTHING: Waiting = { lastPing: null, openStart: null, openRid: null, alive: null, isReported: false };
const NO_RUN = { openStart: null, openRid: null, alive: null, isReported: false } as const;

export type Timing = Pick<Check, 'kind' | 'timeoutSeconds' | 'schedule' | 'tz' | 'graceSeconds' | 'runRules'>;

/** The timing of a check at that time; null when it was just being changed. */
export type TimingAt = (at: Instant) => Timing | null;

/** More than rows say. */
export interface Known {
  readonly timingAt: TimingAt;
  /** What the job has told, by the mark of its try. Absent: what is stored is believed. */
  reportOf?(mark: string): Report | undefined;
  /** The quiet times of the check, oldest first. */
  quietSpans(): readonly RecordedSpan[];
  /** Whether nothing kept a deadline between those times from being watched, and it was not changed. */
  isWatched?(from: Instant, until: Instant): boolean;
}

/** The status, and since when; null: since the check was made. */
interface Changed {
  readonly status: Flip['newStatus'];
  readonly at: Instant | null;
}

type Event = { readonly at: Instant; readonly order: number } & (
  | { readonly ping: PingRow; readonly flip: null }
  | { readonly ping: null; readonly flip: Flip }
);

/** Replays the history of a check, ping by ping. */
export class NaiveCheck {
  readonly #uuid: string;
  readonly #known: Known;
  #waiting = NOTHING;
  #changed: Changed = { status: 'new', at: null };
  /** Whether it is known what the check waits for. A late ping may count or not, if the timing was just being changed. */
  #isSure = true;
  #lastEventAt: Instant = 0;
  #lastFlags = 0;
  #lastDuration: Micros | null = null;
  /** The causes of the failures that came last, all at the same time. */
  #failures: { readonly at: Instant; readonly causes: readonly string[] } = { at: 0, causes: [] };
  /** Late pings that change nothing, by their numbers. */
  readonly oldNews = new Set<number>();

  constructor(uuid: string, known: Known) {
    this.#uuid = uuid;
    this.#known = known;
  }

  /** Null when it cannot be told. */
  get waiting(): Waiting | null {
    return this.#isSure ? this.#waiting : null;
  }

  /** Pings that came since, and flips that were recorded since, oldest first. */
  take(pings: readonly PingRow[], flips: readonly Flip[]): void {
    const events: Event[] = [
      ...pings.map((ping) => ({ at: ping.createdAt, order: 0, ping, flip: null })),
      ...flips.map((flip) => ({ at: flip.createdAt, order: orderOf(flip), ping: null, flip })),
    ].sort((one, other) => one.at - other.at || one.order - other.order);
    for (const { at, ping, flip } of events) {
      if (ping !== null) this.#takePing(ping);
      else this.#takeFlip(flip);
      this.#lastEventAt = at;
    }
  }

  #takeFlip(flip: Flip): void {
    const { newStatus, reason, cause, createdAt } = flip;
    if (newStatus === 'paused') this.#waiting = { ...this.#waiting, ...NO_RUN };
    // A start has done it already, at the same time.
    if (newStatus === 'new' && this.#changed.status === 'paused') this.#resume(createdAt);
    this.#changed = { status: newStatus, at: createdAt };
    if (newStatus === 'down' && this.#waiting.openStart !== null && reason !== 'fail')
      // An edit that takes a check down does so for its run or for its schedule, nobody knows.
      this.#waiting = {
        ...this.#waiting,
        isReported: reason === '' ? null : this.#waiting.isReported || cause === 'overran',
      };
    const { at, causes } = this.#failures;
    if (reason === 'fail' && at === createdAt && !causes.includes(cause))
      throw new Violation(`it went down for ${cause}, not for ${causes.join(' or ')}`, this.#uuid);
  }

  #takePing(row: PingRow): void {
    const { createdAt: came, occurredAt, signal, n } = row;
    const timing = this.#known.timingAt(came);
    this.#requireOutage(row, timing);
    const judged = this.#requireJudged(row, timing);
    if (occurredAt !== null) {
      if (timing === null) this.#isSure = false;
      else if (this.#isOldNews(row, occurredAt, timing)) {
        if (this.#isSure) this.oldNews.add(n);
        return;
      }
    }
    const at = occurredAt ?? came;
    if (signal === 'start') {
      if (this.#changed.status === 'paused') this.#resume(came);
      this.#open(at, row.rid);
    } else if (signal === 'progress' && this.#changed.status !== 'paused') {
      const { openStart, openRid } = this.#waiting;
      const isOwn = openStart !== null && (row.rid === null || row.rid === openRid);
      if (isOwn) this.#waiting = { ...this.#waiting, alive: at };
      else this.#open(at, row.rid);
    } else if (signal === 'success' || signal === 'fail') this.#end(row, at, timing, judged);
  }

  #isOldNews(row: PingRow, at: Instant, timing: Timing): boolean {
    const spans = this.#spansSince(Math.min(at, sinceOf(this.#waiting)), row.createdAt);
    if (spans === null) this.#isSure = false;
    return spans !== null && !isNews(row, this.#waiting, this.#changed, timing, spans);
  }

  /** The quiet time that counts for what it has waited for since then. Null: a check knows only the last one of several. */
  #spansSince(since: Instant, came: Instant): readonly Span[] | null {
    const spans = spansWithin(this.#known.quietSpans(), since, came);
    return spans.length > 1 || spans.some(({ isSure }) => !isSure) ? null : spans;
  }

  #resume(at: Instant): void {
    this.#waiting = NOTHING;
    this.#changed = { status: 'new', at };
  }

  #open(at: Instant, rid: string | null): void {
    this.#waiting = { ...this.#waiting, openStart: at, openRid: rid, alive: null, isReported: false };
  }

  #end(row: PingRow, at: Instant, timing: Timing | null, judged: JudgedEnd | null): void {
    const { rid, signal, createdAt, occurredAt } = row;
    const { openStart } = this.#waiting;
    // While nobody can tell which run is open, what is stored is believed.
    const startedAt = this.#isSure ? startOf(row, this.#waiting) : row.runStartedAt;
    const status = signal === 'success' ? 'up' : 'down';
    if (this.#changed.status !== status) this.#changed = { status, at: createdAt };
    this.#lastDuration = startedAt === null ? null : Math.max(0, at - startedAt);
    this.#lastFlags = signal === 'fail' ? 0 : (judged?.flags ?? row.runFlags ?? 0);
    if (signal === 'fail' && judged !== null) this.#noteFailure(createdAt, judged.cause);
    const closes = startedAt !== null || (at >= (openStart ?? at) && (signal === 'fail' || rid === null));
    if (closes) {
      this.#waiting = { ...NOTHING, lastPing: at };
      // Whatever was before, nothing of it is left.
      if (occurredAt === null) this.#isSure = true;
      return;
    }
    this.#waiting = { ...this.#waiting, lastPing: at };
    if (openStart === null || this.#waiting.isReported) return;
    // A run that should have ended by now must not ring after another one has shown that the job works.
    const limit = timing === null ? null : limitsOf(timing).run;
    const { isReported, alive } = this.#waiting;
    const since = alive ?? openStart;
    const spans = this.#spansSince(since, createdAt);
    const isOver = limit === null || spans === null ? null : putOff(since + limit, limit, spans) <= at;
    this.#waiting = { ...this.#waiting, isReported: isOver || (isReported === null ? null : isOver) };
  }

  #noteFailure(at: Instant, cause: string): void {
    const others = this.#failures.at === at ? this.#failures.causes : [];
    this.#failures = { at, causes: [...others, cause] };
  }

  /** A deadline that passed before the ping came is recorded, whatever the ping says. */
  #requireOutage({ createdAt: came, n }: PingRow, timing: Timing | null): void {
    const { isWatched } = this.#known;
    if (isWatched === undefined || timing === null || !this.#isSure) return;
    if (
      this.#waiting.isReported === null ||
      this.#changed.status === 'down' ||
      this.#changed.status === 'paused'
    )
      return;
    const spans = this.#spansSince(sinceOf(this.#waiting), came);
    if (spans === null) return;
    const excuse = { spans, until: null };
    const deadline = firstOf(naiveDeadlines(this.#waiting, this.#changed.status === 'up', timing, excuse));
    if (deadline === null || deadline.at > came || !isWatched(this.#lastEventAt, came)) return;
    throw new Violation(`the outage (${deadline.cause}) before ping ${n} is not recorded`, this.#uuid);
  }

  /** An end is what the rules make of it, and belongs to the run that it ends. */
  #requireJudged(row: PingRow, timing: Timing | null): JudgedEnd | null {
    const report = this.#known.reportOf?.(row.mark);
    if (report === undefined || timing === null || !this.#isSure || row.signal === 'ign') return null;
    const isEnd = report.signal === 'success' || report.signal === 'fail';
    const startedAt = isEnd ? startOf(row, this.#waiting) : null;
    const ranFor = startedAt === null ? null : (row.occurredAt ?? row.createdAt) - startedAt;
    const judged = isEnd ? judgedEnd(rulesIn(timing), report, ranFor) : null;
    const { signal, flags, numbers } = judged ?? { signal: report.signal, flags: null, numbers: null };
    const expected = JSON.stringify([signal, startedAt, flags, numbers]);
    const stored = JSON.stringify([row.signal, row.runStartedAt, row.runFlags, row.runNumbers]);
    if (stored !== expected)
      throw new Violation(`ping ${row.n} is stored as ${stored}, it should be ${expected}`, this.#uuid);
    return judged;
  }

  /** The row of the check says what follows from its history. */
  requireRow(check: Check): void {
    if (!this.#isSure) return;
    // Nothing says better whether an edit took the check down for its run.
    if (this.#waiting.isReported === null)
      this.#waiting = { ...this.#waiting, isReported: check.runReported };
    const { lastPing, openStart, openRid, alive, isReported } = this.#waiting;
    const expected = {
      lastPing,
      openStart,
      openRid,
      alive,
      isReported,
      flags: this.#lastFlags,
      duration: this.#lastDuration,
    };
    const stored: typeof expected = {
      lastPing: check.lastPingAt,
      openStart: check.lastStartAt,
      openRid: check.lastStartRid,
      alive: check.lastAliveAt,
      isReported: check.runReported,
      flags: check.lastFlags,
      duration: check.lastDuration,
    };
    if (JSON.stringify(stored) !== JSON.stringify(expected))
      throw new Violation(
        `it has ${JSON.stringify(stored)}, it should have ${JSON.stringify(expected)}`,
        this.#uuid,
      );
    requireDeadline(check, this.#waiting);
  }
}

/** A deadline that passes at that very time passes first. All else comes after the pings of the same time. */
function orderOf({ reason }: Flip): number {
  return reason === 'timeout' ? -1 : 1;
}

/** The beginning of the run that the ping ends; null when it is not the open one. */
function startOf({ rid, createdAt, occurredAt }: PingRow, { openStart, openRid }: Waiting): Instant | null {
  if (openStart === null || rid !== openRid) return null;
  return rid === null && (occurredAt ?? createdAt) < openStart ? null : openStart;
}

/**
 * The history, oldest first: pings that came until then, and flips that were recorded before. Null when it cannot be told
 * whether a late ping counts.
 */
export function judgedHistory(
  pings: readonly PingRow[],
  flips: readonly Flip[],
  known: Known,
): { readonly waiting: Waiting; readonly oldNews: ReadonlySet<number> } | null {
  const model = new NaiveCheck('', { timingAt: known.timingAt, quietSpans: known.quietSpans });
  model.take(pings, flips);
  const { waiting, oldNews } = model;
  return waiting === null ? null : { waiting, oldNews };
}

interface Limits {
  /** How long after its time a run may begin, and how long it may last. */
  readonly begin: Micros;
  readonly run: Micros;
  /** Whether a beginning is all that the schedule waits for. */
  readonly areTwo: boolean;
}

function limitsOf(timing: Timing): Limits {
  const { begin_within: begin, end_within: end } = rulesIn(timing);
  const grace = seconds(timing.graceSeconds);
  return {
    begin: begin === undefined ? grace : seconds(begin),
    run: end === undefined ? grace : end === 0 ? Number.POSITIVE_INFINITY : seconds(end),
    areTwo: begin !== undefined || end !== undefined,
  };
}

/** Whether a late ping still counts: nothing newer is known, and the check would not be down again by now. */
function isNews(
  row: PingRow,
  waiting: Waiting,
  changed: Changed,
  timing: Timing,
  spans: readonly Span[],
): boolean {
  const { signal, createdAt: now, occurredAt, rid } = row;
  const { lastPing, openStart, alive } = waiting;
  const at = occurredAt ?? now;
  const { run } = limitsOf(timing);
  if (signal === 'log' || signal === 'ign') return false;
  if (lastPing !== null && lastPing >= at) return false;
  const isReset = (changed.status === 'new' || changed.status === 'paused') && changed.at !== null;
  if (isReset && at < Math.min(changed.at, openStart ?? changed.at)) return false;
  if (signal === 'start' || signal === 'progress') {
    const last = signal === 'start' ? openStart : (alive ?? openStart);
    if (last !== null && last >= at) return false;
    return isAhead({ ...NOTHING, openStart: at }, timing, spans, now);
  }
  const ended: Waiting = { ...waiting, lastPing: at, isReported: false };
  const closes = signal === 'fail' || openStart === null || startOf(row, waiting) !== null;
  const isAfter = openStart !== null && rid === null && at >= openStart;
  if (closes || isAfter) return isAhead({ ...ended, ...NO_RUN }, timing, spans, now);
  // A run that had to be over by then is not waited for.
  const isOver = putOff((alive ?? openStart) + run, run, spans) <= at;
  // Nor is one that has taken the check down.
  const reported = isOver || waiting.isReported === true;
  return [isOver, reported].every((isReported) => isAhead({ ...ended, isReported }, timing, spans, now));
}

function isAhead(waiting: Waiting, timing: Timing, spans: readonly Span[], now: Instant): boolean {
  const deadline = firstOf(naiveDeadlines(waiting, true, timing, { spans, until: null }));
  return deadline === null || deadline.at > now;
}

export interface NaiveDeadline {
  readonly at: Instant;
  readonly cause: 'missed' | 'overran';
}

/** What puts deadlines off: quiet times, oldest first, and a time in which nobody watched. */
export interface Excuse {
  readonly spans: readonly Span[];
  readonly until: Instant | null;
}

/** Since when the check has waited at the earliest. Only an end makes it forget what was put off before. */
export function sinceOf({ lastPing, openStart }: Waiting): Instant {
  return lastPing === null ? 0 : Math.min(lastPing, openStart ?? lastPing);
}

/** When and why the check goes down by its configuration if nothing more comes, one for each thing that it waits for. */
export function naiveDeadlines(
  { lastPing, openStart, alive, isReported }: Waiting,
  isUp: boolean,
  timing: Timing,
  { spans, until }: Excuse,
): NaiveDeadline[] {
  const { begin, run, areTwo } = limitsOf(timing);
  const isWatchingRun = openStart !== null && !isReported;
  const deadlines: NaiveDeadline[] = [];
  const excused = (at: Instant, limit: Micros) => putOff(Math.max(at, until ?? 0), limit, spans);
  if (isWatchingRun && run < Number.POSITIVE_INFINITY)
    deadlines.push({ at: excused((alive ?? openStart) + run, run), cause: 'overran' });
  // With two limits an open run is a run that has come. One that may last for ever is the last that has come.
  const from =
    !isWatchingRun || !areTwo
      ? lastPing
      : run < Number.POSITIVE_INFINITY
        ? null
        : Math.max(openStart, lastPing ?? 0);
  const isExpecting = isUp || (isWatchingRun && areTwo);
  const due = from === null || !isExpecting ? null : dueAfter(from, timing);
  const expected = due === null ? null : dueOutside(due, timing, spans);
  if (expected !== null) deadlines.push({ at: excused(expected + begin, begin), cause: 'missed' });
  return deadlines;
}

/** When a check that has been silent since then goes down. */
export function deadlineSince(at: Instant, timing: Timing, spans: readonly Span[]): Instant {
  const deadlines = naiveDeadlines({ ...NOTHING, lastPing: at }, true, timing, { spans, until: null });
  return firstOf(deadlines)?.at ?? Number.POSITIVE_INFINITY;
}

export function firstOf(deadlines: readonly NaiveDeadline[]): NaiveDeadline | null {
  let first: NaiveDeadline | null = null;
  for (const deadline of deadlines) if (first === null || deadline.at < first.at) first = deadline;
  return first;
}

/** A run that has lasted too long by then is the cause, also where a time of the schedule was missed before. */
export function causeAt(deadlines: readonly NaiveDeadline[], at: Instant): NaiveDeadline['cause'] {
  return deadlines.some((deadline) => deadline.cause === 'overran' && deadline.at <= at)
    ? 'overran'
    : 'missed';
}

/** The first time of the schedule that a run at `from` does not count for. */
function dueAfter(from: Instant, timing: Timing): Instant | null {
  const { kind, timeoutSeconds, schedule, tz } = timing;
  if (kind === 'simple') return from + seconds(timeoutSeconds);
  const next = nextOccurrence(schedule, tz, from);
  const early = seconds(rulesIn(timing).early ?? 0);
  if (next === null || next - early > from) return next;
  const following = nextOccurrence(schedule, tz, next);
  const mayBeEarlyBy = following === null ? early : Math.min(early, (following - next) / 2);
  return next - from <= mayBeEarlyBy ? following : next;
}

/** A start takes a paused check out of the pause, at the same time. A late one may have been before the pause. */
export function judgeStarts({ uuid }: Check, pings: readonly PingRow[], flips: readonly Flip[]): void {
  const starts = pings.filter(({ signal, occurredAt }) => signal === 'start' && occurredAt === null);
  for (const { createdAt: at } of starts) {
    const before = flips.findLast(({ createdAt }) => createdAt < at);
    const isResumed = flips.some(({ createdAt, oldStatus }) => createdAt === at && oldStatus === 'paused');
    if (before?.newStatus === 'paused' && !isResumed)
      throw new Violation(`it stayed paused when a run began at ${at}`, uuid);
  }
}

/** The deadline that is watched is the one that follows from the history, unless it was put off. */
export function judgeState(
  check: Check,
  pings: readonly PingRow[],
  flips: readonly Flip[],
  known: Known,
): void {
  const judged = judgedHistory(pings, flips, known);
  if (judged !== null && judged.waiting.isReported !== null) requireDeadline(check, judged.waiting);
}

function requireDeadline(check: Check, waiting: Waiting): void {
  const { status, quietFromAt: from, quietUntilAt, excusedUntilAt: until } = check;
  const excuse = { spans: from === null ? [] : [{ from, until: quietUntilAt ?? from }], until };
  const isWaiting = status === 'up' || status === 'new';
  const deadlines = isWaiting ? naiveDeadlines(waiting, status === 'up', check, excuse) : [];
  const deadline = firstOf(deadlines)?.at ?? null;
  // An excuse is written for many checks at once, and its end may lie in a quiet time. The check is looked at then, and put off.
  const isLookedAtAgain = until !== null && until === check.deadlineAt && until < (quietUntilAt ?? 0);
  if (deadline !== check.deadlineAt && !isLookedAtAgain)
    throw new Violation(`its deadline is ${check.deadlineAt}, it should be ${deadline}`, check.uuid);
}

/** Old news ends no outage and rings for nothing. */
export function judgeOldNews(
  { uuid }: Check,
  pings: readonly PingRow[],
  flips: readonly Flip[],
  known: Known,
): void {
  const oldNews = judgedHistory(pings, flips, known)?.oldNews ?? new Set();
  for (const { n, createdAt: at, signal } of pings.filter((ping) => oldNews.has(ping.n))) {
    const others = pings.filter((ping) => ping.createdAt === at && !oldNews.has(ping.n));
    const made = flips.find(
      ({ createdAt, newStatus, reason }) => createdAt === at && (newStatus === 'up' || reason === 'fail'),
    );
    if (made !== undefined && others.length === 0)
      throw new Violation(`ping ${n}, a late ${signal}, is old news and made it ${made.newStatus}`, uuid);
  }
}
