import type { RateLimit } from '../integrations/kind.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';

/** Destinations remembered at once; the one used longest ago is forgotten, which only ever forgives. */
const MAX_DESTINATIONS = 10_000;

/** Counts in messages: full at first, refilled steadily up to what the limit allows. */
interface Bucket {
  left: number;
  filledAt: Instant;
}

/** Keeps to the limits of destinations. What is too much is not lost: it is sent later. */
export class SendingRates {
  readonly #buckets = new Map<string, Bucket>();

  /** Zero where the message may go now and is counted; else after how long it may. */
  take({ key, messages, perSeconds }: RateLimit, now: Instant): Micros {
    const perMessage = seconds(perSeconds) / messages;
    const bucket = this.#buckets.get(key) ?? { left: messages, filledAt: now };
    bucket.left = Math.min(messages, bucket.left + Math.max(0, now - bucket.filledAt) / perMessage);
    bucket.filledAt = now;
    // Taken out and put back, it becomes the one used last.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MAX_DESTINATIONS) this.#forgetOldest();
    if (bucket.left < 1) return Math.ceil((1 - bucket.left) * perMessage);
    bucket.left--;
    return 0;
  }

  #forgetOldest(): void {
    for (const oldest of this.#buckets.keys()) {
      this.#buckets.delete(oldest);
      return;
    }
  }
}
