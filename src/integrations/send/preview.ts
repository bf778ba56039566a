import { DELIVERED, type Outcome } from '../../domain/alert/delivery.ts';
import type { Line } from '../../lib/socket-client.ts';
import { oneLine, plainLines } from '../../lib/text/one-line.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { ConversationTarget, Kind, OutboundRequest, Ports, Reply } from '../kind/kind.ts';
import { MASK } from '../kind/setting.ts';

/** The messages that would be sent, with secrets masked. */
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

/** The answer with which the provider accepts the request. */
export function acceptedBy({ acceptedWith }: Pick<Kind, 'acceptedWith'>, request: OutboundRequest): Reply {
  const body = new TextEncoder().encode(acceptedWith?.(request) ?? '');
  return { status: 200, headers: {}, body };
}

/** A line whose other side accepts everything. `onWritten` receives the written bytes. */
export function acceptingLine(
  { acceptedByPeer }: Pick<Kind, 'acceptedByPeer'>,
  onWritten: (bytes: Uint8Array) => void,
): Line {
  const replies: Uint8Array[] = [];
  return {
    write(bytes) {
      const written = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
      onWritten(written);
      if (acceptedByPeer !== undefined) replies.push(acceptedByPeer(written));
    },
    end: () => undefined,
    read: async () => replies.shift() ?? null,
  };
}

/** The other side of a conversation, in words. */
export function peerName(target: ConversationTarget): string {
  return 'path' in target ? target.path : `${target.host}:${target.port}`;
}

/** Delivers to ports that send nothing, and collects their input. */
export async function previewOf(
  kind: Kind,
  event: AlertEvent,
  { writeMail }: Pick<Ports, 'writeMail'>,
  deliver: (ports: Ports) => Promise<Outcome>,
): Promise<Preview> {
  const requests: PreviewedRequest[] = [];
  const mails: PreviewedMail[] = [];
  const outcome = await deliver({
    async http(request) {
      requests.push(readableRequest(request));
      return acceptedBy(kind, request);
    },
    async mail({ to, subject, text }) {
      mails.push({ to, subject, text });
      return DELIVERED;
    },
    writeMail,
    unsubscribeUrl: () => `${event.site.root}/integrations/${MASK}/`,
    async shell({ command, variables }) {
      const lines = Object.entries(variables).map(([name, value]) => `${name}=${oneLine(value)}`);
      requests.push({ method: 'RUN', url: '/bin/sh', headers: {}, body: [...lines, command].join('\n') });
      return { exitCode: 0 };
    },
    async converse(target, talk) {
      const note = (bytes: Uint8Array) => {
        const body = plainLines(new TextDecoder().decode(bytes));
        requests.push({ method: 'SEND', url: peerName(target), headers: {}, body });
      };
      return talk(acceptingLine(kind, note));
    },
    askForCaptcha: async () => undefined,
    // A preview encrypts nothing.
    randomBytes: (count) => new Uint8Array(count).fill(1),
    pushAuthorization: async () => MASK,
    takeQuota: async () => null,
    returnQuota: async () => undefined,
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
