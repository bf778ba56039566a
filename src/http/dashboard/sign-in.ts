import { sessionCookie } from '../../acts/new-session.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import type { NewSignIn } from '../../services/accounts/sign-in.ts';
import type { Cookies } from '../../wire/dashboard/cookies.ts';
import type { Answer } from '../replies.ts';

/** The same whether a mail is sent or not. */
export const ACCEPTED: Answer = { status: 202, json: {} };

/** The answer to a sign-in: the page asks for what it shows afterwards. */
export function signedIn({ settings }: AccountDeps, cookies: Cookies, made: NewSignIn): Answer {
  return { status: 204, cookies: [sessionCookie({ settings, cookies }, made), cookies.device(made.device)] };
}
