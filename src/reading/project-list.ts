import { MAX_KEPT_AGE } from '../domain/change-marks.ts';
import { areCountsTrue, type KeptCounts } from '../domain/public/kept-counts.ts';
import type { AnswerBeingMade } from '../lib/answering-threads.ts';
import type { Instant, Micros } from '../lib/instant.ts';
import { RecentlyUsed } from '../lib/recently-used.ts';
import { type ProjectList, readProjectList } from '../services/accounts/projects.ts';
import { countStatuses } from '../services/badges.ts';
import type { Deps } from '../services/deps.ts';
import type { QuestionOf } from '../services/reads.ts';
import { type CountedProject, projectListJson } from '../wire/dashboard/project-output.ts';
import { emptyAnswer } from './pieces.ts';

/** The projects whose counts a thread keeps. The one that was asked for longest ago is forgotten. */
export const MAX_KEPT_PROJECTS = 10_000;

type ListQuestion = QuestionOf<'project_list'>;

/** The time of a question. */
interface Moment {
  readonly now: Instant;
  readonly monotonic: Micros;
}

/**
 * Answers with the projects of a person and the statuses of their checks. Counts are kept while they are what counting
 * again would give, so that a list that is asked for again and again costs as much as it has projects.
 */
export class ProjectLists {
  readonly #deps: Pick<Deps, 'store'>;
  readonly #kept = new RecentlyUsed<number, KeptCounts & { readonly countedAt: Micros }>(MAX_KEPT_PROJECTS);

  constructor(deps: Pick<Deps, 'store'>) {
    this.#deps = deps;
  }

  async answer({ person }: ListQuestion, moment: Moment): Promise<AnswerBeingMade<null>> {
    const { store } = this.#deps;
    const list = await readProjectList({ store, clock: { now: () => moment.now } }, person);
    return this.#goOn(this.#count(list, moment), list, person.accountId);
  }

  /** Counts project by project: other questions get a turn after each one that had to be counted. */
  async *#count({ projects }: ProjectList, moment: Moment): AsyncGenerator<undefined, CountedProject[]> {
    const counted: CountedProject[] = [];
    for (const overview of projects) {
      const { id } = overview.project;
      const kept = this.#kept.find(id);
      const isTrue = kept !== undefined && this.#isTrue(id, kept, moment);
      counted.push({
        ...overview,
        counts: isTrue ? kept.counts : (await this.#countChecks(id, moment)).counts,
      });
      if (!isTrue) yield;
    }
    return counted;
  }

  async #countChecks(projectId: number, { now, monotonic }: Moment): Promise<KeptCounts> {
    const { store } = this.#deps;
    // The marks come first: a change after this is either counted or makes the marks differ.
    const marks = store.marks.of(projectId);
    const made = { ...(await countStatuses(store, projectId, null, now)), marks, countedAt: monotonic };
    this.#kept.set(projectId, made);
    return made;
  }

  #isTrue(
    projectId: number,
    kept: KeptCounts & { readonly countedAt: Micros },
    { now, monotonic }: Moment,
  ): boolean {
    if (monotonic - kept.countedAt >= MAX_KEPT_AGE) return false;
    return areCountsTrue(kept, now, this.#deps.store.marks.of(projectId));
  }

  async #goOn(
    work: AsyncGenerator<undefined, CountedProject[]>,
    list: ProjectList,
    accountId: number,
  ): Promise<AnswerBeingMade<null>> {
    const { done, value } = await work.next();
    if (done !== true) return { goOn: () => this.#goOn(work, list, accountId) };
    const text = JSON.stringify(projectListJson({ ...list, projects: value }, accountId));
    return { ...emptyAnswer(null), first: new TextEncoder().encode(text) };
  }
}
