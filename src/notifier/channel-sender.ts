import type { ButtonChoice } from '../domain/alert/button.ts';
import type { Channel, ChannelEvent } from '../domain/alert/channel.ts';
import { DELIVERED, type Outcome, tryAgain } from '../domain/alert/delivery.ts';
import type { Quota, QuotaRefusal } from '../domain/alert/message-quota.ts';
import { alertMail } from '../integrations/email/message.ts';
import type { AlertEvent, Direction } from '../integrations/kind/alert-event.ts';
import type {
  OutboundRequest,
  Ports,
  RateLimit,
  UndeliveredMessage,
  WriteMail,
} from '../integrations/kind/kind.ts';
import {
  type CodeMessage,
  type NoteExchange,
  type OpenChannel,
  openChannel,
  type Preview,
  type ServerSettings,
} from '../integrations/registry.ts';
import type { HttpResult } from '../lib/http-client.ts';
import type { MailSender } from '../lib/mail-sender.ts';
import type { Vault } from '../lib/vault.ts';

/** Sends a message with the code of its channel's kind. */
export interface ChannelSender {
  /** Whether the channel is told of such events. */
  wants(channel: Channel, event: ChannelEvent): boolean;
  needsBody(channel: Channel): boolean;
  /** Whether its messages tell the whole story of a change. */
  needsStory(channel: Channel): boolean;
  /** Whether its messages contain the check as the API shows it. */
  needsDocument(channel: Channel): boolean;
  /** The buttons of its messages, and whether they work only if the operator's bot is told of taps. */
  buttons(channel: Channel): { readonly choice: ButtonChoice; readonly needsTaps: boolean };
  /** A resource that the channel shares with others, such as a host. One channel must not occupy it alone. */
  destination(channel: Channel, to: Direction): string;
  /** The rate limit of the destination; null if there is none. */
  limit(channel: Channel): RateLimit | null;
  /** Never throws. `note` is called after each request with the exchange. */
  send(channel: Channel, event: AlertEvent, note?: NoteExchange): Promise<Outcome>;
}

/** Shows the messages that would be sent, and sends nothing. */
export interface ChannelPreviewer
  extends Pick<ChannelSender, 'buttons' | 'needsBody' | 'needsStory' | 'needsDocument'> {
  /** Secrets are masked. */
  preview(channel: Channel, event: AlertEvent): Promise<Preview>;
}

/** Sends the codes by which recipients confirm that messages are wanted. */
export interface CodeSender {
  /** Never throws. */
  sendCode(channel: Channel, message: CodeMessage): Promise<Outcome>;
}

/** The transports that send messages. */
export interface Transports {
  http(request: OutboundRequest): Promise<HttpResult>;
  /** Null if no mail server is configured. */
  readonly mail: MailSender | null;
  /** Absent: no commands are run. */
  readonly shell?: Ports['shell'];
  /** Absent: nothing is reached by other protocols. */
  readonly converse?: Ports['converse'];
  /** The operator's settings for the kinds. */
  readonly server: ServerSettings;
  /** Unseals the secrets among the settings of channels. */
  readonly vault: Vault;
  /**
   * Called for the first channel whose secrets cannot be unsealed. It is not called for others, because there may be
   * very many.
   */
  onUnreadable?(channel: Channel): void;
  unsubscribeUrl(channel: Channel): string;
  /** The return address of mail about a delivery. Null or absent: mail is returned to its sender. */
  returnAddress?(deliveryUuid: string): string | null;
  /** Absent: browsers are not told. */
  readonly randomBytes?: Ports['randomBytes'];
  readonly pushAuthorization?: Ports['pushAuthorization'];
  /** Absent: nobody is told. */
  askForCaptcha?(channel: Channel, challenge: string, message: UndeliveredMessage): Promise<void>;
  /** Absent: there is no limit. */
  readonly quotas?: QuotaKeeper;
  /** Absent: mails are written on this thread. */
  readonly writeMail?: WriteMail;
}

/** Counts messages that cost the operator money. */
export interface QuotaKeeper {
  take(channel: Channel, quota: Quota, message: UndeliveredMessage): Promise<QuotaRefusal | null>;
  giveBack(channel: Channel, quota: Quota): Promise<void>;
}

export function createChannelSender(transports: Transports): ChannelSender & ChannelPreviewer & CodeSender {
  // Messages that are loaded together share the object of their channel. So each channel is unsealed once.
  const known = new WeakMap<Channel, OpenChannel>();
  let hasTold = false;
  const open = (channel: Channel) =>
    known.getOrInsertComputed(channel, () => {
      const opened = openChannel(channel, transports.server, transports.vault);
      if (!opened.isReadable && !hasTold) {
        hasTold = true;
        transports.onUnreadable?.(channel);
      }
      return opened;
    });
  return {
    wants: (channel, event) => open(channel).wants(event),
    needsBody: (channel) => open(channel).needsBody,
    needsStory: (channel) => open(channel).needsStory,
    needsDocument: (channel) => open(channel).needsDocument,
    buttons: (channel) => {
      const { buttons: choice, needsTaps } = open(channel);
      return { choice, needsTaps };
    },
    destination: (channel, to) => open(channel).destination(to),
    limit: (channel) => open(channel).limit,
    send: (channel, event, note) =>
      open(channel).send(event, portsFor(channel, event.deliveryId, transports), note),
    sendCode: (channel, message) =>
      open(channel).sendCode(message, portsFor(channel, message.id, transports)),
    preview: (channel, event) =>
      open(channel).preview(event, portsFor(channel, event.deliveryId, transports)),
  };
}

function portsFor(channel: Channel, deliveryId: string, transports: Transports): Ports {
  return {
    http: (request) => transports.http(request),
    mail: async (mail) => {
      if (transports.mail === null) return tryAgain('Sending mail is not configured');
      const returnTo = transports.returnAddress?.(deliveryId) ?? null;
      const error = await transports.mail.send({ ...mail, id: deliveryId, returnTo });
      return error === null ? DELIVERED : tryAgain(error);
    },
    writeMail: transports.writeMail ?? (async (...alert) => alertMail(...alert)),
    unsubscribeUrl: () => transports.unsubscribeUrl(channel),
    shell: async (command) => transports.shell?.(command) ?? { error: 'Commands cannot be run here' },
    converse: async (target, talk) => transports.converse?.(target, talk) ?? { error: 'Connection failed' },
    randomBytes: (count) => transports.randomBytes?.(count) ?? failing('randomness'),
    pushAuthorization: async (origin) => transports.pushAuthorization?.(origin) ?? failing('a key'),
    askForCaptcha: async (challenge, message) => transports.askForCaptcha?.(channel, challenge, message),
    takeQuota: async (quota, message) => (await transports.quotas?.take(channel, quota, message)) ?? null,
    returnQuota: async (quota) => transports.quotas?.giveBack(channel, quota),
  };
}

function failing(what: string): never {
  throw new Error(`there is no ${what} here`);
}
