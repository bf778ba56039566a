import type { RateLimit } from '../integrations/kind/kind.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';

/** The number of destinations in memory. The one used longest ago is forgotten, and then starts with a full bucket. */
const MAX_DESTINATIONS = 10_000;

/** A bucket of messages. It starts full and is refilled steadily up to the limit. */
interface Bucket {
  left: number;
  filledAt: Instant;
}

/** Applies the rate limits of destinations. A message above the limit is sent later. */
export class SendingRates {
  readonly #buckets = new Map<string, Bucket>();

  /** Returns zero and counts the message if it may be sent now. Otherwise returns how long it has to wait. */
  take({ key, messages, perSeconds }: RateLimit, now: Instant): Micros {
    const perMessage = seconds(perSeconds) / messages;
    const bucket = this.#buckets.get(key) ?? { left: messages, filledAt: now };
    bucket.left = Math.min(messages, bucket.left + Math.max(0, now - bucket.filledAt) / perMessage);
    bucket.filledAt = now;
    // A Map keeps insertion order: deleting and setting makes this the entry used last.
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
