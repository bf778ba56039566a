import { type Instant, MICROS_PER_SECOND, type Micros } from '../../lib/instant.ts';

/** So many attempts at once, and one more after each `regain`. */
export interface AttemptRule {
  readonly maxAttempts: number;
  /** The time after which one attempt more is allowed. */
  readonly regain: Micros;
}

/**
 * The attempts that are left, as the time at which all are there again. Null and times in the past mean that none was
 * used.
 */
export type FullAt = Instant | null;

/** The state after one more attempt. Null refuses it: no attempt is left. */
export function afterAttempt(
  fullAt: FullAt,
  { maxAttempts, regain }: AttemptRule,
  now: Instant,
): Instant | null {
  const next = Math.max(now, sane(fullAt, { maxAttempts, regain }, now)) + regain;
  return next - now > maxAttempts * regain ? null : next;
}

export function secondsUntilAttempt(fullAt: FullAt, rule: AttemptRule, now: Instant): number {
  const wait = sane(fullAt, rule, now) + rule.regain - now - rule.maxAttempts * rule.regain;
  return Math.max(0, Math.ceil(wait / MICROS_PER_SECOND));
}

/** The clocks of nodes differ by less. */
const MAX_CLOCK_SKEW: Micros = 60 * MICROS_PER_SECOND;

/** A time that no number of attempts explains was set by a wrong clock. It would hold people off for as long as it says. */
function sane(fullAt: FullAt, { maxAttempts, regain }: AttemptRule, now: Instant): Instant {
  const latest = now + maxAttempts * regain;
  return fullAt === null || fullAt > latest + MAX_CLOCK_SKEW ? now : Math.min(fullAt, latest);
}
