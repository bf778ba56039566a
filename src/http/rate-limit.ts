import { AppError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
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
import { type Draw, MAX_PORTION } from '../services/rate-buckets.ts';
import { BODY_BYTES_PER_TOKEN } from './limits.ts';

/** Projects remembered at once; the one used longest ago is forgotten. */
const MAX_PROJECTS = 10_000;

/** Where tokens come from: the bucket that all nodes share, or one in memory where there is one node. */
export type DrawTokens = (projectId: number, needed: number) => Promise<Draw>;

/** The tokens of a project that this node has in hand. */
interface Portion {
  left: number;
  /** The bucket as it was last seen. Others only take from it, so that there is never more in it than this says. */
  seen: TokenBucket | null;
  /** Tokens are being asked for. */
  drawing: Promise<void> | null;
}

/** What a request costs, by the length of its body: reading one keeps the thread busy that answers pings. */
export function tokensFor(bodyBytes: number): number {
  return Math.max(1, Math.ceil(bodyBytes / BODY_BYTES_PER_TOKEN));
}

/**
 * How many requests a project may send: as many as its bucket holds at once, and so many a minute for as long as one likes.
 * A node takes tokens in portions and spends them in memory. All nodes together admit no more than the bucket gives, and a
 * portion for each node that was taken before.
 */
export class RateLimit {
  readonly #rule: TokenRule;
  readonly #clock: Clock;
  readonly #draw: DrawTokens;
  readonly #onFailure: (error: unknown) => void;
  readonly #portions = new RecentlyUsed<Portion>(MAX_PROJECTS);

  /** Zero a minute means no limit. */
  constructor(rule: TokenRule, clock: Clock, draw: DrawTokens, onFailure: (error: unknown) => void) {
    this.#rule = rule;
    this.#clock = clock;
    this.#draw = draw;
    this.#onFailure = onFailure;
  }

  /** Takes what a request costs, except what it has paid already. Where that is not there, the request is refused. */
  async take(projectId: number, tokens: number, paid = 0): Promise<void> {
    if (this.#rule.perMinute === 0) return;
    // A request that costs more than the bucket holds would be refused for ever.
    const cost = Math.min(tokens, this.#rule.capacity);
    const rest = cost - paid;
    const portion = this.#portions.get(projectId, () => ({ left: 0, seen: null, drawing: null }));
    while (portion.left < rest) {
      const needed = rest - portion.left;
      this.#refuseUnless(portion, needed, cost - portion.left);
      portion.drawing ??= this.#refill(projectId, portion, needed);
      await portion.drawing;
    }
    portion.left -= rest;
  }

  /** Refuses without asking where the tokens cannot be there. Another try pays everything once more. */
  #refuseUnless({ seen }: Portion, needed: number, neededNextTime: number): void {
    const now = this.#clock.now();
    if (seen === null || isFromFuture(seen, now)) return;
    const bucket = filled(seen, this.#rule, now);
    if (tokensIn(bucket) >= needed) return;
    const retryAfterSeconds = secondsUntil(bucket, neededNextTime, this.#rule, now);
    throw new AppError('too_many_requests', undefined, { retryAfterSeconds });
  }

  async #refill(projectId: number, portion: Portion, needed: number): Promise<void> {
    try {
      const { granted, bucket } = await this.#draw(projectId, needed);
      portion.left += granted;
      portion.seen = bucket;
    } catch (error) {
      // A limit must not be the reason why a request fails.
      this.#onFailure(error);
      portion.left += Math.max(needed, MAX_PORTION);
    } finally {
      portion.drawing = null;
    }
  }
}

/** The buckets of the only node. Which project is forgotten is forgiven. */
export function tokensInMemory(rule: TokenRule, clock: Clock): DrawTokens {
  const buckets = new RecentlyUsed<{ now: TokenBucket }>(MAX_PROJECTS);
  return async (projectId, needed) => {
    const now = clock.now();
    const kept = buckets.get(projectId, () => ({ now: fullBucket(rule, now) }));
    kept.now = filled(kept.now, rule, now);
    const granted = tokensIn(kept.now) < needed ? 0 : needed;
    kept.now = without(kept.now, granted);
    return { granted, bucket: kept.now };
  };
}

/** A map that forgets what was used longest ago. */
class RecentlyUsed<T> {
  readonly #entries = new Map<number, T>();
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(key: number, create: () => T): T {
    const entry = this.#entries.get(key) ?? create();
    // Taken out and put back, it becomes the one used last.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#maxEntries) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    return entry;
  }
}
