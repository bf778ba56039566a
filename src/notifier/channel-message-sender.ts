import type { Button } from '../domain/alert/button.ts';
import { type ChannelMessage, noticeEvent } from '../domain/alert/channel-message.ts';
import type { Exchange } from '../domain/alert/delivery.ts';
import { listed } from '../domain/check/check-links.ts';
import { wantedEvent } from '../domain/policy/reasons.ts';
import type { Direction } from '../integrations/kind/alert-event.ts';
import { reportOf, takesAnyWords } from '../integrations/registry.ts';
import {
  extendMessageLeases,
  leaseMessages,
  leaveOut,
  nextMessageAt,
  type OpenedMessage,
  openMessages,
  postponeMessages,
  settleMessages,
  skipMessages,
} from '../services/alert/channel-messages.ts';
import { obstacleOf, type Try } from '../services/alert/deliveries.ts';
import type { Deps } from '../services/core/deps.ts';
import type { CollectedRow } from '../storage/store.ts';
import { type NoticeWords, noticeWords } from '../wire/notice/notice-words.ts';
import { reportNotice } from '../wire/notice/report-notice.ts';
import { togetherWords } from '../wire/notice/together-words.ts';
import type { ChannelSender } from './channel-sender.ts';
import { eventOfNotice, type NamedSite } from './event.ts';
import { MessageButtons } from './message-buttons.ts';
import {
  OutboxSender,
  type OutboxSenderOptions,
  type SendingPaths,
  type SentOutbox,
} from './outbox-sender.ts';

export interface ChannelMessageSenderOptions extends OutboxSenderOptions {
  readonly site: NamedSite;
  /** Whether the operator's bot is told of taps on buttons. Absent: it is not. */
  readonly hearsTaps?: () => Promise<boolean>;
}

/** Sends the messages to channels that tell of no change of status. */
export class ChannelMessageSender extends OutboxSender<ChannelMessage, OpenedMessage> {
  constructor(deps: Deps, sender: ChannelSender, paths: SendingPaths, options: ChannelMessageSenderOptions) {
    super(deps, new ChannelMessageOutbox(deps, sender, options), sender, paths, options);
  }
}

type Outbox = SentOutbox<ChannelMessage, OpenedMessage>;

class ChannelMessageOutbox implements Outbox {
  readonly name = 'channel_message';
  readonly #deps: Deps;
  readonly #sender: ChannelSender;
  readonly #site: NamedSite;
  readonly #buttons: MessageButtons;

  constructor(
    deps: Deps,
    sender: ChannelSender,
    { site, hearsTaps = async () => false }: Pick<ChannelMessageSenderOptions, 'site' | 'hearsTaps'>,
  ) {
    this.#deps = deps;
    this.#sender = sender;
    this.#site = site;
    this.#buttons = new MessageButtons(deps, sender, { root: site.root, hearsTaps });
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
  #isWanted(message: OpenedMessage): boolean {
    const { channel, check, row } = message;
    const { subject } = row;
    if (!takesAnyWords(channel)) return false;
    if (subject.kind === 'together') return this.#wantedRows(message).length > 0;
    if (subject.kind === 'report') return reportOf(channel) === subject.parameters.period;
    if (subject.kind === 'done') return check !== null && listed(check.doneChannels).includes(channel.uuid);
    const event = noticeEvent(subject);
    return event === null || this.#sender.wants(channel, event);
  }

  async attempt(
    message: OpenedMessage,
    note: (exchange: Exchange) => void,
  ): Promise<Pick<Try<ChannelMessage>, 'outcome' | 'story'>> {
    const rows = this.#wantedRows(message);
    const unwanted = (message.many?.rows ?? []).filter((row) => !rows.includes(row));
    // Before it is sent: what is open afterwards is what was told, whichever node records the result.
    if (unwanted.length > 0) await leaveOut(this.#deps, message.row, unwanted);
    const words = wordsOf(message, rows);
    const event = eventOfNotice(message, words, this.#deps.clock.now(), this.#site);
    const buttons = await this.#buttonsOf(message, event.to);
    return { outcome: await this.#sender.send(message.channel, { ...event, buttons }, note), story: null };
  }

  /** What a message about several checks tells of them. */
  #wantedRows({ channel, many }: OpenedMessage): readonly CollectedRow[] {
    return (many?.rows ?? []).filter((row) => this.#sender.wants(channel, wantedEvent(row, row.reason)));
  }

  /** Only outages have buttons. Of all attempts the addresses are the same. */
  async #buttonsOf({ channel, row }: OpenedMessage, to: Direction): Promise<readonly Button[]> {
    if (row.subject.kind !== 'together') return [];
    return this.#buttons.of(channel, to, { deliveryUuid: row.uuid, kind: 'many', now: row.createdAt });
  }
}

function wordsOf(
  { row: { subject }, project, check, many, report }: OpenedMessage,
  rows: readonly CollectedRow[],
): NoticeWords {
  if (subject.kind === 'together') return togetherWords(subject.parameters, rows, many?.tag ?? null);
  if (subject.kind === 'report' && report !== null) return reportNotice(subject.parameters, project, report);
  if (check === null || subject.kind === 'report')
    throw new Error(`a message of the kind ${subject.kind} is about a check`);
  return noticeWords(subject, check);
}
