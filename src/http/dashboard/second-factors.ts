import type { AccountDeps } from '../../services/accounts/deps.ts';
import {
  addAuthenticator,
  beginAuthenticator,
  listSecondFactors,
  removeAuthenticator,
  renewRecoveryCodes,
} from '../../services/accounts/second-factors.ts';
import { secondFactorsJson } from '../../wire/dashboard/second-factors-output.ts';
import { parseAuthenticator } from '../../wire/dashboard/sign-in-input.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forPeople } from './dashboard-route.ts';

export function secondFactorRoutes(deps: AccountDeps): Route[] {
  return [
    dashboardRoute('/account/second-factors', {
      GET: forPeople('account.view', async ({ signedIn }) => ({
        status: 200,
        json: secondFactorsJson(await listSecondFactors(deps, signedIn.actor)),
      })),
    }),
    dashboardRoute('/account/authenticator/begin', {
      POST: forPeople('second_factors.edit', async ({ signedIn }) => ({
        status: 200,
        json: await beginAuthenticator(deps, signedIn.actor),
      })),
    }),
    dashboardRoute('/account/authenticator', {
      POST: forPeople('second_factors.edit', async ({ signedIn, client, body }) => {
        const codes = await addAuthenticator(deps, signedIn.actor, client, parseAuthenticator(body));
        return { status: 200, json: { recovery_codes: codes } };
      }),
      DELETE: forPeople('second_factors.edit', async ({ signedIn, client }) => {
        await removeAuthenticator(deps, signedIn.actor, client);
        return { status: 204 };
      }),
    }),
    dashboardRoute('/account/recovery-codes', {
      POST: forPeople('second_factors.edit', async ({ signedIn, client }) => ({
        status: 200,
        json: { codes: await renewRecoveryCodes(deps, signedIn.actor, client) },
      })),
    }),
  ];
}
