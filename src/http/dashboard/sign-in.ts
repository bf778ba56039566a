import { AppError } from '../../domain/errors.ts';
import { MICROS_PER_SECOND } from '../../lib/instant.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import { requestSignIn, signInByCode } from '../../services/accounts/mailed-codes.ts';
import { mailRequestedLink, setPasswordByLink, signInByLink } from '../../services/accounts/mailed-links.ts';
import type { MadeSession } from '../../services/accounts/sessions.ts';
import { signOut } from '../../services/accounts/sessions.ts';
import { type SignInStep, signInWithCode, signInWithPassword } from '../../services/accounts/sign-in.ts';
import type { Cookies } from '../../wire/dashboard/cookies.ts';
import {
  parseEmail,
  parseNewPassword,
  parseSignIn,
  parseToken,
  parseTypedCode,
} from '../../wire/dashboard/sign-in-input.ts';
import type { Answer } from '../replies.ts';
import type { Route, VisitorRequest } from '../route.ts';
import { dashboardRoute, forVisitors } from './dashboard-route.ts';

export function signInRoutes(deps: AccountDeps, cookies: Cookies): Route[] {
  return [
    dashboardRoute('/sign-in', {
      POST: forVisitors(async (request) => {
        const { client, token: before, body } = request;
        const input = parseSignIn(body);
        const step = await telling(request, () => signInWithPassword(deps, { client, before }, input));
        return signedIn(deps, cookies, step);
      }),
    }),
    dashboardRoute('/sign-in/second-factor', {
      POST: forVisitors(async (request) => {
        const { client, token: before, body } = request;
        const input = parseTypedCode(body);
        const made = await telling(request, () => signInWithCode(deps, { client, before }, input));
        return signedIn(deps, cookies, made);
      }),
    }),
    dashboardRoute('/sign-in/link', {
      POST: forVisitors(async ({ client, body }) => {
        const { pending } = await requestSignIn(deps, client, parseEmail(body).email);
        return { status: 202, json: { pending } };
      }),
    }),
    dashboardRoute('/sign-in/link/use', {
      POST: forVisitors(async ({ client, token: before, body }) =>
        signedIn(deps, cookies, await signInByLink(deps, { client, before }, parseToken(body).token)),
      ),
    }),
    dashboardRoute('/sign-in/code', {
      POST: forVisitors(async (request) => {
        const { client, token: before, body } = request;
        const input = parseTypedCode(body);
        const step = await telling(request, () => signInByCode(deps, { client, before }, input));
        return signedIn(deps, cookies, step);
      }),
    }),
    dashboardRoute('/password/forgotten', {
      POST: forVisitors(async ({ client, body }) => {
        await mailRequestedLink(deps, client, 'set_password', parseEmail(body).email);
        return ACCEPTED;
      }),
    }),
    dashboardRoute('/password/set', {
      POST: forVisitors(async ({ client, token: before, body }) =>
        signedIn(deps, cookies, await setPasswordByLink(deps, { client, before }, parseNewPassword(body))),
      ),
    }),
    dashboardRoute('/sign-out', {
      POST: forVisitors(async ({ token }) => {
        if (token !== null) await signOut(deps, token);
        return { status: 204, cookies: [cookies.noSession()] };
      }),
    }),
  ];
}

/**
 * Logs a wrong password, code or key with the address it came from, for tools that block addresses. Attempts beyond the limit
 * are not logged: there may be thousands a second.
 */
export async function telling<T>({ client, log }: VisitorRequest, signIn: () => Promise<T>): Promise<T> {
  try {
    return await signIn();
  } catch (error) {
    if (error instanceof AppError && error.code === 'wrong_credentials')
      log.warn({ event: 'sign_in.refused', address: client.address });
    throw error;
  }
}

/** The same whether a mail is sent or not. */
export const ACCEPTED: Answer = { status: 202, json: {} };

/** The answer to a sign-in: the page asks for what it shows afterwards, or for the second factor. */
export function signedIn(deps: AccountDeps, cookies: Cookies, made: SignInStep): Answer {
  if ('pending' in made) return { status: 200, json: { pending: made.pending, second_factors: made.ways } };
  return { status: 204, cookies: [sessionCookie(deps, cookies, made), cookies.device(made.device)] };
}

/** The cookie lives as long as the session may. Idle sessions end on the server. */
export function sessionCookie({ settings }: AccountDeps, cookies: Cookies, { token }: MadeSession): string {
  return cookies.session(token, Math.floor(settings.sessions.age / MICROS_PER_SECOND));
}
