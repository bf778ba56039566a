import type { Logger } from 'pino';
import { type Channel, toldEvent } from '../domain/alert/channel.ts';
import {
  type Delivery,
  type Exchange,
  LEASE_EXTENDED_EVERY,
  LEASE_SPAN,
  NO_EXCHANGE,
  type Outcome,
  tryAgain,
} from '../domain/alert/delivery.ts';
import type { ToldStory } from '../domain/history/alert-story.ts';
import type { AlertEvent } from '../integrations/kind/alert-event.ts';
import { EventLoopTurns } from '../lib/event-loop-turns.ts';
import { GroupWriter } from '../lib/group-writer.ts';
import { MICROS_PER_SECOND, type Micros, seconds } from '../lib/instant.ts';
import { callbackUrl } from '../services/alert/callbacks.ts';
import {
  type AlertMessage,
  extendLeases,
  leaseDeliveries,
  loadMessages,
  nextDeliveryAt,
  obstacleOf,
  type Postponed,
  postponeDeliveries,
  quotedBody,
  type Skipped,
  settleDeliveries,
  skipDeliveries,
  type Try,
} from '../services/alert/deliveries.ts';
import { AccountTurns } from '../services/core/account-turns.ts';
import type { Deps } from '../services/core/deps.ts';
import { askStory } from '../services/history/alert-stories.ts';
import type { HeldBack } from '../services/instance/vitals.ts';
import type { ChannelSender } from './channel-sender.ts';
import { DestinationLimiter } from './destination-limiter.ts';
import { type Content, eventOf, type NamedSite } from './event.ts';
import { SendingRates } from './sending-rates.ts';

export interface NotifierOptions {
  readonly site: NamedSite;
  readonly log: Logger;
  /** Messages in progress at once, including those that wait for their destination. An account has half at the most. */
  readonly maxConcurrent: number;
  /** Messages sent to one destination at once; as many again may wait for it. An account has half at the most. */
  readonly maxConcurrentPerDestination: number;
  /** Called when a message has ended: messages that waited for it may be sent now. */
  readonly onFree?: () => void;
  /** Called after each attempt. */
  readonly onTried?: (isDelivered: boolean) => void;
  /** Called when the first attempt of a message begins, with the time since the change that it tells. */
  readonly onFirstTry?: (delay: Micros) => void;
}

/** The longest delay of a message that another thread or node has queued. */
const MAX_REST_MS = 250;
/** The most messages that are leased at once: they are loaded together. */
const MAX_LEASED = 64;
/** A try that fails after this time has timed out. Time-outs of transports are longer. */
const TIMED_OUT_AFTER: Micros = seconds(10);
/** The wait of messages to a channel whose destination does not answer, while another message tries it. */
const SILENT_PAUSE: Micros = seconds(30);

/**
 * Works the outbox: leases due messages, sends them outside of any transaction, and records the result. Messages of one
 * check to one channel keep their order. A message to a busy destination waits. Accounts take turns, and have shares of
 * the running work.
 */
export class Notifier implements AsyncDisposable {
  readonly #deps: Deps;
  readonly #sender: ChannelSender;
  readonly #options: NotifierOptions;
  /** Leased deliveries whose messages are being loaded. */
  readonly #opening = new Set<Delivery>();
  readonly #underWay = new Map<Delivery, Promise<void>>();
  readonly #accounts: AccountTurns;
  readonly #limiter: DestinationLimiter;
  readonly #rates = new SendingRates();
  readonly #tries: GroupWriter<Try>;
  /** Loading and writing a message takes a part of a millisecond each, and pings come in between. */
  readonly #turns = new EventLoopTurns(1);

  constructor(deps: Deps, sender: ChannelSender, options: NotifierOptions) {
    this.#deps = deps;
    this.#sender = sender;
    this.#options = options;
    this.#accounts = new AccountTurns(options.maxConcurrent);
    this.#limiter = new DestinationLimiter(options.maxConcurrentPerDestination);
    this.#tries = new GroupWriter((tries) => settleDeliveries(deps, tries));
  }

  /**
   * Starts due messages, within the limits. Returns true if it found one, else the milliseconds until the next call.
   */
  async tick(): Promise<true | number> {
    if (this.#accounts.taken >= this.#options.maxConcurrent) return MAX_REST_MS;
    const next = await nextDeliveryAt(this.#deps);
    const now = this.#deps.clock.now();
    if (next === null || next > now) return restMs(next === null ? null : next - now);
    const busyChannels = this.#limiter.busyChannels();
    const { leased, isComplete } = await leaseDeliveries(
      this.#deps,
      this.#accounts,
      MAX_LEASED,
      busyChannels,
    );
    if (leased.length === 0) return isComplete ? MAX_REST_MS : true;
    for (const delivery of leased) this.#opening.add(delivery);
    try {
      await this.#distribute(leased);
    } finally {
      // Deliveries that were started are under way until they end.
      for (const delivery of leased) if (this.#opening.delete(delivery)) this.#accounts.end(delivery);
    }
    return true;
  }

  /** Extends the leases of messages that take long to load or to send. Returns the milliseconds until the next call. */
  async extendLeases(): Promise<number> {
    const soon = this.#deps.clock.now() + LEASE_SPAN - LEASE_EXTENDED_EVERY;
    const old = [...this.#opening, ...this.#underWay.keys()].filter(
      ({ leasedUntilAt }) => (leasedUntilAt ?? 0) <= soon,
    );
    if (old.length > 0) await extendLeases(this.#deps, old);
    return LEASE_EXTENDED_EVERY / 1000;
  }

  /** Due messages that are not leased now: they wait for messages of their own account. */
  heldBack(): HeldBack {
    return { channels: this.#limiter.busyChannels(), accounts: this.#accounts.crowdedAccounts() };
  }

  /** Resolves when no message is in progress. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  async #distribute(leased: readonly Delivery[]): Promise<void> {
    const skipped: Skipped[] = [];
    const postponed: Postponed[] = [];
    const messages = await loadMessages(this.#deps, leased, () => this.#turns.next());
    for (const [index, delivery] of leased.entries()) {
      const message = messages[index] ?? null;
      const held = message === null ? { delivery, because: null } : this.#begin(message);
      if (held === null) continue;
      if ('because' in held) skipped.push(held);
      else postponed.push(held);
    }
    if (skipped.length > 0) await skipDeliveries(this.#deps, skipped);
    if (postponed.length > 0) await postponeDeliveries(this.#deps, postponed);
  }

  /** Null if the message was started, else why it is not sent now. */
  #begin(message: AlertMessage): Skipped | Postponed | null {
    const { delivery, channel } = message;
    try {
      return this.#isWanted(message) ? this.#start(message) : { delivery, because: obstacleOf(message) };
    } catch (err) {
      const startedAt = this.#deps.clock.now();
      const outcome = this.#faultOf(delivery, err);
      const ended = { delivery, channel, outcome, exchange: NO_EXCHANGE, startedAt, story: null };
      this.#follow(delivery, this.#record(ended));
      return null;
    }
  }

  /** Null if the message was started, else the reason why it waits. */
  #start(message: AlertMessage): Postponed | null {
    const { delivery, channel } = message;
    const wait = this.#waitOf(channel);
    if (wait > 0) return { delivery, after: wait, pausedChannel: null };
    const { accountId } = delivery;
    const destination = this.#sender.destination(channel, delivery.status);
    const turn = this.#limiter.take(destination, accountId, channel.id);
    if (turn === 'busy') return { delivery, after: null, pausedChannel: null };
    if (turn === 'silent') return { delivery, after: SILENT_PAUSE, pausedChannel: channel };
    let hasTimedOut = false;
    const work = turn
      .then(() => this.#turns.next())
      .then(() => this.#deliver(message))
      .then((timedOut) => {
        hasTimedOut = timedOut;
      });
    this.#follow(delivery, work, () => {
      if (this.#limiter.end(destination, accountId, hasTimedOut)) this.#options.onFree?.();
    });
    return null;
  }

  /** The message's wait because of its provider's wish, or of the limit of its kind. */
  #waitOf(channel: Channel): Micros {
    const now = this.#deps.clock.now();
    const pause = (channel.pausedUntilAt ?? now) - now;
    const limit = this.#sender.limit(channel);
    return pause > 0 || limit === null ? pause : this.#rates.take(limit, now);
  }

  /** Keeps the delivery under way until the work has ended. If it fails, the lease ends, and the message is tried again. */
  #follow(delivery: Delivery, work: Promise<void>, onEnd: () => void = () => undefined): void {
    const followed = work
      .catch((err: unknown) =>
        this.#options.log.error({ event: 'delivery.not_recorded', deliveryId: delivery.id, err }),
      )
      .then(() => {
        this.#underWay.delete(delivery);
        this.#accounts.end(delivery);
        onEnd();
      });
    this.#underWay.set(delivery, followed);
    this.#opening.delete(delivery);
  }

  /** Returns whether the attempt has timed out. */
  async #deliver(message: AlertMessage): Promise<boolean> {
    const { delivery, channel, flip } = message;
    const startedAt = this.#deps.clock.now();
    if (delivery.attemptCount === 1) this.#options.onFirstTry?.(Math.max(0, startedAt - flip.createdAt));
    const begun = this.#deps.clock.monotonic();
    let exchange = NO_EXCHANGE;
    const note = (last: Exchange) => {
      exchange = last;
    };
    const { outcome, story } = await this.#attempt(message, note);
    const hasTimedOut = 'error' in outcome && this.#deps.clock.monotonic() - begun >= TIMED_OUT_AFTER;
    await this.#record({ delivery, channel, outcome, exchange, startedAt, story });
    return hasTimedOut;
  }

  async #attempt(
    message: AlertMessage,
    note: (exchange: Exchange) => void,
  ): Promise<Pick<Try, 'outcome' | 'story'>> {
    let story: Try['story'] = null;
    try {
      if (!message.channel.verified) return { outcome: unconfirmed(message.channel), story };
      const content = await this.#contentOf(message);
      story = content.told?.story ?? null;
      return { outcome: await this.#send(message, content, note), story };
    } catch (err) {
      return { outcome: this.#faultOf(message.delivery, err), story };
    }
  }

  async #record(ended: Try): Promise<void> {
    await this.#tries.write(ended);
    this.#tell(ended.delivery, ended.outcome);
  }

  /** The owner of the channel is told no more: what our code throws may contain anything. */
  #faultOf(delivery: Delivery, err: unknown): Outcome {
    this.#options.log.error({ event: 'delivery.failed', deliveryId: delivery.id, err });
    return tryAgain('Sending failed: internal error');
  }

  #isWanted(message: AlertMessage): boolean {
    const { channel, delivery, flip } = message;
    const event = toldEvent(delivery.status, flip.reason);
    return obstacleOf(message) === null && this.#sender.wants(channel, event);
  }

  async #contentOf(message: AlertMessage): Promise<Content> {
    const { channel, check } = message;
    const body = this.#sender.needsBody(channel) ? await quotedBody(this.#deps, message) : null;
    const told = this.#sender.needsStory(channel) ? await this.#storyOf(message, body) : null;
    const needsDocument = this.#sender.needsDocument(channel);
    const channelUuids = needsDocument ? await this.#deps.store.checks.channelsOf(check.id) : [];
    return { body, told, channelUuids };
  }

  /** An alert is sent even if the story of it cannot be read. */
  async #storyOf(message: AlertMessage, body: Uint8Array | null): Promise<ToldStory | null> {
    try {
      return await askStory(this.#deps, message, body);
    } catch (err) {
      const deliveryId = message.delivery.id;
      this.#options.log.error({ event: 'delivery.story_unreadable', deliveryId, err });
      return null;
    }
  }

  async #send(message: AlertMessage, content: Content, note: (exchange: Exchange) => void): Promise<Outcome> {
    const { channel } = message;
    const event = this.#eventOf(message, content);
    return event === null ? UNTELLABLE : this.#sender.send(channel, event, note);
  }

  /** Null if the check cannot be evaluated. The message is retried, and given up after a day. */
  #eventOf(message: AlertMessage, content: Content): AlertEvent | null {
    try {
      const { site } = this.#options;
      const statusUrl = callbackUrl(this.#deps, message.delivery, site.root);
      return eventOf(message, content, this.#deps.clock.now(), site, statusUrl);
    } catch (err) {
      this.#options.log.error({ event: 'check.not_evaluated', checkId: message.check.id, err });
      return null;
    }
  }

  #tell(delivery: Delivery, outcome: Outcome): void {
    const hasFailed = 'error' in outcome;
    this.#options.onTried?.(!hasFailed);
    const fields = { deliveryId: delivery.id, attempt: delivery.attemptCount };
    if (hasFailed) this.#options.log.warn({ event: 'delivery.refused', ...fields, reason: outcome.error });
    else this.#options.log.debug({ event: 'delivery.made', ...fields });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled();
  }
}

/** The recipient has not confirmed the channel yet. */
export function unconfirmed({ kind }: Pick<Channel, 'kind'>): Outcome {
  return { kind: 'refused', error: kind === 'email' ? 'Email not verified' : 'Not confirmed' };
}

const UNTELLABLE = tryAgain('The check cannot be evaluated');

function restMs(untilNext: number | null): number {
  if (untilNext === null) return MAX_REST_MS;
  return Math.min(MAX_REST_MS, Math.max(1, Math.ceil((untilNext * 1000) / MICROS_PER_SECOND)));
}
