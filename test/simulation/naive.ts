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

/** The history, oldest first: pings that came until then, and flips that were recorded before. */
export function waitingFor(pings: readonly PingRow[], flips: readonly Flip[]): Waiting {
  let lastPing: Instant | null = null;
  let openStart: Instant | null = null;
  let openRid: string | null = null;
  const resets = flips.filter(({ newStatus }) => newStatus === 'paused' || newStatus === 'new');
  // A start that resumes the check comes after the change that it makes, and a pause after the ping of the same time.
  const order = ({ newStatus }: Flip) => (newStatus === 'new' ? -1 : 1);
  const events = [
    ...pings.map((ping) => ({ at: ping.createdAt, order: 0, ping, reset: null })),
    ...resets.map((reset) => ({ at: reset.createdAt, order: order(reset), ping: null, reset })),
  ].sort((one, other) => one.at - other.at || one.order - other.order);
  for (const { at, ping, reset } of events) {
    if (reset !== null) {
      openStart = null;
      if (reset.newStatus === 'new') lastPing = null;
    } else if (ping.signal === 'start') {
      openStart = at;
      openRid = ping.rid;
    } else if (ping.signal === 'success' || ping.signal === 'fail') {
      lastPing = at;
      if (ping.signal === 'fail' || ping.rid === null || ping.rid === openRid) openStart = null;
    }
  }
  return { lastPing, openStart };
}

/** When the check goes down by its configuration if nothing more comes; null when it waits for nothing. */
export function naiveDeadline(
  { lastPing, openStart }: Waiting,
  isUp: boolean,
  config: Pick<Check, 'kind' | 'timeoutSeconds' | 'schedule' | 'tz' | 'graceSeconds'>,
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

/** A start that counts takes a paused check out of the pause, at the same time. */
export function judgeStarts({ uuid }: Check, pings: readonly PingRow[], flips: readonly Flip[]): void {
  for (const { createdAt: at } of pings.filter(({ signal }) => signal === 'start')) {
    const before = flips.findLast(({ createdAt }) => createdAt < at);
    const isResumed = flips.some(({ createdAt, oldStatus }) => createdAt === at && oldStatus === 'paused');
    if (before?.newStatus === 'paused' && !isResumed)
      throw new Violation(`it stayed paused when a run began at ${at}`, uuid);
  }
}

/** The deadline that is watched is the one that follows from the history, unless it was put off. */
export function judgeState(check: Check, pings: readonly PingRow[], flips: readonly Flip[]): void {
  if (check.runReported) return;
  const expected =
    check.status === 'down' ? null : naiveDeadline(waitingFor(pings, flips), check.status === 'up', check);
  const excused = check.excusedUntilAt ?? 0;
  const deadline = expected === null ? null : Math.max(expected, excused);
  if (deadline !== check.deadlineAt)
    throw new Violation(`its deadline is ${check.deadlineAt}, it should be ${deadline}`, check.uuid);
}
