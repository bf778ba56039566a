import type { AccountDeps } from '../../services/accounts/deps.ts';
import { completeSetup } from '../../services/accounts/setup.ts';
import type { Cookies } from '../../wire/dashboard/cookies.ts';
import { parseSetup } from '../../wire/dashboard/sign-in-input.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forVisitors } from './dashboard-route.ts';
import { signedIn } from './sign-in.ts';

/** The link that the log prints while nobody administers the installation. */
export function setupRoutes(deps: AccountDeps, cookies: Cookies): Route[] {
  return [
    dashboardRoute('/setup', {
      POST: forVisitors(async ({ client, token: before, body }) => {
        const made = await completeSetup(deps, { client, before }, parseSetup(body));
        return signedIn(deps, cookies, made);
      }),
    }),
  ];
}
