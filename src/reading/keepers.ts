import type { Deps } from '../services/core/deps.ts';
import { StatusViews } from '../services/public/status-view.ts';
import { CheckBoards } from '../views/check-boards.ts';
import { ProjectCounts } from '../views/project-counts.ts';
import type { ReadingDeps } from './answer.ts';
import { CheckLists, type CheckListsOptions } from './check-list.ts';
import { Docs } from './docs.ts';
import { StatusPages } from './status-pages.ts';

/** Caches of a thread. */
export type Keeper = 'checkLists' | 'projectCounts' | 'checkBoards' | 'statusViews' | 'statusPages' | 'docs';

export function keepersOf(
  deps: Pick<Deps, 'store' | 'vault'>,
  options: CheckListsOptions & Pick<ReadingDeps, 'site'>,
): Pick<ReadingDeps, Keeper> {
  const statusViews = new StatusViews(deps);
  return {
    checkLists: new CheckLists(deps, options),
    projectCounts: new ProjectCounts(deps),
    checkBoards: new CheckBoards(deps, options),
    statusViews,
    statusPages: new StatusPages(deps, options.site, statusViews),
    docs: new Docs(deps, options.site),
  };
}
