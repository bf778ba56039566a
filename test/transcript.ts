import { createHash } from 'node:crypto';

/** Longer bodies are shown by their digest. */
const MAX_SHOWN = 3_000;
const MAX_REQUEST = 300;

/** Random values. Each is shown by its sort, numbered in the order of appearance, so that texts stay the same. */
const RANDOM: Readonly<Record<string, RegExp>> = {
  uuid: /(?!00000000)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
  'unique-key': /\b[0-9a-f]{40}\b/g,
  key: /\bhc[a-z]_(?:[A-Za-z0-9]{28}\b|[A-Za-z0-9]{8}(?=\*))/g,
  link: /(?<=\/invitation\/#)[\w-]{43}/g,
  'ping-key': /(?<=\/ping\/|"ping_key":")[A-Za-z0-9_-]{22}(?=["/ ])/g,
  'request-id': /(?<=x-request-id: ).*/g,
  etag: /(?<=(?:etag|if-none-match): ).*/gi,
  cookie: /(?<=(?:set-cookie|cookie): \w+=)[^;\n]{20,}/g,
  'badge-signature': /(?<=\/badge\/<uuid-\d+>\/)[\w-]{8,}/g,
  'database-bytes': /(?<=\ntocsin_database_bytes )\d+/g,
};

/** Requests and their answers as a golden file shows them: each distinct answer once, after the requests that got it. */
export class Transcript {
  readonly #requestsByAnswer = new Map<string, string[]>();

  /** `headers` are lines without their ends. */
  add(request: string, status: string, headers: readonly string[], body: string): void {
    // The size of the database is a number in the metrics of a node, and differs in its length.
    const left =
      status.includes('200') && / \/metrics\b/.test(request) ? /^(?:date|content-length):/i : /^date:/;
    const sorted = headers
      .filter((line) => !left.test(line))
      .toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    const text = withNames([request, status, ...sorted, '', body].join('\n'));
    const [shown = '', ...answer] = text.split('\n');
    const start = answer.indexOf('') + 1;
    const content = answer.slice(start).join('\n');
    const short = content.length > MAX_SHOWN ? `(${digestOf(content)})` : content;
    const key = [...answer.slice(0, start), short].join('\n');
    this.#requestsByAnswer.getOrInsertComputed(key, () => []).push(`>>> ${shown.slice(0, MAX_REQUEST)}`);
  }

  toString(): string {
    return [...this.#requestsByAnswer]
      .map(([answer, requests]) => `${requests.join('\n')}\n${answer}\n`)
      .join('\n');
  }
}

function withNames(text: string): string {
  let named = text;
  for (const [sort, pattern] of Object.entries(RANDOM)) {
    const names = new Map<string, string>();
    named = named.replace(pattern, (value) =>
      names.getOrInsertComputed(value, () => `<${sort}-${names.size + 1}>`),
    );
  }
  return named;
}

function digestOf(text: string): string {
  return `${text.length} characters, sha256 ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
