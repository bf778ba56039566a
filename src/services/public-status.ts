import { MAX_KEPT_AGE } from '../domain/change-marks.ts';
import type { Micros } from '../lib/instant.ts';
import { KeptResults } from '../lib/kept-results.ts';
import type { Deps } from './deps.ts';
import type { QuestionOf } from './reads.ts';

/** Public status pages that are kept for those who ask. The one that was asked for longest ago is forgotten. */
export const MAX_KEPT_STATUS_PAGES = 500;

interface Kept<Made> {
  readonly made: Made | null;
  readonly askedAt: Micros;
}

/**
 * The texts of public status pages. However many ask for a page, a thread is asked once a second. `finish` makes of the
 * bytes what is sent.
 */
export class PublicStatusPages<Made> {
  readonly #deps: Pick<Deps, 'store' | 'clock' | 'reads'>;
  readonly #finish: (form: 'html' | 'rss', bytes: Uint8Array) => Promise<Made>;
  readonly #kept = new KeptResults<Kept<Made>>({
    maxSize: MAX_KEPT_STATUS_PAGES,
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
    const { made } = await this.#kept.get(`${form} ${slug}`, async () => {
      const askedAt = this.#deps.clock.monotonic();
      // Invented addresses must not keep a thread busy.
      if ((await this.#deps.store.statusPages.published(slug)) === null) return { made: null, askedAt };
      const { head, pieces } = await this.#deps.reads.ask({ kind: 'status_page', ...question });
      const parts = await Array.fromAsync(pieces);
      return { made: head ? await this.#finish(form, Buffer.concat(parts)) : null, askedAt };
    });
    return made;
  }
}
