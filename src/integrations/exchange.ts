import { STATUS_CODES } from 'node:http';
import type { Exchange } from '../domain/delivery.ts';
import type { HttpResult } from '../lib/http-client.ts';
import { decodeBody, shortened } from '../lib/text/excerpt.ts';
import { oneLine } from '../lib/text/one-line.ts';
import type { OutboundRequest, Ports } from './kind.ts';
import { MASK } from './setting.ts';

export type NoteExchange = (exchange: Exchange) => void;

/** Characters that are kept of an answer. */
export const MAX_ANSWER = 300;
/** Bytes of an answer that are looked at. */
const MAX_READ = 2_048;

/** The same ports. Each request and each mail is noted with its answer. */
export function notingPorts(ports: Ports, secrets: () => readonly string[], note: NoteExchange): Ports {
  return {
    ...ports,
    async http(request) {
      const result = await ports.http(request);
      note({ request: requestLine(request), answer: withoutSecrets(answerOf(result), secrets()) });
      return result;
    },
    async mail(mail) {
      const outcome = await ports.mail(mail);
      const answer = 'error' in outcome ? outcome.error : 'The mail server has accepted it';
      note({ request: `Mail to ${oneLine(mail.to)}`, answer: shortened(oneLine(answer), MAX_ANSWER) });
      return outcome;
    },
  };
}

/** The path of an address often contains a token. */
function requestLine({ method, url }: OutboundRequest): string {
  return `${method} ${URL.parse(url)?.origin ?? ''}`;
}

function answerOf(result: HttpResult): string {
  if ('error' in result) return result.error;
  const { status, body } = result;
  const words = oneLine(decodeBody(body.subarray(0, MAX_READ)));
  const head = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  return words === '' ? head : `${head}: ${words}`;
}

/** Some providers repeat what they were sent. */
function withoutSecrets(answer: string, secrets: readonly string[]): string {
  const masked = secrets.reduce((text, secret) => text.replaceAll(secret, MASK), answer);
  return shortened(masked, MAX_ANSWER);
}
