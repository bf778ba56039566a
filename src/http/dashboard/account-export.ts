import { accountExport } from '../../reading/lists.ts';
import type { AccountDeps } from '../../services/people/deps.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forPeople } from './dashboard-route.ts';

/** Everything that is known of a person, as a file. */
export function accountExportRoutes({ reads, settings }: AccountDeps): Route[] {
  return [
    dashboardRoute('/account/export', {
      GET: forPeople('account.export', async ({ signedIn: { actor: person } }) => {
        const { pieces } = await reads.ask(accountExport, { person, sessionLimits: settings.sessions });
        return { status: 200, pieces };
      }),
    }),
  ];
}
