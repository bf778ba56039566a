import { isAllowed } from '../../domain/permission.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import type { Actor } from '../../services/actor.ts';
import { MAX_DETAILED } from '../../services/check-board.ts';
import type { BoardReader } from '../../services/reads.ts';
import { MAX_ASKED_ROWS, parseCheckKeys, requireCheckKeys } from '../../wire/dashboard/check-board-input.ts';
import type { Route } from '../route.ts';
import { forMembers, projectRoute } from './dashboard-route.ts';

/** What the list of a project's checks shows. Threads read it. */
export function checkBoardRoutes({ reads }: Pick<AccountDeps, 'reads'>): Route[] {
  return [
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

function readerOf(actor: Actor): BoardReader {
  return { actor, seesAddresses: isAllowed(actor.caller, 'checks.view_addresses') };
}
