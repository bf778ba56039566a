import type { Channel } from '../domain/channel.ts';
import { DELIVERED, type Outcome, tryAgain } from '../domain/delivery.ts';
import type { AlertEvent, Direction } from '../integrations/alert-event.ts';
import type { OutboundRequest, Ports, RateLimit } from '../integrations/kind.ts';
import { type OpenChannel, openChannel, type ServerSettings } from '../integrations/registry.ts';
import type { HttpResult } from '../lib/http-client.ts';
import type { MailSender } from '../lib/mail-sender.ts';
import type { Vault } from '../lib/vault.ts';

/** Sends a message by the code of its channel's kind. */
export interface ChannelSender {
  /** Whether the channel is told of that direction at all. */
  wants(channel: Channel, to: Direction): boolean;
  needsBody(channel: Channel): boolean;
  /** What the channel shares with others, such as a host: one channel must not keep it busy alone. */
  destination(channel: Channel, to: Direction): string;
  /** How many messages the destination takes in a while; null: any number. */
  limit(channel: Channel): RateLimit | null;
  /** Never throws. */
  send(channel: Channel, event: AlertEvent): Promise<Outcome>;
}

/** The transports that messages leave by. */
export interface Transports {
  http(request: OutboundRequest): Promise<HttpResult>;
  /** Null where no mail server is configured. */
  readonly mail: MailSender | null;
  /** What the operator has set for the kinds. */
  readonly server: ServerSettings;
  /** Unseals the secrets among the settings of channels. */
  readonly vault: Vault;
  /** Told of the first channel whose secrets cannot be unsealed, and of no other: there may be very many. */
  onUnreadable?(channel: Channel): void;
  unsubscribeUrl(channel: Channel): string;
  /** Where mail about a delivery is returned to; null or absent: to whoever it is from. */
  returnAddress?(deliveryUuid: string): string | null;
}

export function createChannelSender(transports: Transports): ChannelSender {
  // Messages that are loaded together share their channel, which is then unsealed once.
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
    wants: (channel, to) => open(channel).wants(to),
    needsBody: (channel) => open(channel).needsBody,
    destination: (channel, to) => open(channel).destination(to),
    limit: (channel) => open(channel).limit,
    send: (channel, event) => open(channel).send(event, portsFor(channel, event, transports)),
  };
}

function portsFor(channel: Channel, { deliveryId }: AlertEvent, transports: Transports): Ports {
  return {
    http: (request) => transports.http(request),
    mail: async (mail) => {
      if (transports.mail === null) return tryAgain('Sending mail is not configured');
      const returnTo = transports.returnAddress?.(deliveryId) ?? null;
      const error = await transports.mail.send({ ...mail, id: deliveryId, returnTo });
      return error === null ? DELIVERED : tryAgain(error);
    },
    unsubscribeUrl: () => transports.unsubscribeUrl(channel),
  };
}
