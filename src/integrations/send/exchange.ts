import { STATUS_CODES } from 'node:http';
import type { Exchange } from '../../domain/alert/delivery.ts';
import type { HttpResult } from '../../lib/http-client.ts';
import { decodeBody, shortened } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { OutboundRequest, Ports } from '../kind/kind.ts';
import { MASK } from '../kind/setting.ts';

export type NoteExchange = (exchange: Exchange) => void;

/** Characters that are kept of an answer. */
export const MAX_ANSWER = 300;
/** Bytes of an answer that are looked at. */
const MAX_READ = 2_048;

/** Texts of an exchange that must not be shown. Secrets in requests are added when they are sent. */
export class HiddenTexts {
  readonly #known: () => readonly string[];
  readonly #sent = new Set<string>();

  constructor(known: () => readonly string[]) {
    this.#known = known;
  }

  add(request: OutboundRequest): void {
    for (const credential of credentials(request)) this.#sent.add(credential);
  }

  /** Some providers repeat their requests. */
  removedFrom(text: string): string {
    return [...this.#sent, ...this.#known()].reduce((left, secret) => left.replaceAll(secret, MASK), text);
  }
}

/** The ports, with each request and each mail noted with its answer. */
export function notingPorts(ports: Ports, hidden: HiddenTexts, note: NoteExchange): Ports {
  return {
    ...ports,
    async http(request) {
      hidden.add(request);
      const result = await ports.http(request);
      note({
        request: requestLine(request),
        answer: shortened(hidden.removedFrom(answerOf(result)), MAX_ANSWER),
      });
      return result;
    },
    async mail(mail) {
      const outcome = await ports.mail(mail);
      const answer = 'error' in outcome ? outcome.error : 'The mail server has accepted it';
      note({ request: `Mail to ${oneLine(mail.to)}`, answer: shortened(oneLine(answer), MAX_ANSWER) });
      return outcome;
    },
    async shell(command) {
      const result = await ports.shell(command);
      note({ request: 'Command', answer: 'error' in result ? result.error : `Exit code ${result.exitCode}` });
      return result;
    },
    async converse(target, talk) {
      let isAnswered = false;
      const result = await ports.converse(target, async (line) => {
        isAnswered = true;
        return talk(line);
      });
      note({ request: 'Conversation', answer: isAnswered ? 'Connected' : 'Connection failed' });
      return result;
    },
  };
}

/** Shorter texts are words that occur anywhere. */
const MIN_CREDENTIAL = 8;

/**
 * A header contains secrets in other forms: user and password as one text, a token that was signed for this request. After
 * its scheme, it is one text, or a list of names with values (RFC 9110, section 11.4).
 */
function credentials({ headers }: OutboundRequest): string[] {
  const [, ...parts] = (headers.Authorization ?? '').split(/[\s,]+/);
  const values = parts.flatMap((part) => [part, part.slice(part.indexOf('=') + 1)]);
  return values.filter((value) => value.length >= MIN_CREDENTIAL).sort((a, b) => b.length - a.length);
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
