import type { ProjectMarks } from '../domain/change-marks.ts';
import { areCountsTrue, NO_CHECKS } from '../domain/public/kept-counts.ts';
import type { StatusPage } from '../domain/public/status-page.ts';
import { answerInPortions, emptyAnswer } from '../lib/answer-pieces.ts';
import type { AnswerBeingMade, BegunAnswer } from '../lib/answering-threads.ts';
import { ByteCache } from '../lib/byte-cache.ts';
import type { Clock } from '../lib/clock.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';
import type { InPortions } from '../lib/portions.ts';
import type { Deps } from '../services/core/deps.ts';
import { ofAccount, type Read } from '../services/core/reads.ts';
import type { WantedPage } from '../services/public/public-status.ts';
import type { StatusViews, SteadyView } from '../services/public/status-view.ts';
import type { MessageSite } from '../wire/site.ts';
import { statusFeed } from '../wire/status/feed.ts';
import { statusPageHtml } from '../wire/status/page.ts';

/** Memory of one thread for texts of pages. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
/** A text is made again after this time: it tells how long ago things were. */
const MAX_AGE: Micros = seconds(15);

interface Kept {
  readonly steady: SteadyView;
  readonly revision: number;
  /** Read before the checks. */
  readonly marks: ProjectMarks;
  readonly madeAt: Micros;
  readonly bytes: Uint8Array;
  readonly byteLength: number;
}

interface StatusDeps extends Pick<Deps, 'clock'> {
  readonly statusPages: StatusPages;
}

/** The head tells whether there is such a page. */
export const statusPage: Read<WantedPage & { readonly ownerId: number }, boolean, StatusDeps> = {
  owner: ofAccount,
  answer: ({ statusPages, clock }, wanted) => statusPages.answer(wanted, clock),
};

/** Public status pages. A text is used again while it is true, however many ask for it. */
export class StatusPages {
  readonly #deps: Pick<Deps, 'store'>;
  readonly #site: MessageSite;
  readonly #views: StatusViews;
  readonly #kept = new ByteCache<string, Kept>(MAX_KEPT_BYTES);

  constructor(deps: Pick<Deps, 'store'>, site: MessageSite, views: StatusViews) {
    this.#deps = deps;
    this.#site = site;
    this.#views = views;
  }

  async answer({ slug, form, files }: WantedPage, clock: Clock): Promise<AnswerBeingMade<boolean>> {
    const { store } = this.#deps;
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    const page = await store.statusPages.published(slug);
    if (page === null) return emptyAnswer(false);
    const key = `${form} ${slug}`;
    const marks = store.marks.of(page.projectId);
    const kept = this.#kept.get(key);
    const isTrue =
      kept !== undefined &&
      kept.revision === page.revision &&
      monotonic - kept.madeAt < MAX_AGE &&
      areCountsTrue({ ...NO_CHECKS, ...kept.steady, marks: kept.marks }, now, marks);
    if (isTrue) return { head: true, first: kept.bytes.slice(), rest: null };
    const textOf = ({ view }: SteadyView) =>
      form === 'html'
        ? statusPageHtml(view, files, this.#site.name)
        : statusFeed(view, `${this.#site.root}/status/${slug}/`);
    return answerInPortions(this.#make(key, page, { now, madeAt: monotonic, marks }, textOf));
  }

  async *#make(
    key: string,
    page: StatusPage,
    { now, ...made }: Pick<Kept, 'madeAt' | 'marks'> & { readonly now: Instant },
    textOf: (steady: SteadyView) => string,
  ): InPortions<BegunAnswer<boolean>> {
    const steady = yield* this.#views.of(page, now);
    const bytes = new TextEncoder().encode(textOf(steady));
    const { byteLength } = bytes;
    this.#kept.set(key, { ...made, steady, revision: page.revision, bytes, byteLength });
    return { head: true, first: bytes.slice(), rest: null };
  }
}
