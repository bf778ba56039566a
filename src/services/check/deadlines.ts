import type { PingedCheck } from '../../domain/check/check.ts';
import { areUnknownRules } from '../../domain/check/run-rules.ts';
import { missDeadline, type Transition } from '../../domain/ping/transition.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { Deps } from '../core/deps.ts';
import { recordFlips } from '../core/flips.ts';

/** Checks taken down in one transaction. It is kept short so that pings do not wait long for the locks. */
const MAX_AT_ONCE = 200;
/** Checks whose deadline is only moved in one transaction. Each takes far less time than a flip. */
const MAX_PUT_OFF = 1_000;
/** A check that cannot be evaluated is tried again after this time. */
const POISON_PAUSE = seconds(3600);

export interface DeadlineDeps extends Pick<Deps, 'store' | 'clock' | 'random'> {
  /** Called for a check that cannot be evaluated. The other checks are handled as usual. */
  readonly onPoison: (checkId: number, error: unknown) => void;
  /** Called for an overdue check with rules that a newer version has written. It is judged without them. */
  readonly onUnknownRules?: ((check: PingedCheck) => void) | undefined;
}

/** No check goes down before this time. Null when no check has a deadline. */
export async function nextDeadlineAt({ store }: Pick<Deps, 'store'>): Promise<Instant | null> {
  return store.checks.nextDeadlineAt();
}

/**
 * Takes down checks whose deadline had passed by `now`, one batch a call. Each flip is dated at the deadline. Every
 * check is evaluated again under its lock, because a ping or an edit may have come since. Returns whether there was
 * any.
 */
export async function flipOverdue(deps: DeadlineDeps, now = deps.clock.now()): Promise<boolean> {
  const next = await nextDeadlineAt(deps);
  if (next === null || next > now) return false;
  return deps.store.transaction(async (tx) => {
    if ((await tx.checks.putOffAlarms(now, MAX_PUT_OFF)) === MAX_PUT_OFF) return true;
    const due = await tx.checks.lockOverdue(now, MAX_AT_ONCE);
    const changes = due.map((check) => evaluate(deps, check, now));
    await tx.checks.saveStates(changes.map(({ check }) => check));
    await recordFlips(
      deps,
      tx,
      changes.flatMap(({ flips }) => flips),
      now,
    );
    return due.length > 0;
  });
}

function evaluate(deps: DeadlineDeps, check: PingedCheck, now: Instant): Transition<PingedCheck> {
  if (areUnknownRules(check.runRules)) deps.onUnknownRules?.(check);
  try {
    return missDeadline(check, now);
  } catch (error) {
    deps.onPoison(check.id, error);
    return { check: { ...check, deadlineAt: now + POISON_PAUSE }, flips: [] };
  }
}
