import { MAX_KEPT_AGE } from '../domain/change-marks.ts';
import type { Micros } from '../lib/instant.ts';
import { KeptResults } from '../lib/kept-results.ts';
import type { Deps } from './deps.ts';
import type { QuestionOf } from './reads.ts';

/** Memory for public status pages that are kept for those who ask. The one asked for longest ago is forgotten. */
export const MAX_KEPT_STATUS_BYTES = 32 * 1024 * 1024;
/** What an entry takes besides its texts, at the most. */
const ENTRY_BYTES = 500;

interface Kept<Made> {
  readonly made: Made | null;
  readonly askedAt: Micros;
  readonly byteLength: number;
}

/** What is sent, with the bytes that it takes in memory. */
interface Sized {
  readonly byteLength: number;
}

/**
 * The texts of public status pages. However many ask for a page, a thread is asked once a second. `finish` makes of the
 * bytes what is sent.
 */
export class PublicStatusPages<Made extends Sized> {
  readonly #deps: Pick<Deps, 'store' | 'clock' | 'reads'>;
  readonly #finish: (form: 'html' | 'rss', bytes: Uint8Array) => Promise<Made>;
  readonly #kept = new KeptResults<Kept<Made>>({
    maxSize: MAX_KEPT_STATUS_BYTES,
    sizeOf: ({ byteLength }) => byteLength,
    isTrue: ({ askedAt }) => this.#deps.clock.monotonic() - askedAt < MAX_KEPT_AGE,
  });

  constructor(
    deps: Pick<Deps, 'store' | 'clock' | 'reads'>,
    finish: (form: 'html' | 'rss', bytes: Uint8Array) => Promise<Made>,
  ) {
    this.#deps = deps;
    this.#finish = finish;
  }

  /** Null if there is no such page, or it is not published. */
  async get(question: Omit<QuestionOf<'status_page'>, 'kind'>): Promise<Made | null> {
    const { slug, form } = question;
    const key = `${form} ${slug}`;
    const { made } = await this.#kept.get(key, async () => {
      const askedAt = this.#deps.clock.monotonic();
      const made = await this.#make(question);
      return { made, askedAt, byteLength: ENTRY_BYTES + 2 * key.length + (made?.byteLength ?? 0) };
    });
    return made;
  }

  async #make(question: Omit<QuestionOf<'status_page'>, 'kind'>): Promise<Made | null> {
    // Invented addresses must not keep a thread busy.
    if ((await this.#deps.store.statusPages.published(question.slug)) === null) return null;
    const { head, pieces } = await this.#deps.reads.ask({ kind: 'status_page', ...question });
    const parts = await Array.fromAsync(pieces);
    return head ? await this.#finish(question.form, Buffer.concat(parts)) : null;
  }
}
