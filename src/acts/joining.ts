/** Acts of people who have the link of an invitation. */
import * as joining from '../services/sign-up/joining.ts';
import { emailField, invitationTokenField, optional, passwordField } from '../wire/dashboard/input.ts';
import { NEW_PROFILE, newProfile } from '../wire/dashboard/sign-up-input.ts';
import { personAct, visitorAct } from './act.ts';
import { keepSignIn } from './new-session.ts';

export const acceptInvitation = personAct({
  permission: 'projects.join',
  input: { token: invitationTokenField },
  run: async (deps, { person, input }) => {
    await joining.acceptInvitation(deps, person, input.token);
  },
});

export const declineInvitation = visitorAct({
  permission: null,
  input: { token: invitationTokenField },
  run: (deps, { client, input }) => joining.declineInvitation(deps, client, input.token),
});

/** Signs the person in, or mails a link that proves the address. */
export const joinWithNewAccount = visitorAct({
  permission: null,
  input: {
    token: invitationTokenField,
    email: optional(emailField),
    password: optional(passwordField),
    ...NEW_PROFILE,
  },
  run: async (deps, asked) => {
    const { token, email = null, password = null } = asked.input;
    const browser = { client: asked.client, before: asked.token };
    const newcomer = { ...newProfile(asked.input), token, email, password };
    const made = await joining.joinWithNewAccount(deps, browser, newcomer);
    if (made !== null) keepSignIn(deps, asked, made);
    return { isMailed: made === null };
  },
});
