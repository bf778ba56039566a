import type { AccountDeps } from '../../services/accounts/deps.ts';
import { findSignedIn } from '../../services/accounts/sessions.ts';
import { finishSignUp, requestSignUp, signUpWithoutMail } from '../../services/accounts/sign-up.ts';
import type { Cookies } from '../../wire/dashboard/cookies.ts';
import { entranceJson } from '../../wire/dashboard/entrance-output.ts';
import { parseEmail } from '../../wire/dashboard/sign-in-input.ts';
import { parseSignUp, parseSignUpWithoutMail } from '../../wire/dashboard/sign-up-input.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forVisitors } from './dashboard-route.ts';
import { ACCEPTED, signedIn } from './sign-in.ts';

export function signUpRoutes(deps: AccountDeps, cookies: Cookies): Route[] {
  return [
    dashboardRoute('/entrance', {
      GET: forVisitors(async ({ token, client }) => {
        const signedIn = token === null ? null : await findSignedIn(deps, token, client);
        return { status: 200, json: entranceJson(signedIn !== null, deps.settings) };
      }),
    }),
    dashboardRoute('/sign-up', {
      POST: forVisitors(async ({ client, body }) => {
        await requestSignUp(deps, client, parseEmail(body).email);
        return ACCEPTED;
      }),
    }),
    dashboardRoute('/sign-up/finish', {
      POST: forVisitors(async ({ client, token: before, body }) =>
        signedIn(deps, cookies, await finishSignUp(deps, { client, before }, parseSignUp(body))),
      ),
    }),
    dashboardRoute('/sign-up/without-mail', {
      POST: forVisitors(async ({ client, token: before, body }) =>
        signedIn(
          deps,
          cookies,
          await signUpWithoutMail(deps, { client, before }, parseSignUpWithoutMail(body)),
        ),
      ),
    }),
  ];
}
