import type { Logger } from 'pino';
import { type Delivery, type Exchange, tryAgain } from '../domain/alert/delivery.ts';
import type { ToldStory } from '../domain/history/alert-story.ts';
import { wantedEvent } from '../domain/policy/reasons.ts';
import type { AlertEvent } from '../integrations/kind/alert-event.ts';
import type { Instant, Micros } from '../lib/instant.ts';
import { callbackUrl } from '../services/alert/callbacks.ts';
import {
  type AlertMessage,
  extendLeases,
  leaseDeliveries,
  loadMessages,
  nextDeliveryAt,
  obstacleOf,
  postponeDeliveries,
  quotedBody,
  settleDeliveries,
  skipDeliveries,
  type Try,
} from '../services/alert/deliveries.ts';
import type { Deps } from '../services/core/deps.ts';
import { askStory } from '../services/history/alert-stories.ts';
import type { ChannelSender } from './channel-sender.ts';
import { type Content, eventOf, type NamedSite } from './event.ts';
import { MessageButtons } from './message-buttons.ts';
import {
  OutboxSender,
  type OutboxSenderOptions,
  type SendingPaths,
  type SentOutbox,
  sendingPaths,
} from './outbox-sender.ts';

export interface NotifierOptions extends OutboxSenderOptions {
  readonly site: NamedSite;
  /** Messages sent to one destination at once; as many again may wait for it. An account has half at the most. */
  readonly maxConcurrentPerDestination: number;
  /** Whether the operator's bot is told of taps on buttons. Absent: it is not. */
  readonly hearsTaps?: () => Promise<boolean>;
  /** Called when the first attempt of a message begins, with the time since the change that it tells. */
  readonly onFirstTry?: (delay: Micros) => void;
}

/** A leased delivery with its message. */
interface Sent extends AlertMessage {
  readonly row: Delivery;
}

/** Sends the messages about changes of status. Those of one check to one channel keep their order. */
export class Notifier extends OutboxSender<Delivery, Sent> {
  readonly paths: SendingPaths;

  constructor(deps: Deps, sender: ChannelSender, options: NotifierOptions) {
    const paths = sendingPaths(options.maxConcurrentPerDestination);
    super(deps, new DeliveryOutbox(deps, sender, options), sender, paths, options);
    this.paths = paths;
  }
}

class DeliveryOutbox implements SentOutbox<Delivery, Sent> {
  readonly name = 'delivery';
  readonly #deps: Deps;
  readonly #sender: ChannelSender;
  readonly #options: Pick<NotifierOptions, 'site' | 'onFirstTry'> & { readonly log: Logger };
  readonly #buttons: MessageButtons;

  constructor(deps: Deps, sender: ChannelSender, options: NotifierOptions) {
    this.#deps = deps;
    this.#sender = sender;
    this.#options = options;
    this.#buttons = new MessageButtons(deps, sender, {
      root: options.site.root,
      hearsTaps: options.hearsTaps ?? (async () => false),
    });
  }

  nextAttemptAt = () => nextDeliveryAt(this.#deps);
  lease: SentOutbox<Delivery, Sent>['lease'] = (...turn) => leaseDeliveries(this.#deps, ...turn);
  extend: SentOutbox<Delivery, Sent>['extend'] = (rows) => extendLeases(this.#deps, rows);
  settle: SentOutbox<Delivery, Sent>['settle'] = (tries) => settleDeliveries(this.#deps, tries);
  skip: SentOutbox<Delivery, Sent>['skip'] = (skipped) => skipDeliveries(this.#deps, skipped);
  postpone: SentOutbox<Delivery, Sent>['postpone'] = (postponed) => postponeDeliveries(this.#deps, postponed);
  direction = ({ status }: Delivery) => status;

  async load(rows: readonly Delivery[], giveWay: () => Promise<void>): Promise<(Sent | null)[]> {
    const messages = await loadMessages(this.#deps, rows, giveWay);
    return messages.map((message) => message && { ...message, row: message.delivery });
  }

  obstacle(message: Sent): { because: ReturnType<typeof obstacleOf> } | null {
    const { channel, delivery, flip } = message;
    const because = obstacleOf(message);
    const isWanted = because === null && this.#sender.wants(channel, wantedEvent(delivery, flip.reason));
    return isWanted ? null : { because };
  }

  async attempt(
    message: Sent,
    note: (exchange: Exchange) => void,
    startedAt: Instant,
  ): Promise<Pick<Try, 'outcome' | 'story'>> {
    const { delivery, channel, flip } = message;
    // What a plan has put off is not late for that.
    const dueAt = delivery.why === '' ? flip.createdAt : delivery.createdAt;
    if (delivery.attemptCount === 1) this.#options.onFirstTry?.(Math.max(0, startedAt - dueAt));
    const content = await this.#contentOf(message);
    const story = content.told?.story ?? null;
    const event = await this.#eventOf(message, content);
    return { outcome: event === null ? UNTELLABLE : await this.#sender.send(channel, event, note), story };
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

  /** Null if the check cannot be evaluated. The message is retried, and given up after a day. */
  async #eventOf(message: AlertMessage, content: Content): Promise<AlertEvent | null> {
    const { delivery, channel } = message;
    const { site } = this.#options;
    const now = this.#deps.clock.now();
    // Of all attempts the addresses are the same.
    const about = { deliveryUuid: delivery.uuid, kind: 'message', now: delivery.createdAt } as const;
    const buttons = await this.#buttons.of(channel, delivery.status, about);
    try {
      const statusUrl = callbackUrl(this.#deps, delivery, site.root);
      return eventOf(message, content, now, site, { statusUrl, buttons });
    } catch (err) {
      this.#options.log.error({ event: 'check.not_evaluated', checkId: message.check.id, err });
      return null;
    }
  }
}

const UNTELLABLE = tryAgain('The check cannot be evaluated');
