import { type ChannelMessage, noticeEvent } from '../domain/alert/channel-message.ts';
import type { Exchange } from '../domain/alert/delivery.ts';
import { listed } from '../domain/check/check-links.ts';
import { takesAnyWords } from '../integrations/registry.ts';
import {
  extendMessageLeases,
  leaseMessages,
  nextMessageAt,
  type OpenedMessage,
  openMessages,
  postponeMessages,
  settleMessages,
  skipMessages,
} from '../services/alert/channel-messages.ts';
import { obstacleOf, type Try } from '../services/alert/deliveries.ts';
import type { Deps } from '../services/core/deps.ts';
import { type NoticeWords, noticeWords } from '../wire/notice/notice-words.ts';
import { togetherWords } from '../wire/notice/together-words.ts';
import type { ChannelSender } from './channel-sender.ts';
import { eventOfNotice, type NamedSite } from './event.ts';
import {
  OutboxSender,
  type OutboxSenderOptions,
  type SendingPaths,
  type SentOutbox,
} from './outbox-sender.ts';

export interface ChannelMessageSenderOptions extends OutboxSenderOptions {
  readonly site: NamedSite;
}

/** Sends the messages to channels that tell of no change of status. */
export class ChannelMessageSender extends OutboxSender<ChannelMessage, OpenedMessage> {
  constructor(deps: Deps, sender: ChannelSender, paths: SendingPaths, options: ChannelMessageSenderOptions) {
    super(deps, new ChannelMessageOutbox(deps, sender, options.site), sender, paths, options);
  }
}

type Outbox = SentOutbox<ChannelMessage, OpenedMessage>;

class ChannelMessageOutbox implements Outbox {
  readonly name = 'channel_message';
  readonly #deps: Deps;
  readonly #sender: ChannelSender;
  readonly #site: NamedSite;

  constructor(deps: Deps, sender: ChannelSender, site: NamedSite) {
    this.#deps = deps;
    this.#sender = sender;
    this.#site = site;
  }

  nextAttemptAt = () => nextMessageAt(this.#deps);
  lease: Outbox['lease'] = (...turn) => leaseMessages(this.#deps, ...turn);
  extend: Outbox['extend'] = (rows) => extendMessageLeases(this.#deps, rows);
  load: Outbox['load'] = (rows, giveWay) => openMessages(this.#deps, rows, giveWay);
  settle: Outbox['settle'] = (tries) => settleMessages(this.#deps, tries);
  skip: Outbox['skip'] = (skipped) => skipMessages(this.#deps, skipped);
  postpone: Outbox['postpone'] = (postponed) => postponeMessages(this.#deps, postponed);
  direction = () => 'up' as const;

  obstacle(message: OpenedMessage): { because: ReturnType<typeof obstacleOf> } | null {
    const because = obstacleOf(message);
    return because === null && this.#isWanted(message) ? null : { because };
  }

  /** The settings may have changed since the message was queued. */
  #isWanted({ channel, check, row: { subject } }: OpenedMessage): boolean {
    if (!takesAnyWords(channel)) return false;
    if (subject.kind === 'done') return check !== null && listed(check.doneChannels).includes(channel.uuid);
    const event = noticeEvent(subject);
    return event === null || this.#sender.wants(channel, event);
  }

  async attempt(
    message: OpenedMessage,
    note: (exchange: Exchange) => void,
  ): Promise<Pick<Try<ChannelMessage>, 'outcome' | 'story'>> {
    const event = eventOfNotice(message, wordsOf(message), this.#deps.clock.now(), this.#site);
    return { outcome: await this.#sender.send(message.channel, event, note), story: null };
  }
}

function wordsOf({ row: { subject }, check, many }: OpenedMessage): NoticeWords {
  if (subject.kind === 'together')
    return togetherWords(subject.parameters, many?.rows ?? [], many?.tag ?? null);
  if (check === null) throw new Error(`a message of the kind ${subject.kind} is about a check`);
  return noticeWords(subject, check);
}
