import { DELIVERED, type Outcome } from '../domain/delivery.ts';
import type { AlertEvent } from './alert-event.ts';
import type { OutboundRequest, Ports } from './kind.ts';
import { MASK } from './setting.ts';

/** What would be sent, with secrets masked. */
export interface Preview {
  readonly requests: readonly PreviewedRequest[];
  readonly mails: readonly PreviewedMail[];
  /** The UUIDs of the channels that would send it instead. */
  readonly channels: readonly string[];
  /** Why nothing would be sent. Empty if something would. */
  readonly error: string;
}

export interface PreviewedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PreviewedMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export const NOTHING_TO_SEND: Preview = { requests: [], mails: [], channels: [], error: '' };

/** An answer that every kind takes for a success. */
const ACCEPTED = { status: 200, headers: {}, body: new Uint8Array() };

/** Delivers to ports that send nothing, and collects what they were given. */
export async function previewOf(
  event: AlertEvent,
  { writeMail }: Pick<Ports, 'writeMail'>,
  deliver: (ports: Ports) => Promise<Outcome>,
): Promise<Preview> {
  const requests: PreviewedRequest[] = [];
  const mails: PreviewedMail[] = [];
  const outcome = await deliver({
    async http(request) {
      requests.push(readableRequest(request));
      return ACCEPTED;
    },
    async mail({ to, subject, text }) {
      mails.push({ to, subject, text });
      return DELIVERED;
    },
    writeMail,
    unsubscribeUrl: () => `${event.site.root}/integrations/${MASK}/`,
  });
  return {
    requests,
    mails,
    channels: outcome.kind === 'passed_on' ? outcome.channels : [],
    error: 'error' in outcome ? outcome.error : '',
  };
}

function readableRequest({ method, url, headers, body }: OutboundRequest): PreviewedRequest {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body ?? undefined);
  const shown = Object.entries(headers).map(([name, value]) => [name, readable(value)]);
  return { method, url: readable(url), headers: Object.fromEntries(shown), body: readable(text) };
}

/** The mask as people know it, however the request encodes it. */
function readable(text: string): string {
  return text.replaceAll('%E2%80%A2', '•').replaceAll('&#8226;', '•');
}
