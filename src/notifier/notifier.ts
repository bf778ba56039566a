import type { Logger } from 'pino';
import type { Channel } from '../domain/channel.ts';
import type { Delivery, Outcome } from '../domain/delivery.ts';
import type { AlertEvent, Direction, Verdict } from '../integrations/integration.ts';
import { MICROS_PER_SECOND } from '../lib/instant.ts';
import {
  claimDeliveries,
  type Letter,
  nextDeliveryAt,
  openLetter,
  postponeDelivery,
  quotedBody,
  settleDelivery,
  skipDelivery,
} from '../services/deliveries.ts';
import type { Deps } from '../services/deps.ts';
import { letterEvent, type NamedSite } from './event.ts';

/** How a letter leaves the house: decided by the kind of its channel. */
export interface Carrier {
  /** Whether the channel is told of that direction at all. */
  wants(channel: Channel, to: Direction): boolean;
  needsBody(channel: Channel): boolean;
  /** What must not be kept busy by one channel alone, such as a host. */
  destination(channel: Channel, to: Direction): string;
  /** Never throws. */
  send(channel: Channel, event: AlertEvent): Promise<Verdict>;
}

export interface NotifierOptions {
  readonly site: NamedSite;
  readonly log: Logger;
  /** Messages under way at once. */
  readonly seats: number;
  /** Of these, at the most to one destination. */
  readonly seatsPerDestination: number;
}

/** How late a message may leave that another thread or node has put into the outbox. */
const LONGEST_REST_MS = 250;

/**
 * Works the outbox: claims what is due, sends outside of any transaction, and records how it went. Messages
 * never wait for each other, but those of one check to one channel, which keep their order by their claims.
 */
export class Notifier implements AsyncDisposable {
  readonly #deps: Deps;
  readonly #carrier: Carrier;
  readonly #options: NotifierOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #busy = new Map<string, number>();

  constructor(deps: Deps, carrier: Carrier, options: NotifierOptions) {
    this.#deps = deps;
    this.#carrier = carrier;
    this.#options = options;
  }

  /** Starts what is due and has a seat. True when it found something, else for how long there is nothing. */
  async tick(): Promise<true | number> {
    const free = this.#options.seats - this.#underWay.size;
    if (free <= 0) {
      await Promise.race(this.#underWay);
      return true;
    }
    const next = await nextDeliveryAt(this.#deps);
    const now = this.#deps.clock.now();
    if (next === null || next > now) return restMs(next === null ? null : next - now);
    const claimed = await claimDeliveries(this.#deps, free, []);
    for (const delivery of claimed) this.#start(delivery);
    return claimed.length > 0 ? true : LONGEST_REST_MS;
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #start(delivery: Delivery): void {
    const work = this.#deliver(delivery)
      .catch((err: unknown) =>
        this.#options.log.error({ event: 'delivery.failed', deliveryId: delivery.id, err }),
      )
      .then(() => void this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const letter = await openLetter(this.#deps, delivery);
    if (letter === null || !this.#isWanted(letter)) return skipDelivery(this.#deps, delivery);
    const { channel } = letter;
    const destination = this.#carrier.destination(channel, delivery.status);
    if (!this.#take(destination)) return postponeDelivery(this.#deps, delivery);
    const startedAt = this.#deps.clock.now();
    try {
      const verdict = channel.verified ? await this.#send(letter) : UNVERIFIED;
      await settleDelivery(this.#deps, delivery, verdict, startedAt);
      this.#tell(delivery, verdict);
    } finally {
      this.#busy.set(destination, (this.#busy.get(destination) ?? 1) - 1);
    }
  }

  #isWanted({ channel, delivery }: Letter): boolean {
    return !channel.disabled && this.#carrier.wants(channel, delivery.status);
  }

  async #send(letter: Letter): Promise<Verdict> {
    const { channel } = letter;
    const body = this.#carrier.needsBody(channel) ? await quotedBody(this.#deps, letter) : null;
    return this.#carrier.send(channel, letterEvent(letter, body, this.#deps.clock.now(), this.#options.site));
  }

  #take(destination: string): boolean {
    const busy = this.#busy.get(destination) ?? 0;
    if (busy >= this.#options.seatsPerDestination) return false;
    this.#busy.set(destination, busy + 1);
    return true;
  }

  #tell(delivery: Delivery, verdict: Outcome): void {
    const fields = { deliveryId: delivery.id, attempt: delivery.attemptCount };
    if (verdict.ok) this.#options.log.debug({ event: 'delivery.made', ...fields });
    else this.#options.log.warn({ event: 'delivery.refused', ...fields, reason: verdict.error });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled();
  }
}

/** Nobody has said yet that the messages are wanted there. */
export const UNVERIFIED: Outcome = {
  ok: false,
  error: 'Email not verified',
  isPermanent: false,
  retryAfterSeconds: null,
  isFinal: true,
};

function restMs(untilNext: number | null): number {
  if (untilNext === null) return LONGEST_REST_MS;
  return Math.min(LONGEST_REST_MS, Math.max(1, Math.ceil((untilNext * 1000) / MICROS_PER_SECOND)));
}
