import type { CheckState, NewCheck } from '../../domain/check/check.ts';
import { deadlineOf } from '../../domain/check/status.ts';
import type { Instant } from '../../lib/instant.ts';
import { excuseOf } from '../core/liveness.ts';
import type { ImportedCheck } from './import.ts';

/**
 * The check as it was in the other program. Nobody has watched it since the newest ping there, so a deadline that has passed
 * is put off, as after an outage of our own.
 */
export function withState<C extends NewCheck>(
  check: C,
  imported: Pick<ImportedCheck, 'state' | 'flips'>,
  now: Instant,
): C {
  const { state } = imported;
  const lastFlip = [...imported.flips, ...closingFlip(imported, now)].at(-1);
  const lastPingAt = notAfter(now, state.lastPingAt);
  const lastStartAt = notAfter(now, state.lastStartAt);
  const lastResult = resultOf(state, lastFlip?.reason);
  const known: C = {
    ...check,
    ...state,
    lastPingAt,
    lastStartAt,
    lastReceivedAt:
      lastPingAt === null && lastStartAt === null ? null : Math.max(lastPingAt ?? 0, lastStartAt ?? 0),
    lastResult,
    lastSuccessAt: lastResult === 'success' ? lastPingAt : null,
    lastFlipAt:
      lastFlip === undefined ? (state.status === 'new' ? null : check.createdAt) : lastFlip.createdAt,
    runReported: state.status === 'down' && lastStartAt !== null,
    excusedUntilAt: null,
  };
  const deadlineAt = deadlineOf(known);
  if (deadlineAt === null || deadlineAt > now) return { ...known, deadlineAt };
  const excused: C = { ...known, excusedUntilAt: now + excuseOf(known) };
  return { ...excused, deadlineAt: deadlineOf(excused) };
}

/** Some programs note no change of status when a check is paused or resumed. */
export function closingFlip(
  { state, flips }: Pick<ImportedCheck, 'state' | 'flips'>,
  now: Instant,
): ImportedCheck['flips'] {
  const last = flips.at(-1);
  if (last === undefined || last.newStatus === state.status) return [];
  return [{ createdAt: now, oldStatus: last.newStatus, newStatus: state.status, reason: '' }];
}

/** A clock that was ahead would put off the deadline. */
function notAfter(now: Instant, at: Instant | null): Instant | null {
  return at === null ? null : Math.min(at, now);
}

/** Null where it does not follow from the status. */
function resultOf(
  { status, lastPingAt }: ImportedCheck['state'],
  reason: ImportedCheck['flips'][number]['reason'] | undefined,
): CheckState['lastResult'] {
  if (lastPingAt === null) return null;
  if (status === 'up') return 'success';
  if (status !== 'down') return null;
  if (reason === 'fail') return 'fail';
  return reason === 'timeout' ? 'success' : null;
}
