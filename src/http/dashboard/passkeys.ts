import type { AccountDeps } from '../../services/accounts/deps.ts';
import {
  addPasskey,
  beginPasskey,
  listPasskeys,
  removePasskey,
  renamePasskey,
} from '../../services/accounts/passkeys.ts';
import {
  beginConfirmation,
  beginSecondFactor,
  beginSignature,
  confirmWithPasskey,
  signInWithKey,
  signInWithPasskey,
} from '../../services/accounts/signatures.ts';
import { findLastWayIn } from '../../services/accounts/ways-in.ts';
import type { Cookies } from '../../wire/dashboard/cookies.ts';
import {
  parseChallengeAnswer,
  parseKeyAnswer,
  parseKeyName,
  parsePasskey,
  parsePasskeyKind,
  parsePending,
} from '../../wire/dashboard/passkey-input.ts';
import { passkeyJson } from '../../wire/dashboard/second-factors-output.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forPeople, forVisitors } from './dashboard-route.ts';
import { sessionCookie, signedIn as signedInAnswer, telling } from './sign-in.ts';

export function passkeyRoutes(deps: AccountDeps, cookies: Cookies): Route[] {
  return [
    dashboardRoute('/account/passkeys', {
      GET: forPeople('account.view', async ({ signedIn }) => {
        const passkeys = await listPasskeys(deps, signedIn.actor);
        const { passkey } = await findLastWayIn(deps, signedIn.actor);
        return { status: 200, json: { passkeys: passkeys.map(passkeyJson), last_way_in: passkey } };
      }),
      POST: forPeople('second_factors.edit', async ({ signedIn, client, body }) => {
        const codes = await addPasskey(deps, signedIn.actor, client, parsePasskey(body));
        return { status: 200, json: { recovery_codes: codes } };
      }),
    }),
    dashboardRoute('/account/passkeys/begin', {
      POST: forPeople('second_factors.edit', async ({ signedIn, body }) => ({
        status: 200,
        json: await beginPasskey(deps, signedIn.actor, parsePasskeyKind(body)),
      })),
    }),
    dashboardRoute(`/account/passkeys/:passkey(${UUID_PATTERN})`, {
      POST: forPeople('second_factors.edit', async ({ signedIn, params, body }) => {
        await renamePasskey(deps, signedIn.actor, params.passkey ?? '', parseKeyName(body).name);
        return { status: 204 };
      }),
      DELETE: forPeople('second_factors.edit', async ({ signedIn, client, params }) => {
        await removePasskey(deps, signedIn.actor, client, params.passkey ?? '');
        return { status: 204 };
      }),
    }),
    dashboardRoute('/sign-in/passkey/begin', {
      POST: forVisitors(async () => ({ status: 200, json: await beginSignature(deps) })),
    }),
    dashboardRoute('/sign-in/passkey', {
      POST: forVisitors(async (request) => {
        const { client, token: before, body } = request;
        const answer = parseChallengeAnswer(body);
        const made = await telling(request, () => signInWithPasskey(deps, { client, before }, answer));
        return signedInAnswer(deps, cookies, made);
      }),
    }),
    dashboardRoute('/sign-in/second-factor/key/begin', {
      POST: forVisitors(async ({ body }) => ({
        status: 200,
        json: await beginSecondFactor(deps, parsePending(body).pending),
      })),
    }),
    dashboardRoute('/sign-in/second-factor/key', {
      POST: forVisitors(async (request) => {
        const { client, token: before, body } = request;
        const answer = parseKeyAnswer(body);
        const made = await telling(request, () => signInWithKey(deps, { client, before }, answer));
        return signedInAnswer(deps, cookies, made);
      }),
    }),
    dashboardRoute('/session/confirm/passkey/begin', {
      POST: forPeople('account.view', async ({ signedIn }) => ({
        status: 200,
        json: await beginConfirmation(deps, signedIn.actor),
      })),
    }),
    dashboardRoute('/session/confirm/passkey', {
      POST: forPeople('account.view', async ({ signedIn, body }) => {
        const made = await confirmWithPasskey(deps, signedIn.actor, parseChallengeAnswer(body));
        return { status: 204, cookies: [sessionCookie(deps, cookies, made)] };
      }),
    }),
  ];
}
