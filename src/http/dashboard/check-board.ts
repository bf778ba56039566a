import { isAllowed } from '../../domain/people/permission.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import { enterProjects } from '../../services/accounts/projects.ts';
import type { Actor } from '../../services/actor.ts';
import { MAX_DETAILED } from '../../services/check-board.ts';
import type { BoardReader } from '../../services/reads.ts';
import { MAX_ASKED_ROWS, parseCheckKeys, requireCheckKeys } from '../../wire/dashboard/check-board-input.ts';
import type { Route, SessionRequest } from '../route.ts';
import { dashboardRoute, forMembers, forPeople, projectRoute } from './dashboard-route.ts';

/** What the list of a project's checks shows. Threads read it. */
export function checkBoardRoutes(deps: AccountDeps): Route[] {
  const { reads } = deps;
  return [
    ...allCheckRoutes(deps),
    projectRoute('/checks', {
      GET: forMembers('checks.view', async ({ actor, query }) => {
        const keys = parseCheckKeys(query, MAX_ASKED_ROWS);
        const { pieces } = await reads.ask({ kind: 'check_rows', ...readerOf(actor), keys });
        return { status: 200, pieces };
      }),
    }),
    projectRoute('/checks/details', {
      GET: forMembers('pings.view', async ({ actor, query }) => {
        const keys = requireCheckKeys(query, MAX_DETAILED);
        const { pieces } = await reads.ask({ kind: 'check_details', ...readerOf(actor), keys });
        return { status: 200, pieces };
      }),
    }),
    projectRoute('/checks/head', {
      GET: forMembers('checks.view', async ({ actor }) => {
        const { pieces } = await reads.ask({ kind: 'check_head', actor });
        return { status: 200, pieces };
      }),
    }),
  ];
}

/** The same over all projects of the person. */
function allCheckRoutes(deps: AccountDeps): Route[] {
  const readersOf = async ({ signedIn }: SessionRequest) => {
    const person = signedIn.actor;
    const entered = await enterProjects(deps, person);
    return { person, readers: entered.map(({ project, actor }) => ({ project, ...readerOf(actor) })) };
  };
  return [
    dashboardRoute('/all-checks', {
      GET: forPeople('projects.view', async (request) => {
        const keys = parseCheckKeys(request.query, MAX_ASKED_ROWS);
        const question = { kind: 'all_check_rows', ...(await readersOf(request)), keys } as const;
        return { status: 200, pieces: (await deps.reads.ask(question)).pieces };
      }),
    }),
    dashboardRoute('/all-checks/details', {
      GET: forPeople('projects.view', async (request) => {
        const keys = requireCheckKeys(request.query, MAX_DETAILED);
        const question = { kind: 'all_check_details', ...(await readersOf(request)), keys } as const;
        return { status: 200, pieces: (await deps.reads.ask(question)).pieces };
      }),
    }),
    dashboardRoute('/all-checks/head', {
      GET: forPeople('projects.view', async (request) => {
        const question = { kind: 'all_check_head', ...(await readersOf(request)) } as const;
        return { status: 200, pieces: (await deps.reads.ask(question)).pieces };
      }),
    }),
  ];
}

function readerOf(actor: Actor): BoardReader {
  return { actor, seesAddresses: isAllowed(actor.caller, 'checks.view_addresses') };
}
