import { MAX_KEPT_AGE } from '../../domain/change-marks.ts';
import { type Micros, seconds } from '../../lib/instant.ts';
import { KeptResults } from '../../lib/kept-results.ts';
import type { PublishedPage } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import type { QuestionOf } from '../core/reads.ts';

/**
 * Memory for public status pages that are kept for those who ask. Of the account that has most, the page asked for longest
 * ago is forgotten.
 */
export const MAX_KEPT_STATUS_BYTES = 32 * 1024 * 1024;
/** What an entry takes besides its texts, at the most. */
const ENTRY_BYTES = 500;

/** A page is kept so many times as long as it took to make. So making it takes little of a thread, however much it shows. */
const KEPT_FOR_TIMES = 10;
/** However long it took. */
export const MAX_STATUS_AGE: Micros = seconds(60);

/** What is wanted of a page. */
export type WantedPage = Omit<QuestionOf<'status_page'>, 'kind' | 'ownerId'>;

/** A page as it was made. */
interface MadePage<Made> {
  readonly made: Made | null;
  /** Of the page when it was made. What its editors write raises it. */
  readonly revision: number;
  /** What it tells of checks may be shown until then, by the monotonic clock. */
  readonly keptUntil: Micros;
}

interface Kept<Made> extends MadePage<Made> {
  /** Null if there is no such page. */
  readonly ownerId: number | null;
  /** When it was last known to be published in this revision. */
  readonly seenAt: Micros;
  readonly byteLength: number;
}

/** What is sent, with the bytes that it takes in memory. */
interface Sized {
  readonly byteLength: number;
}

/**
 * The texts of public status pages. However many ask for a page, a thread is asked once a second, and less often for a page
 * that takes long. What editors write, and that a page is not public any more, shows within a second. `finish` makes of
 * the bytes what is sent.
 */
export class PublicStatusPages<Made extends Sized> {
  readonly #deps: Pick<Deps, 'store' | 'clock' | 'reads'>;
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
    deps: Pick<Deps, 'store' | 'clock' | 'reads'>,
    finish: (form: 'html' | 'rss', bytes: Uint8Array) => Promise<Made>,
  ) {
    this.#deps = deps;
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

  /** What was made before is shown again, unless it is too old or somebody has edited the page since. */
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
    const { clock, reads } = this.#deps;
    const askedAt = clock.monotonic();
    const { head, pieces } = await reads.ask({ kind: 'status_page', ...wanted, ownerId });
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
