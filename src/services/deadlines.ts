import type { PingedCheck } from '../domain/check.ts';
import { missDeadline, type Transition } from '../domain/transition.ts';
import { type Instant, seconds } from '../lib/instant.ts';
import type { Deps } from './deps.ts';
import { recordFlips } from './flips.ts';

/** Checks that go down in one transaction, so that pings never wait long for their turn. */
const MAX_AT_ONCE = 200;
/** Checks that turn out not to be due: many more, since each takes far less. */
const MAX_PUT_OFF = 1_000;
/** When a check that cannot be evaluated is looked at again. */
const POISON_PAUSE = seconds(3600);

export interface DeadlineDeps extends Pick<Deps, 'store' | 'clock' | 'random'> {
  /** Told of a check that cannot be evaluated; the others go on. */
  readonly onPoison: (checkId: number, error: unknown) => void;
}

/** When a check may go down, not before; null when nothing is watched. */
export async function nextDeadlineAt({ store }: Pick<Deps, 'store'>): Promise<Instant | null> {
  return store.checks.nextDeadlineAt();
}

/**
 * Takes down checks whose deadline had passed by `now`, some at a time, each dated at its deadline. Every one is
 * looked at anew under its lock: a ping or an edit may have come since. Says whether there was any.
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
  try {
    return missDeadline(check, now);
  } catch (error) {
    deps.onPoison(check.id, error);
    return { check: { ...check, deadlineAt: now + POISON_PAUSE }, flips: [] };
  }
}
