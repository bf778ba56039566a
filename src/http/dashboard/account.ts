import type { AccountActor } from '../../services/accounts/account-actor.ts';
import { closeAccount } from '../../services/accounts/closing.ts';
import { changeEmail, changePassword, confirmEmail } from '../../services/accounts/credentials.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import { editProfile, readProfile } from '../../services/accounts/profile.ts';
import { parseNewEmail, parsePassword, parseProfile } from '../../wire/dashboard/account-input.ts';
import { accountJson } from '../../wire/dashboard/account-output.ts';
import type { Cookies } from '../../wire/dashboard/cookies.ts';
import { parseToken } from '../../wire/dashboard/sign-in-input.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forPeople, forVisitors } from './dashboard-route.ts';

export function accountRoutes(deps: AccountDeps, cookies: Cookies): Route[] {
  return [
    dashboardRoute('/account', {
      GET: forPeople('account.view', async ({ signedIn }) => ({
        status: 200,
        json: accountJson(await readProfile(deps, signedIn.actor)),
      })),
      POST: forPeople('account.edit', async ({ signedIn, body }) => ({
        status: 200,
        json: accountJson(await editProfile(deps, signedIn.actor, parseProfile(body))),
      })),
    }),
    dashboardRoute('/account/password', {
      POST: forPeople('account.secure', async ({ signedIn, client, body }) => {
        await changePassword(deps, signedIn.actor, client, parsePassword(body));
        return { status: 204 };
      }),
    }),
    dashboardRoute('/account/email', {
      POST: forPeople('account.secure', async ({ signedIn, client, body }) => {
        const state = await changeEmail(deps, signedIn.actor, client, parseNewEmail(body).email);
        return { status: state === 'changed' ? 200 : 202, json: { state } };
      }),
    }),
    dashboardRoute('/account/email/confirm', {
      POST: forVisitors(async ({ client, body }) => ({
        status: 200,
        json: { state: await confirmEmail(deps, client, parseToken(body).token) },
      })),
    }),
    dashboardRoute('/account/export', {
      GET: forPeople('account.export', async ({ signedIn }) => ({
        status: 200,
        pieces: await exportOf(deps, signedIn.actor),
      })),
    }),
    dashboardRoute('/account/closing', {
      GET: forPeople('account.view', async ({ signedIn }) => ({
        status: 200,
        json: (await deps.reads.ask({ kind: 'account_closing', person: signedIn.actor })).head,
      })),
    }),
    dashboardRoute('/account/close', {
      POST: forPeople('account.secure', async ({ signedIn, body }) => {
        await closeAccount(deps, signedIn.actor, parseNewEmail(body).email);
        return { status: 204, cookies: [cookies.noSession()] };
      }),
    }),
  ];
}

async function exportOf(
  { reads, settings }: AccountDeps,
  person: AccountActor,
): Promise<AsyncIterable<Uint8Array>> {
  const { sessions: sessionLimits } = settings;
  return (await reads.ask({ kind: 'account_export', person, sessionLimits })).pieces;
}
