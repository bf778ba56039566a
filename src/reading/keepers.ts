import type { Deps } from '../services/deps.ts';
import type { ReadingDeps } from './answer.ts';
import { CheckBoards } from './check-boards.ts';
import { CheckLists, type CheckListsOptions } from './check-list.ts';
import { Docs } from './docs.ts';
import { ProjectLists } from './project-list.ts';
import { StatusPages } from './status-pages.ts';

/** What a thread keeps from one question to the next. */
export type Keeper = 'checkLists' | 'projectLists' | 'checkBoards' | 'statusPages' | 'docs';

export function keepersOf(
  deps: Pick<Deps, 'store' | 'vault'>,
  options: CheckListsOptions & Pick<ReadingDeps, 'site'>,
): Pick<ReadingDeps, Keeper> {
  return {
    checkLists: new CheckLists(deps, options),
    projectLists: new ProjectLists(deps),
    checkBoards: new CheckBoards(deps, options),
    statusPages: new StatusPages(deps, options.site),
    docs: new Docs(deps, options.site),
  };
}
