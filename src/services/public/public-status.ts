import { MAX_KEPT_AGE } from '../../domain/change-marks.ts';
import type { PiecewiseAnswer } from '../../lib/answering-threads.ts';
import { type Micros, seconds } from '../../lib/instant.ts';
import { KeptResults } from '../../lib/kept-results.ts';
import type { PublishedPage } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

/** Memory for public status pages that are kept. The account with the most loses its least recently used page. */
export const MAX_KEPT_STATUS_BYTES = 32 * 1024 * 1024;
/** The largest size of an entry besides its texts. */
const ENTRY_BYTES = 500;

/** A page is kept so many times as long as it took to make. So making it takes little of a thread, however much it shows. */
const KEPT_FOR_TIMES = 10;
/** However long it took. */
export const MAX_STATUS_AGE: Micros = seconds(60);

export interface WantedPage {
  readonly slug: string;
  readonly form: 'html' | 'rss';
  /** The names of the files that the page loads. */
  readonly files: { readonly style: string; readonly script: string };
}

/** Asks a thread for the text. The head is false if there is no such page. */
type AskPage = (wanted: WantedPage & { readonly ownerId: number }) => Promise<PiecewiseAnswer<boolean>>;

/** A page as it was made. */
interface MadePage<Made> {
  readonly made: Made | null;
  /** The page's revision when it was made. Its editors raise it. */
  readonly revision: number;
  /** Its statements about checks may be shown until then, by the monotonic clock. */
  readonly keptUntil: Micros;
}

interface Kept<Made> extends MadePage<Made> {
  /** Null if there is no such page. */
  readonly ownerId: number | null;
  /** When it was last known to be published in this revision. */
  readonly seenAt: Micros;
  readonly byteLength: number;
}

/** The answer, with its size in memory. */
interface Sized {
  readonly byteLength: number;
}

/**
 * The texts of public status pages. However many ask for a page, a thread is asked once a second, and less often for a
 * page that takes long. Edits, and the end of publication, show within a second. `finish` turns the bytes into the
 * answer.
 */
export class PublicStatusPages<Made extends Sized> {
  readonly #deps: Pick<Deps, 'store' | 'clock'>;
  readonly #ask: AskPage;
  readonly #finish: (form: 'html' | 'rss', bytes: Uint8Array) => Promise<Made>;
  readonly #kept = new KeptResults<Kept<Made>>({
    maxSize: MAX_KEPT_STATUS_BYTES,
    sizeOf: ({ byteLength }) => byteLength,
    ownerOf: ({ ownerId }) => ownerId,
    isTrue: ({ seenAt, keptUntil }) => {
      const now = this.#deps.clock.monotonic();
      return now - seenAt < MAX_KEPT_AGE && now < keptUntil;
    },
  });

  constructor(
    deps: Pick<Deps, 'store' | 'clock'>,
    ask: AskPage,
    finish: (form: 'html' | 'rss', bytes: Uint8Array) => Promise<Made>,
  ) {
    this.#deps = deps;
    this.#ask = ask;
    this.#finish = finish;
  }

  /** Null if there is no such page, or it is not published. */
  async get(wanted: WantedPage): Promise<Made | null> {
    const key = `${wanted.form} ${wanted.slug}`;
    const { made } = await this.#kept.get(key, async (outdated) => {
      const seenAt = this.#deps.clock.monotonic();
      // Invented addresses must not keep a thread busy.
      const page = await this.#deps.store.statusPages.published(wanted.slug);
      const shown = page === null ? noPage(seenAt) : await this.#shown(wanted, page, outdated);
      const byteLength = ENTRY_BYTES + 2 * key.length + (shown.made?.byteLength ?? 0);
      return { ...shown, ownerId: page?.ownerId ?? null, seenAt, byteLength };
    });
    return made;
  }

  /** Shows the kept page again, unless it is too old or somebody has edited it since. */
  async #shown(
    wanted: WantedPage,
    page: PublishedPage,
    outdated: Kept<Made> | undefined,
  ): Promise<MadePage<Made>> {
    const isSame = outdated !== undefined && outdated.made !== null && outdated.revision === page.revision;
    if (isSame && this.#deps.clock.monotonic() < outdated.keptUntil) return outdated;
    return this.#make(wanted, page);
  }

  async #make(wanted: WantedPage, { ownerId, revision }: PublishedPage): Promise<MadePage<Made>> {
    const { clock } = this.#deps;
    const askedAt = clock.monotonic();
    const { head, pieces } = await this.#ask({ ...wanted, ownerId });
    const parts = await Array.fromAsync(pieces);
    const madeAt = clock.monotonic();
    const keptFor = Math.max(MAX_KEPT_AGE, KEPT_FOR_TIMES * (madeAt - askedAt));
    const made = head ? await this.#finish(wanted.form, Buffer.concat(parts)) : null;
    return { made, revision, keptUntil: madeAt + Math.min(MAX_STATUS_AGE, keptFor) };
  }
}

function noPage(seenAt: Micros): MadePage<never> {
  return { made: null, revision: 0, keptUntil: seenAt + MAX_KEPT_AGE };
}
