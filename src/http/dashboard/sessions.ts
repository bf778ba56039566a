import { listConfirmationWays } from '../../services/accounts/confirmation-ways.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import { confirmWithMailedCode, requestConfirmation } from '../../services/accounts/mailed-codes.ts';
import {
  confirmWithCode,
  confirmWithPassword,
  endOtherSessions,
  endSession,
  listSessions,
  listSignIns,
} from '../../services/accounts/sessions.ts';
import type { Cookies } from '../../wire/dashboard/cookies.ts';
import {
  confirmationWaysJson,
  sessionJson,
  signedInJson,
  signInJson,
} from '../../wire/dashboard/session-output.ts';
import { parseConfirmation, parseTypedCode } from '../../wire/dashboard/sign-in-input.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forPeople } from './dashboard-route.ts';
import { sessionCookie } from './sign-in.ts';

export function sessionRoutes(deps: AccountDeps, cookies: Cookies): Route[] {
  return [
    dashboardRoute('/session', {
      GET: forPeople('account.view', async ({ signedIn }) => ({ status: 200, json: signedInJson(signedIn) })),
    }),
    dashboardRoute('/session/confirm', {
      GET: forPeople('account.view', async ({ signedIn }) => ({
        status: 200,
        json: confirmationWaysJson(await listConfirmationWays(deps, signedIn.actor)),
      })),
      POST: forPeople('account.view', async ({ signedIn, client, body }) => {
        const { actor } = signedIn;
        const { password, code } = parseConfirmation(body);
        const made =
          code === null
            ? await confirmWithPassword(deps, actor, client, password)
            : await confirmWithCode(deps, actor, client, code);
        return { status: 204, cookies: [sessionCookie(deps, cookies, made)] };
      }),
    }),
    dashboardRoute('/session/confirm/mail', {
      POST: forPeople('account.view', async ({ signedIn }) => {
        const { pending } = await requestConfirmation(deps, signedIn.actor);
        return { status: 202, json: { pending } };
      }),
    }),
    dashboardRoute('/session/confirm/mail/use', {
      POST: forPeople('account.view', async ({ signedIn, body }) => {
        const made = await confirmWithMailedCode(deps, signedIn.actor, parseTypedCode(body));
        return { status: 204, cookies: [sessionCookie(deps, cookies, made)] };
      }),
    }),
    dashboardRoute('/sessions', {
      GET: forPeople('sessions.view', async ({ signedIn }) => {
        const sessions = await listSessions(deps, signedIn.actor);
        return { status: 200, json: { sessions: sessions.map((one) => sessionJson(one, signedIn.session)) } };
      }),
    }),
    dashboardRoute('/sign-ins', {
      GET: forPeople('sessions.view', async ({ signedIn }) => {
        const signIns = await listSignIns(deps, signedIn.actor);
        return { status: 200, json: { sign_ins: signIns.map(signInJson) } };
      }),
    }),
    dashboardRoute('/sessions/end-others', {
      POST: forPeople('sessions.end', async ({ signedIn }) => ({
        status: 200,
        json: { ended: await endOtherSessions(deps, signedIn.actor) },
      })),
    }),
    dashboardRoute(`/sessions/:session(${UUID_PATTERN})`, {
      DELETE: forPeople('sessions.end', async ({ signedIn, params }) => {
        await endSession(deps, signedIn.actor, params.session ?? '');
        return { status: 204 };
      }),
    }),
  ];
}
