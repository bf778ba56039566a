import { type Instant, MICROS_PER_SECOND, type Micros } from './instant.ts';

/** The rate at which a bucket fills, and the tokens that it holds. */
export interface TokenRule {
  readonly perMinute: number;
  readonly capacity: number;
}

/**
 * The credit has `TOKEN` for each token left. A microsecond brings as much as tokens come in a minute, so that all
 * counting is in whole numbers: with fractions, a client that waits exactly as long as told might still be refused.
 */
export interface TokenBucket {
  readonly credit: number;
  readonly filledAt: Instant;
}

const TOKEN = 60 * MICROS_PER_SECOND;

/** With more, the credit would no longer be an exact number. */
export const MAX_TOKENS = 100_000_000;

/** The clocks of nodes differ by less. A later filling time comes from a clock that was wrong. */
const MAX_CLOCK_SKEW: Micros = 60 * MICROS_PER_SECOND;

export function fullBucket({ capacity }: TokenRule, now: Instant): TokenBucket {
  return { credit: capacity * TOKEN, filledAt: now };
}

/** The bucket filled up to now. Time that another clock has counted already is not counted again. */
export function filled(bucket: TokenBucket, { perMinute, capacity }: TokenRule, now: Instant): TokenBucket {
  const filledAt = isFromFuture(bucket, now) ? now : Math.max(now, bucket.filledAt);
  const gained = Math.max(0, filledAt - bucket.filledAt) * perMinute;
  return { credit: Math.min(capacity * TOKEN, bucket.credit + gained), filledAt };
}

/** Whether a wrong clock has filled it. `filled` counts from now on then: save its result, or nothing is gained. */
export function isFromFuture({ filledAt }: TokenBucket, now: Instant): boolean {
  return filledAt > now + MAX_CLOCK_SKEW;
}

/** Whole tokens in it. */
export function tokensIn({ credit }: TokenBucket): number {
  return Math.floor(credit / TOKEN);
}

export function without(bucket: TokenBucket, tokens: number): TokenBucket {
  return { ...bucket, credit: bucket.credit - tokens * TOKEN };
}

/** Seconds from now until so many tokens are in it, where nobody takes any. */
export function secondsUntil(
  { credit, filledAt }: TokenBucket,
  tokens: number,
  { perMinute }: TokenRule,
  now: Instant,
): number {
  const missing = tokens * TOKEN - credit + (filledAt - now) * perMinute;
  return Math.max(0, Math.ceil(missing / (perMinute * MICROS_PER_SECOND)));
}
