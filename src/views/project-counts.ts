import { MAX_KEPT_AGE, type ProjectMarks } from '../domain/change-marks.ts';
import { overlap } from '../domain/check/status.ts';
import { answerEnds, answerOf } from '../domain/history/answer.ts';
import { standingOf } from '../domain/history/standing.ts';
import type { StatusCounts } from '../domain/public/badge.ts';
import { addCounts, areCountsTrue, NO_CHECKS, type SteadyCounts } from '../domain/public/kept-counts.ts';
import type { Clock } from '../lib/clock.ts';
import type { Instant, Micros } from '../lib/instant.ts';
import type { InPortions } from '../lib/portions.ts';
import { RecentlyUsed } from '../lib/recently-used.ts';
import type { Deps } from '../services/core/deps.ts';
import type { TimedCheck } from '../storage/store.ts';

/** The projects whose counts a thread keeps. The one that was asked for longest ago is forgotten. */
export const MAX_KEPT_PROJECTS = 10_000;
/** Checks that are read at once to be counted. */
const MAX_PAGE_CHECKS = 1_000;

/** The checks of a project by status, those that are answered apart. */
export interface ProjectStatuses extends StatusCounts {
  readonly held: number;
  readonly acknowledged: number;
  /** Snoozed, in any status, or down in a quiet time. */
  readonly silent: number;
  /** Those of `down` that nobody was told of yet. */
  readonly untold: number;
}

interface Counted extends Omit<SteadyCounts, 'counts'> {
  readonly counts: ProjectStatuses;
}

/**
 * Counts the checks of a project by status and answer. Counts are cached until a recount could differ, so that a list that is
 * asked for again and again costs as much as it has projects.
 */
export class ProjectCounts {
  readonly #store: Deps['store'];
  readonly #kept = new RecentlyUsed<
    number,
    Counted & { readonly marks: ProjectMarks; readonly countedAt: Micros }
  >(MAX_KEPT_PROJECTS);

  constructor({ store }: Pick<Deps, 'store'>) {
    this.#store = store;
  }

  /** Other questions get a turn after each project that had to be counted. */
  async *of(projectId: number, clock: Clock): InPortions<ProjectStatuses> {
    const kept = this.#kept.find(projectId);
    // The marks come first: a change after this is either counted or makes the marks differ.
    const marks = this.#store.marks.of(projectId);
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    if (kept !== undefined && monotonic - kept.countedAt < MAX_KEPT_AGE && areCountsTrue(kept, now, marks))
      return kept.counts;
    const counted = await this.#count(projectId, now);
    this.#kept.set(projectId, { ...counted, marks, countedAt: monotonic });
    yield;
    return counted.counts;
  }

  async #count(projectId: number, now: Instant): Promise<Counted> {
    const { checks } = this.#store;
    let steady = NO_CHECKS;
    let silent = 0;
    const down: TimedCheck[] = [];
    for (let after = 0; ; ) {
      const page = await checks.timedPage(projectId, after, MAX_PAGE_CHECKS, null);
      const told = page.filter((check) => answerOf({ check, isDown: false, outage: null }, now) === null);
      silent += page.length - told.length;
      steady = addCounts(steady, told, now);
      steady = { ...steady, span: spanOf(steady, page, now) };
      // An outage is open only where the stored status is down.
      down.push(...told.filter(({ status }) => status === 'down'));
      if (page.length < MAX_PAGE_CHECKS) break;
      after = page.at(-1)?.id ?? after;
    }
    const { counts, ...rest } = steady;
    const snoozed = { ...counts, total: counts.total + silent, held: 0, acknowledged: 0, silent, untold: 0 };
    return this.#withOutages({ ...rest, counts: snoozed }, down, now);
  }

  async #withOutages(counted: Counted, down: readonly TimedCheck[], now: Instant): Promise<Counted> {
    if (down.length === 0) return counted;
    const open = await this.#store.outages.openOf(down.map(({ id }) => id));
    const counts = { ...counted.counts };
    let { span } = counted;
    for (const outage of open) {
      const facts = { check: NOT_SILENT, outage };
      const answer = answerOf({ ...facts, isDown: true }, now);
      const standing = standingOf({ ...PLAIN_DOWN, answer });
      if (standing === 'held' || standing === 'acknowledged' || standing === 'silent') {
        counts.down--;
        counts[standing]++;
      }
      if (answer?.kind === 'waiting') counts.untold++;
      for (const end of answerEnds(facts)) span = endsAt(span, end, now);
    }
    return { ...counted, counts, span };
  }
}

/** Those that are silent were counted before. */
const NOT_SILENT = { snoozedUntilAt: null, quietFromAt: null, quietUntilAt: null };

const PLAIN_DOWN = { status: 'down', slow: false, neverCame: false, ready: false } as const;

/** The time in which no snooze or quiet time of these checks begins or ends. */
function spanOf({ span }: SteadyCounts, page: readonly TimedCheck[], now: Instant) {
  const ends = page.flatMap((check) => answerEnds({ check, outage: null }));
  return ends.reduce((whole, end) => endsAt(whole, end, now), span);
}

/** The part of the span around `now` that ends before that time. */
function endsAt(span: SteadyCounts['span'], end: Instant, now: Instant): SteadyCounts['span'] {
  return end <= now ? span : overlap(span, { from: Number.NEGATIVE_INFINITY, until: end });
}
