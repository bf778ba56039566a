import type { Channel } from '../domain/channel.ts';
import type { AlertEvent, OutboundRequest, Ports, Verdict } from '../integrations/integration.ts';
import { destinationOf, needsBody, sendAlert, wantsAlert } from '../integrations/registry.ts';
import type { HttpResult } from '../lib/http-client.ts';
import type { MailSender } from '../lib/mail-sender.ts';
import type { Carrier } from './notifier.ts';

/** The ways out of the house. */
export interface Ways {
  http(request: OutboundRequest): Promise<HttpResult>;
  /** Null where no mail server is configured. */
  readonly mail: MailSender | null;
  unsubscribeUrl(channel: Channel): string;
  /** Where mail about a delivery is returned to; null or absent: to whoever it is from. */
  returnAddress?(deliveryUuid: string): string | null;
}

/** What providers answer with when they have taken a message; nothing else counts. */
const TAKEN = [200, 201, 202, 204];

/** Sends by the code of the channel's kind, over the ways there are. */
export function createCarrier(ways: Ways): Carrier {
  return {
    wants: ({ kind, settings }, to) => wantsAlert(kind, settings, to),
    needsBody: ({ kind }) => needsBody(kind),
    destination: ({ kind, settings }, to) => destinationOf(kind, settings, to),
    send: (channel, event: AlertEvent) =>
      sendAlert(channel.kind, channel.settings, event, portsFor(channel, event, ways)),
  };
}

function portsFor(channel: Channel, { deliveryId }: AlertEvent, ways: Ways): Ports {
  return {
    http: async (request) => judge(await ways.http(request)),
    mail: async (mail) => {
      const addressed = { ...mail, id: deliveryId, returnTo: ways.returnAddress?.(deliveryId) ?? null };
      const error = ways.mail === null ? 'Sending mail is not configured' : await ways.mail.send(addressed);
      return error === null ? { ok: true } : failed(error, null);
    },
    unsubscribeUrl: () => ways.unsubscribeUrl(channel),
  };
}

function judge(result: HttpResult): Verdict {
  if ('error' in result) return failed(result.error, null);
  if (TAKEN.includes(result.status)) return { ok: true };
  return failed(`Received status code ${result.status}`, retryAfter(result.headers['retry-after']));
}

function failed(error: string, retryAfterSeconds: number | null): Verdict {
  return { ok: false, error, isPermanent: false, retryAfterSeconds };
}

/** Only the form in seconds: what is given as a date is rare, and our own pauses do as well. */
function retryAfter(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : null;
}
