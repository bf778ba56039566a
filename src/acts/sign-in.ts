import * as looking from '../services/people/looking-around.ts';
import { requestSignIn, signInByCode } from '../services/people/mailed-codes.ts';
import * as links from '../services/people/mailed-links.ts';
import * as sessions from '../services/people/sessions.ts';
import * as password from '../services/people/sign-in.ts';
import * as keys from '../services/people/signatures.ts';
import { beginProviderSignIn } from '../services/sign-up/provider-sign-in.ts';
import {
  codeField,
  emailField,
  optional,
  passwordField,
  revokeTokensField,
  sealedField,
  tokenField,
} from '../wire/dashboard/input.ts';
import { SIGNED_CHALLENGE } from '../wire/dashboard/passkey-input.ts';
import { nextField } from '../wire/dashboard/provider-input.ts';
import { visitorAct } from './act.ts';
import { leadToProvider, sessionCookie, signInBrowser } from './new-session.ts';

export const signInWithPassword = visitorAct({
  permission: null,
  input: { email: emailField, password: passwordField },
  run: (deps, asked) =>
    signInBrowser(deps, asked, (browser) => password.signInWithPassword(deps, browser, asked.input)),
});

/** A code of the app, or a recovery code, after the first proof. */
export const signInWithCode = visitorAct({
  permission: null,
  input: { pending: sealedField, code: codeField },
  run: (deps, asked) =>
    signInBrowser(deps, asked, (browser) => password.signInWithCode(deps, browser, asked.input)),
});

/** Mails a link and a code. The page sends the answer back with the code. It is the same whether a mail is sent or not. */
export const mailSignIn = visitorAct({
  permission: null,
  input: { email: emailField, next: optional(nextField) },
  run: async (deps, { client, input }) => ({
    pending: (await requestSignIn(deps, client, input.email, input.next)).pending,
  }),
});

export const signInByLink = visitorAct({
  permission: null,
  input: { token: tokenField },
  run: (deps, asked) =>
    signInBrowser(deps, asked, (browser) => links.signInByLink(deps, browser, asked.input.token)),
});

export const signInByMailedCode = visitorAct({
  permission: null,
  input: { pending: sealedField, code: codeField },
  run: (deps, asked) => signInBrowser(deps, asked, (browser) => signInByCode(deps, browser, asked.input)),
});

export const beginSignInByPasskey = visitorAct({
  permission: null,
  run: (deps) => keys.beginSignature(deps),
});

export const signInWithPasskey = visitorAct({
  permission: null,
  input: SIGNED_CHALLENGE,
  run: (deps, asked) =>
    signInBrowser(deps, asked, (browser) => keys.signInWithPasskey(deps, browser, asked.input)),
});

/** A key after the first proof. */
export const beginSignInByKey = visitorAct({
  permission: null,
  input: { pending: sealedField },
  run: (deps, { input }) => keys.beginSecondFactor(deps, input.pending),
});

export const signInWithKey = visitorAct({
  permission: null,
  input: { pending: sealedField, ...SIGNED_CHALLENGE },
  run: (deps, asked) =>
    signInBrowser(deps, asked, (browser) => keys.signInWithKey(deps, browser, asked.input)),
});

export const signInByProvider = visitorAct({
  permission: null,
  input: { next: optional(nextField) },
  run: (deps, asked) => leadToProvider(deps, asked, (next) => beginProviderSignIn(deps, next)),
});

/** The answer is the same whether a mail is sent or not. */
export const mailPasswordLink = visitorAct({
  permission: null,
  input: { email: emailField, next: optional(nextField) },
  run: async (deps, { client, input: { email, next } }) => {
    await links.mailRequestedLink(deps, client, 'set_password', email, { next });
  },
});

/** A person who has forgotten the password may fear that somebody else knows it, so tokens are revoked by default. */
export const setPasswordByLink = visitorAct({
  permission: null,
  input: { token: tokenField, password: passwordField, revokeTokens: optional(revokeTokensField) },
  run: (deps, asked) => {
    const { revokeTokens: revokesTokens = true, ...input } = asked.input;
    return signInBrowser(deps, asked, (browser) =>
      links.setPasswordByLink(deps, browser, { ...input, revokesTokens }),
    );
  },
});

/** In a demonstration everybody may look at everything. */
export const lookAround = visitorAct({
  permission: null,
  run: async (deps, { client, token: before, setCookie }) =>
    setCookie(sessionCookie(deps, await looking.lookAround(deps, { client, before }))),
});

export const signOut = visitorAct({
  permission: null,
  run: async (deps, { token, setCookie }) => {
    if (token !== null) await sessions.signOut(deps, token);
    setCookie(deps.cookies.noSession());
  },
});
