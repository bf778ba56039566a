import type { Logger } from 'pino';
import type { Channel } from '../domain/alert/channel.ts';
import {
  type Exchange,
  LEASE_EXTENDED_EVERY,
  LEASE_SPAN,
  NO_EXCHANGE,
  type Outcome,
  type Progress,
  tryAgain,
} from '../domain/alert/delivery.ts';
import type { Direction } from '../integrations/kind/alert-event.ts';
import { EventLoopTurns } from '../lib/event-loop-turns.ts';
import { GroupWriter } from '../lib/group-writer.ts';
import { type Instant, MICROS_PER_SECOND, type Micros, seconds } from '../lib/instant.ts';
import type { Postponed, Skipped, Try } from '../services/alert/deliveries.ts';
import { AccountTurns, type Leased } from '../services/core/account-turns.ts';
import type { Deps } from '../services/core/deps.ts';
import type { HeldBack } from '../services/instance/vitals.ts';
import type { ChannelSender } from './channel-sender.ts';
import { DestinationLimiter } from './destination-limiter.ts';
import { SendingRates } from './sending-rates.ts';

/** A row of an outbox of messages to channels. */
interface SentRow extends Progress {
  readonly id: number;
  readonly accountId: number;
}

/** A leased row with what its message may mention. */
interface SentMessage<Row> {
  readonly row: Row;
  readonly channel: Channel;
}

/** An outbox of messages to channels, and how its messages are made. */
export interface SentOutbox<Row extends SentRow, Message extends SentMessage<Row>> {
  /** The first word of its events in the log. */
  readonly name: 'delivery' | 'channel_message';
  nextAttemptAt(): Promise<Instant | null>;
  lease(accounts: AccountTurns, limit: number, busyChannels: readonly number[]): Promise<Leased<Row>>;
  extend(rows: readonly Row[]): Promise<void>;
  /** Loads the subjects of the messages, in order. An entry is null if it has gone. `giveWay` is awaited before each one. */
  load(rows: readonly Row[], giveWay: () => Promise<void>): Promise<(Message | null)[]>;
  /** Null if the message is to be sent. */
  obstacle(message: Message): Pick<Skipped<Row>, 'because'> | null;
  direction(row: Row): Direction;
  /** Makes the message and sends it. */
  attempt(
    message: Message,
    note: (exchange: Exchange) => void,
    startedAt: Instant,
  ): Promise<Pick<Try<Row>, 'outcome' | 'story'>>;
  settle(tries: readonly Try<Row>[]): Promise<void>;
  skip(skipped: readonly Skipped<Row>[]): Promise<void>;
  postpone(postponed: readonly Postponed<Row>[]): Promise<void>;
}

export interface OutboxSenderOptions {
  readonly log: Logger;
  /** Messages in progress at once, including those that wait for their destination. An account has half at the most. */
  readonly maxConcurrent: number;
  /** Called when a message has ended: messages that waited for it may be sent now. */
  readonly onFree?: () => void;
  /** Called after each attempt. */
  readonly onTried?: (isDelivered: boolean) => void;
}

/** What all senders of a node share: a destination does not care which of them writes to it. */
export interface SendingPaths {
  readonly limiter: DestinationLimiter;
  readonly rates: SendingRates;
}

/** Messages sent to one destination at once; as many again may wait for it. An account has half at the most. */
export function sendingPaths(maxConcurrentPerDestination: number): SendingPaths {
  return { limiter: new DestinationLimiter(maxConcurrentPerDestination), rates: new SendingRates() };
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
 * Works an outbox: leases due messages, sends them outside of any transaction, and records the result. A message to a busy
 * destination waits. Accounts take turns, and have shares of the running work.
 */
export class OutboxSender<Row extends SentRow, Message extends SentMessage<Row>> implements AsyncDisposable {
  readonly #clock: Deps['clock'];
  readonly #outbox: SentOutbox<Row, Message>;
  readonly #sender: ChannelSender;
  readonly #paths: SendingPaths;
  readonly #options: OutboxSenderOptions;
  /** Leased rows whose messages are being loaded. */
  readonly #opening = new Set<Row>();
  readonly #underWay = new Map<Row, Promise<void>>();
  readonly #accounts: AccountTurns;
  readonly #tries: GroupWriter<Try<Row>>;
  /** Loading and writing a message takes a part of a millisecond each, and pings come in between. */
  readonly #turns = new EventLoopTurns(1);

  constructor(
    { clock }: Pick<Deps, 'clock'>,
    outbox: SentOutbox<Row, Message>,
    sender: ChannelSender,
    paths: SendingPaths,
    options: OutboxSenderOptions,
  ) {
    this.#clock = clock;
    this.#outbox = outbox;
    this.#sender = sender;
    this.#paths = paths;
    this.#options = options;
    this.#accounts = new AccountTurns(options.maxConcurrent);
    this.#tries = new GroupWriter((tries) => outbox.settle(tries));
  }

  /**
   * Starts due messages, within the limits. Returns true if it found one, else the milliseconds until the next call.
   */
  async tick(): Promise<true | number> {
    if (this.#accounts.taken >= this.#options.maxConcurrent) return MAX_REST_MS;
    const next = await this.#outbox.nextAttemptAt();
    const now = this.#clock.now();
    if (next === null || next > now) return restMs(next === null ? null : next - now);
    const busyChannels = this.#paths.limiter.busyChannels();
    const { leased, isComplete } = await this.#outbox.lease(this.#accounts, MAX_LEASED, busyChannels);
    if (leased.length === 0) return isComplete ? MAX_REST_MS : true;
    for (const row of leased) this.#opening.add(row);
    try {
      await this.#distribute(leased);
    } finally {
      // Rows whose messages were started are under way until they end.
      for (const row of leased) if (this.#opening.delete(row)) this.#accounts.end(row);
    }
    return true;
  }

  /** Extends the leases of messages that take long to load or to send. Returns the milliseconds until the next call. */
  async extendLeases(): Promise<number> {
    const soon = this.#clock.now() + LEASE_SPAN - LEASE_EXTENDED_EVERY;
    const old = [...this.#opening, ...this.#underWay.keys()].filter(
      ({ leasedUntilAt }) => (leasedUntilAt ?? 0) <= soon,
    );
    if (old.length > 0) await this.#outbox.extend(old);
    return LEASE_EXTENDED_EVERY / 1000;
  }

  /** Due messages that are not leased now: they wait for messages of their own account. */
  heldBack(): HeldBack {
    return { channels: this.#paths.limiter.busyChannels(), accounts: this.#accounts.crowdedAccounts() };
  }

  /** Resolves when no message is in progress. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  async #distribute(leased: readonly Row[]): Promise<void> {
    const skipped: Skipped<Row>[] = [];
    const postponed: Postponed<Row>[] = [];
    const messages = await this.#outbox.load(leased, () => this.#turns.next());
    for (const [index, row] of leased.entries()) {
      const message = messages[index] ?? null;
      const held = message === null ? { row, because: null } : this.#begin(message);
      if (held === null) continue;
      if ('because' in held) skipped.push(held);
      else postponed.push(held);
    }
    if (skipped.length > 0) await this.#outbox.skip(skipped);
    if (postponed.length > 0) await this.#outbox.postpone(postponed);
  }

  /** Null if the message was started, else why it is not sent now. */
  #begin(message: Message): Skipped<Row> | Postponed<Row> | null {
    const { row, channel } = message;
    try {
      const obstacle = this.#outbox.obstacle(message);
      return obstacle === null ? this.#start(message) : { row, ...obstacle };
    } catch (err) {
      const startedAt = this.#clock.now();
      const outcome = this.#faultOf(row, err);
      const ended = { row, channel, outcome, exchange: NO_EXCHANGE, startedAt, story: null };
      this.#follow(row, this.#record(ended));
      return null;
    }
  }

  /** Null if the message was started, else the reason why it waits. */
  #start(message: Message): Postponed<Row> | null {
    const { row, channel } = message;
    const { limiter } = this.#paths;
    const wait = this.#waitOf(channel);
    if (wait > 0) return { row, after: wait, pausedChannel: null };
    const { accountId } = row;
    const destination = this.#sender.destination(channel, this.#outbox.direction(row));
    const turn = limiter.take(destination, accountId, channel.id);
    if (turn === 'busy') return { row, after: null, pausedChannel: null };
    if (turn === 'silent') return { row, after: SILENT_PAUSE, pausedChannel: channel };
    let hasTimedOut = false;
    const work = turn
      .then(() => this.#turns.next())
      .then(() => this.#deliver(message))
      .then((timedOut) => {
        hasTimedOut = timedOut;
      });
    this.#follow(row, work, () => {
      if (limiter.end(destination, accountId, hasTimedOut)) this.#options.onFree?.();
    });
    return null;
  }

  /** The message's wait because of its provider's wish, or of the limit of its kind. */
  #waitOf(channel: Channel): Micros {
    const now = this.#clock.now();
    const pause = (channel.pausedUntilAt ?? now) - now;
    const limit = this.#sender.limit(channel);
    return pause > 0 || limit === null ? pause : this.#paths.rates.take(limit, now);
  }

  /** Keeps the row under way until the work has ended. If it fails, the lease ends, and the message is tried again. */
  #follow(row: Row, work: Promise<void>, onEnd: () => void = () => undefined): void {
    const followed = work
      .catch((err: unknown) => this.#options.log.error({ ...this.#event('not_recorded', row), err }))
      .then(() => {
        this.#underWay.delete(row);
        this.#accounts.end(row);
        onEnd();
      });
    this.#underWay.set(row, followed);
    this.#opening.delete(row);
  }

  /** Returns whether the attempt has timed out. */
  async #deliver(message: Message): Promise<boolean> {
    const { row, channel } = message;
    const startedAt = this.#clock.now();
    const begun = this.#clock.monotonic();
    let exchange = NO_EXCHANGE;
    const note = (last: Exchange) => {
      exchange = last;
    };
    const { outcome, story } = await this.#attempt(message, note, startedAt);
    const hasTimedOut = 'error' in outcome && this.#clock.monotonic() - begun >= TIMED_OUT_AFTER;
    await this.#record({ row, channel, outcome, exchange, startedAt, story });
    return hasTimedOut;
  }

  async #attempt(
    message: Message,
    note: (exchange: Exchange) => void,
    startedAt: Instant,
  ): Promise<Pick<Try<Row>, 'outcome' | 'story'>> {
    try {
      if (!message.channel.verified) return { outcome: unconfirmed(message.channel), story: null };
      return await this.#outbox.attempt(message, note, startedAt);
    } catch (err) {
      return { outcome: this.#faultOf(message.row, err), story: null };
    }
  }

  async #record(ended: Try<Row>): Promise<void> {
    await this.#tries.write(ended);
    this.#tell(ended.row, ended.outcome);
  }

  /** The owner of the channel is told no more: what our code throws may contain anything. */
  #faultOf(row: Row, err: unknown): Outcome {
    this.#options.log.error({ ...this.#event('failed', row), err });
    return tryAgain('Sending failed: internal error');
  }

  #tell(row: Row, outcome: Outcome): void {
    const hasFailed = 'error' in outcome;
    this.#options.onTried?.(!hasFailed);
    const attempt = row.attemptCount;
    if (hasFailed) this.#options.log.warn({ ...this.#event('refused', row), attempt, reason: outcome.error });
    else this.#options.log.debug({ ...this.#event('made', row), attempt });
  }

  #event(what: 'not_recorded' | 'failed' | 'refused' | 'made', { id }: Row) {
    const { name } = this.#outbox;
    return { event: `${name}.${what}`, ...(name === 'delivery' ? { deliveryId: id } : { messageId: id }) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled();
  }
}

/** The recipient has not confirmed the channel yet. */
export function unconfirmed({ kind }: Pick<Channel, 'kind'>): Outcome {
  return { kind: 'refused', error: kind === 'email' ? 'Email not verified' : 'Not confirmed' };
}

function restMs(untilNext: number | null): number {
  if (untilNext === null) return MAX_REST_MS;
  return Math.min(MAX_REST_MS, Math.max(1, Math.ceil((untilNext * 1000) / MICROS_PER_SECOND)));
}
