import { AppError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { RecentlyUsed } from '../lib/recently-used.ts';
import {
  filled,
  fullBucket,
  isFromFuture,
  secondsUntil,
  type TokenBucket,
  type TokenRule,
  tokensIn,
  without,
} from '../lib/token-bucket.ts';
import { type Draw, MAX_PORTION } from '../services/core/rate-buckets.ts';
import { BODY_BYTES_PER_TOKEN } from './limits.ts';

/** The number of projects, or accounts, in memory. The one used longest ago is forgotten. */
const MAX_OWNERS = 10_000;

/** Draws tokens from the bucket that all nodes share, or from one in memory if there is one node. */
export type DrawTokens = (ownerId: number, needed: number) => Promise<Draw>;

/** The tokens of an owner that this node holds. */
interface Portion {
  left: number;
  /** The bucket as it was last read. Other nodes only take from it, so it never contains more than this says. */
  seen: TokenBucket | null;
  /** The running request for tokens, if there is one. */
  drawing: Promise<void> | null;
}

/** The cost of a request by the length of its body. Reading a body occupies the thread that answers pings. */
export function tokensFor(bodyBytes: number): number {
  return Math.max(1, Math.ceil(bodyBytes / BODY_BYTES_PER_TOKEN));
}

/**
 * Limits the requests of each owner, a project or an account: as many at once as its bucket holds, and so many a minute permanently. A node draws
 * tokens in portions and spends them in memory. All nodes together admit as many as the bucket gives, plus the portions
 * that were drawn before.
 */
export class RateLimit {
  readonly #rule: TokenRule;
  readonly #clock: Clock;
  readonly #draw: DrawTokens;
  readonly #onFailure: (error: unknown) => void;
  readonly #portions = new RecentlyUsed<number, Portion>(MAX_OWNERS);

  /** Zero a minute means no limit. */
  constructor(rule: TokenRule, clock: Clock, draw: DrawTokens, onFailure: (error: unknown) => void) {
    this.#rule = rule;
    this.#clock = clock;
    this.#draw = draw;
    this.#onFailure = onFailure;
  }

  /** Takes the cost of a request, minus the tokens already paid. Refuses the request if there are not enough tokens. */
  async take(ownerId: number, tokens: number, paid = 0): Promise<void> {
    if (this.#rule.perMinute === 0) return;
    // Without this a request that costs more than the bucket holds could never succeed.
    const cost = Math.min(tokens, this.#rule.capacity);
    const rest = Math.max(0, cost - paid);
    const portion = this.#portions.get(ownerId, () => ({ left: 0, seen: null, drawing: null }));
    while (portion.left < rest) {
      const needed = rest - portion.left;
      this.#refuseUnless(portion, needed, cost - portion.left);
      portion.drawing ??= this.#refill(ownerId, portion, needed);
      await portion.drawing;
    }
    portion.left -= rest;
  }

  /** Refuses without drawing if the bucket cannot contain enough tokens. A later attempt pays the whole cost again. */
  #refuseUnless({ seen }: Portion, needed: number, neededNextTime: number): void {
    const now = this.#clock.now();
    if (seen === null || isFromFuture(seen, now)) return;
    const bucket = filled(seen, this.#rule, now);
    if (tokensIn(bucket) >= needed) return;
    const retryAfterSeconds = secondsUntil(bucket, neededNextTime, this.#rule, now);
    throw new AppError('too_many_requests', undefined, { retryAfterSeconds });
  }

  async #refill(ownerId: number, portion: Portion, needed: number): Promise<void> {
    try {
      const { granted, bucket } = await this.#draw(ownerId, needed);
      portion.left += granted;
      portion.seen = bucket;
    } catch (error) {
      // If the tokens cannot be counted, the request is admitted.
      this.#onFailure(error);
      portion.left += Math.max(needed, MAX_PORTION);
    } finally {
      portion.drawing = null;
    }
  }
}

/** The buckets of a single node. An owner that is forgotten starts again with a full bucket. */
export function tokensInMemory(rule: TokenRule, clock: Clock): DrawTokens {
  const buckets = new RecentlyUsed<number, { now: TokenBucket }>(MAX_OWNERS);
  return async (ownerId, needed) => {
    const now = clock.now();
    const kept = buckets.get(ownerId, () => ({ now: fullBucket(rule, now) }));
    kept.now = filled(kept.now, rule, now);
    const granted = tokensIn(kept.now) < needed ? 0 : needed;
    kept.now = without(kept.now, granted);
    return { granted, bucket: kept.now };
  };
}
