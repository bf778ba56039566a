import { MAX_KEPT_AGE } from '../domain/change-marks.ts';
import type { StatusCounts } from '../domain/public/badge.ts';
import { areCountsTrue, type KeptCounts } from '../domain/public/kept-counts.ts';
import type { Clock } from '../lib/clock.ts';
import type { Micros } from '../lib/instant.ts';
import type { InPortions } from '../lib/portions.ts';
import { RecentlyUsed } from '../lib/recently-used.ts';
import type { Deps } from '../services/core/deps.ts';
import { countStatuses } from '../services/public/badges.ts';

/** The projects whose counts a thread keeps. The one that was asked for longest ago is forgotten. */
export const MAX_KEPT_PROJECTS = 10_000;

/**
 * Counts the checks of a project by status. Counts are cached until a recount could differ, so that a list that is
 * asked for again and again costs as much as it has projects.
 */
export class ProjectCounts {
  readonly #store: Deps['store'];
  readonly #kept = new RecentlyUsed<number, KeptCounts & { readonly countedAt: Micros }>(MAX_KEPT_PROJECTS);

  constructor({ store }: Pick<Deps, 'store'>) {
    this.#store = store;
  }

  /** Other questions get a turn after each project that had to be counted. */
  async *of(projectId: number, clock: Clock): InPortions<StatusCounts> {
    const kept = this.#kept.find(projectId);
    // The marks come first: a change after this is either counted or makes the marks differ.
    const marks = this.#store.marks.of(projectId);
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    if (kept !== undefined && monotonic - kept.countedAt < MAX_KEPT_AGE && areCountsTrue(kept, now, marks))
      return kept.counts;
    const counted = await countStatuses(this.#store, projectId, null, now);
    this.#kept.set(projectId, { ...counted, marks, countedAt: monotonic });
    yield;
    return counted.counts;
  }
}
