import * as setup from '../services/sign-up/setup.ts';
import * as signUp from '../services/sign-up/sign-up.ts';
import { emailField, nameField, optional, passwordField, tokenField } from '../wire/dashboard/input.ts';
import { nextField } from '../wire/dashboard/provider-input.ts';
import { NEW_PROFILE, newProfile } from '../wire/dashboard/sign-up-input.ts';
import { visitorAct } from './act.ts';
import { signInBrowser } from './new-session.ts';

/** Mails a link. The answer is the same whether the address has an account or not. */
export const mailSignUpLink = visitorAct({
  permission: null,
  input: { email: emailField, next: optional(nextField) },
  run: (deps, { client, input }) => signUp.requestSignUp(deps, client, input.email, input.next),
});

export const finishSignUp = visitorAct({
  permission: null,
  input: { token: tokenField, password: optional(passwordField), ...NEW_PROFILE },
  run: (deps, asked) => {
    const { token, password = null } = asked.input;
    return signInBrowser(deps, asked, (browser) =>
      signUp.finishSignUp(deps, browser, { ...newProfile(asked.input), token, password }),
    );
  },
});

/** Makes an account at once, where no mail can be sent. */
export const signUpWithoutMail = visitorAct({
  permission: null,
  input: { email: emailField, password: passwordField, ...NEW_PROFILE },
  run: (deps, asked) => {
    const { email, password } = asked.input;
    return signInBrowser(deps, asked, (browser) =>
      signUp.signUpWithoutMail(deps, browser, { ...newProfile(asked.input), email, password }),
    );
  },
});

/** Uses the link that the log prints while nobody administers the installation. */
export const completeSetup = visitorAct({
  permission: null,
  input: { token: tokenField, email: emailField, password: passwordField, name: optional(nameField) },
  run: (deps, asked) => {
    const { name = '', ...input } = asked.input;
    return signInBrowser(deps, asked, (browser) => setup.completeSetup(deps, browser, { ...input, name }));
  },
});
