import { SCOPES } from '../../domain/people/permission.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import { createToken, listTokens, revokeToken } from '../../services/accounts/tokens.ts';
import { parseNewToken } from '../../wire/dashboard/token-input.ts';
import { tokenJson } from '../../wire/dashboard/token-output.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forPeople } from './dashboard-route.ts';

/** The tokens of the account. */
export function tokenRoutes(deps: AccountDeps): Route[] {
  return [
    dashboardRoute('/account/tokens', {
      GET: forPeople('tokens.view', async ({ signedIn }) => {
        const tokens = await listTokens(deps, signedIn.actor);
        const now = deps.clock.now();
        return { status: 200, json: { tokens: tokens.map((one) => tokenJson(one, now)), scopes: SCOPES } };
      }),
      POST: forPeople('tokens.edit', async ({ signedIn, client, body }) => {
        const made = await createToken(deps, signedIn.actor, client, parseNewToken(body));
        return { status: 201, json: { ...tokenJson(made, deps.clock.now()), secret: made.secret } };
      }),
    }),
    dashboardRoute(`/account/tokens/:token(${UUID_PATTERN})`, {
      DELETE: forPeople('tokens.revoke', async ({ signedIn, params }) => {
        await revokeToken(deps, signedIn.actor, params.token ?? '');
        return { status: 204 };
      }),
    }),
  ];
}
