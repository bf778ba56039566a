import type { Check } from '../../domain/check/check.ts';
import type { JoinedRun } from '../../domain/history/run-signals.ts';
import type { Ping } from '../../domain/ping/ping.ts';
import { EXCERPT_BYTES, excerptOf, matchOf } from '../../domain/ping/ping-body.ts';
import { mailContent } from '../../lib/mime/mail-content.ts';
import { decodeBody } from '../../lib/text/excerpt.ts';
import type { Deps } from '../core/deps.ts';

/** Bytes of bodies in which a page of events searches. */
export const MAX_SEARCHED_BYTES = 8 * 1024 * 1024;
/** Bytes of one body that are searched. */
export const MAX_SEARCHED_BODY = 100_000;
/** Bytes from which a mail is read for an excerpt: its header may be long. */
export const MAIL_EXCERPT_BYTES = 10_000;

type BodyDeps = Pick<Deps, 'store'>;

/** Lines of bodies, by the number of the ping. */
export type Excerpts = ReadonlyMap<number, readonly string[]>;

/** Some lines of each body: the last ones of what failed, the first ones of all else. */
export async function readExcerpts(
  { store }: BodyDeps,
  { id }: Pick<Check, 'id'>,
  pings: readonly Ping[],
): Promise<Excerpts> {
  const excerpts = new Map<number, readonly string[]>();
  const sent = pings.filter(({ bodySize }) => bodySize > 0);
  const groups = Map.groupBy(sent, ({ scheme, signal }) =>
    scheme === 'email' ? 'mail' : signal === 'fail' ? 'last' : 'first',
  );
  for (const [group, members] of groups) {
    const end = group === 'last' ? 'last' : 'first';
    const most = group === 'mail' ? MAIL_EXCERPT_BYTES : EXCERPT_BYTES;
    const numbers = members.map(({ n }) => n);
    for (const [n, body] of await store.pings.bodies(id, numbers, { end, most })) {
      excerpts.set(n, excerptOf(bodyText(body, group === 'mail' ? 'email' : ''), end));
    }
  }
  return excerpts;
}

/** Looks for words in the bodies and user agents of signals, up to a limit. */
export class BodySearch {
  readonly #deps: BodyDeps;
  readonly #check: Pick<Check, 'id'>;
  readonly #words: string;
  readonly #mask: (text: string) => string;
  readonly #matches = new Map<number, readonly string[]>();
  readonly #looked = new Set<number>();
  #bytes = 0;
  #unsearched = 0;

  /**
   * `words` are in lower case. Secrets are masked before the search: otherwise a reader would find them, part by part.
   */
  constructor(deps: BodyDeps, check: Pick<Check, 'id'>, words: string, mask: (text: string) => string) {
    this.#deps = deps;
    this.#check = check;
    this.#words = words;
    this.#mask = mask;
  }

  /** Whether as much was read as one page may read. */
  get isTired(): boolean {
    return this.#bytes >= MAX_SEARCHED_BYTES;
  }

  /** The number of bodies in object storage, which are not searched. */
  get unsearched(): number {
    return this.#unsearched;
  }

  get excerpts(): Excerpts {
    return this.#matches;
  }

  /** Looks into the end of a body whose ping is gone. */
  lookAtKept(n: number, body: Uint8Array): void {
    const match = matchOf(this.#mask(bodyText(body, '')), this.#words);
    if (match !== null) this.#matches.set(n, match);
  }

  hasMatch({ signals }: JoinedRun): boolean {
    return signals.some(({ n }) => this.#matches.has(n));
  }

  async look(events: readonly JoinedRun[]): Promise<void> {
    const pings = events.flatMap(({ signals }) => signals).filter(({ n }) => !this.#looked.has(n));
    for (const { n, userAgent } of pings) {
      this.#looked.add(n);
      if (this.#mask(userAgent).toLowerCase().includes(this.#words)) this.#matches.set(n, []);
    }
    const sent = pings.filter(({ bodySize }) => bodySize > 0);
    const part = { end: 'first', most: MAX_SEARCHED_BODY } as const;
    const numbers = sent.map(({ n }) => n);
    const bodies = await this.#deps.store.pings.bodies(this.#check.id, numbers, part);
    this.#unsearched += sent.length - bodies.size;
    for (const { n, scheme } of sent) {
      const body = bodies.get(n);
      if (body === undefined) continue;
      this.#bytes += body.length;
      const match = matchOf(this.#mask(bodyText(body, scheme)), this.#words);
      if (match !== null) this.#matches.set(n, match);
    }
  }
}

/** The body as people read it. For a mail: its sender, its subject, and its text. */
export function bodyText(body: Uint8Array, scheme: Ping['scheme']): string {
  if (scheme !== 'email') return decodeBody(body);
  const { from, subject, text, html } = mailContent(body);
  return [from, subject, text ?? html ?? ''].join('\n');
}
