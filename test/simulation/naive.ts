import { isTold } from '../../src/domain/alert/delivery.ts';
import type { Check } from '../../src/domain/check/check.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import { nextOccurrence } from '../../src/domain/schedule/schedule.ts';
import { type Instant, seconds } from '../../src/lib/instant.ts';
import type { PingRow } from './observed.ts';
import { Violation } from './violation.ts';

export { isTold };

/** The start of a check's waiting, worked out from its history alone and as plainly as can be. */
export interface Waiting {
  readonly lastPing: Instant | null;
  readonly openStart: Instant | null;
}

export type Timing = Pick<Check, 'kind' | 'timeoutSeconds' | 'schedule' | 'tz' | 'graceSeconds'>;

/** The timing of a check at that time; null when it was just being changed. */
export type TimingAt = (at: Instant) => Timing | null;

interface Judged {
  readonly waiting: Waiting;
  /** Late pings that change nothing, by their numbers. */
  readonly oldNews: ReadonlySet<number>;
}

/**
 * The history, oldest first: pings that came until then, and flips that were recorded before. Null when it cannot be told
 * whether a late ping counts.
 */
export function judgedHistory(
  pings: readonly PingRow[],
  flips: readonly Flip[],
  timingAt: TimingAt,
): Judged | null {
  let lastPing: Instant | null = null;
  let openStart: Instant | null = null;
  let openRid: string | null = null;
  const oldNews = new Set<number>();
  const resets = flips.filter(({ newStatus }) => newStatus === 'paused' || newStatus === 'new');
  // A start that resumes the check comes after the change that it makes, and a pause after the ping of the same time.
  const order = ({ newStatus }: Flip) => (newStatus === 'new' ? -1 : 1);
  const events = [
    ...pings.map((ping) => ({ at: ping.createdAt, order: 0, ping, reset: null })),
    ...resets.map((reset) => ({ at: reset.createdAt, order: order(reset), ping: null, reset })),
  ].sort((one, other) => one.at - other.at || one.order - other.order);
  for (const { at: came, ping, reset } of events) {
    if (reset !== null) {
      openStart = null;
      if (reset.newStatus === 'new') lastPing = null;
      continue;
    }
    const at: Instant = ping.occurredAt ?? came;
    if (ping.occurredAt !== null) {
      const timing = timingAt(came);
      if (timing === null) return null;
      const changed = flips.findLast(({ createdAt }) => createdAt < came);
      if (!isNews(ping, { lastPing, openStart }, openRid, changed, timing)) {
        oldNews.add(ping.n);
        continue;
      }
    }
    if (ping.signal === 'start') {
      openStart = at;
      openRid = ping.rid;
    } else if (ping.signal === 'success' || ping.signal === 'fail') {
      lastPing = at;
      const isOwn = ping.rid === openRid && (ping.rid !== null || at >= (openStart ?? at));
      const isLater = at >= (openStart ?? at);
      if (isOwn || (isLater && (ping.signal === 'fail' || ping.rid === null))) openStart = null;
    }
  }
  return { waiting: { lastPing, openStart }, oldNews };
}

/** Whether a late ping still counts: nothing newer is known, and the check would not be down again by now. */
function isNews(
  { signal, rid, createdAt: now, occurredAt }: PingRow,
  { lastPing, openStart }: Waiting,
  openRid: string | null,
  changed: Flip | undefined,
  timing: Timing,
): boolean {
  const at = occurredAt ?? now;
  const grace = seconds(timing.graceSeconds);
  if (signal !== 'success' && signal !== 'fail' && signal !== 'start') return false;
  if (lastPing !== null && lastPing >= at) return false;
  const isReset = changed?.newStatus === 'new' || changed?.newStatus === 'paused';
  if (isReset && at < Math.min(changed.createdAt, openStart ?? changed.createdAt)) return false;
  if (signal === 'start') return (openStart === null || openStart < at) && at + grace > now;
  const due = expectedAfter(at, timing);
  if (due !== null && due + grace <= now) return false;
  if (signal === 'fail' || openStart === null) return true;
  const endsRun = rid === null ? at >= openStart : rid === openRid;
  return endsRun || openStart + grace > now || openStart + grace <= at;
}

/** When the check goes down by its configuration if nothing more comes; null when it waits for nothing. */
export function naiveDeadline(
  { lastPing, openStart }: Waiting,
  isUp: boolean,
  config: Timing,
): Instant | null {
  const expected = isUp && lastPing !== null ? expectedAfter(lastPing, config) : null;
  const earliest = Math.min(expected ?? Number.POSITIVE_INFINITY, openStart ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(earliest) ? earliest + seconds(config.graceSeconds) : null;
}

function expectedAfter(
  lastPing: Instant,
  { kind, timeoutSeconds, schedule, tz }: Pick<Check, 'kind' | 'timeoutSeconds' | 'schedule' | 'tz'>,
): Instant | null {
  if (kind === 'simple') return lastPing + seconds(timeoutSeconds);
  return nextOccurrence(schedule, tz, lastPing);
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
  timingAt: TimingAt,
): void {
  const judged = judgedHistory(pings, flips, timingAt);
  if (check.runReported || judged === null) return;
  const expected =
    check.status === 'down' ? null : naiveDeadline(judged.waiting, check.status === 'up', check);
  const excused = check.excusedUntilAt ?? 0;
  const deadline = expected === null ? null : Math.max(expected, excused);
  if (deadline !== check.deadlineAt)
    throw new Violation(`its deadline is ${check.deadlineAt}, it should be ${deadline}`, check.uuid);
}

/** Old news ends no outage and rings for nothing. */
export function judgeOldNews(
  { uuid }: Check,
  pings: readonly PingRow[],
  flips: readonly Flip[],
  timingAt: TimingAt,
): void {
  const oldNews = judgedHistory(pings, flips, timingAt)?.oldNews ?? new Set();
  for (const { n, createdAt: at, signal } of pings.filter((ping) => oldNews.has(ping.n))) {
    const others = pings.filter((ping) => ping.createdAt === at && !oldNews.has(ping.n));
    const made = flips.find(
      ({ createdAt, newStatus, reason }) => createdAt === at && (newStatus === 'up' || reason === 'fail'),
    );
    if (made !== undefined && others.length === 0)
      throw new Violation(`ping ${n}, a late ${signal}, is old news and made it ${made.newStatus}`, uuid);
  }
}
