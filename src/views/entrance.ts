import { MIN_PASSWORD_LENGTH } from '../domain/people/password-rules.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { findSignedIn } from '../services/people/sessions.ts';
import { lookAtInvitation } from '../services/sign-up/joining.ts';
import { needsSetup } from '../services/sign-up/setup.ts';
import { invitationTokenField } from '../wire/dashboard/input.ts';
import { mainView } from './view.ts';

/** Which ways to sign in and to sign up there are. */
export const entrance = mainView.visitor({
  permission: null,
  read: async (deps, { token, client }) => {
    const { signUp, localSignIn, provider, remoteUser, hasMail, passkeySite } = deps.settings;
    return {
      isSignedIn: token !== null && (await findSignedIn(deps, token, client)) !== null,
      /** Nobody administers the service yet. The link for its first account is in its log. */
      needsSetup: deps.settings.demonstration === null && (await needsSetup(deps)),
      signIn: {
        /** With a password, a mailed link or a passkey. */
        isLocal: localSignIn,
        /** By a provider; null if there is none. */
        provider: provider && { name: provider.name },
        /** A proxy in front of this service signs people in. Whether it has is told by asking for the session. */
        isByProxy: remoteUser !== null,
      },
      signUp: { isOpen: signUp.isOpen && localSignIn, domains: signUp.domains },
      /** Whether links can be mailed. Without it people sign up and in with a password. */
      hasMail,
      hasPasskeys: passkeySite !== null && localSignIn,
      minPasswordLength: MIN_PASSWORD_LENGTH,
    };
  },
});

/** An invitation, for a visitor with its link. Looking changes nothing. */
export const invitationOffer = mainView.visitor({
  permission: null,
  input: { token: invitationTokenField },
  read: async (deps, { input }) => {
    const { invitation, provenEmail, hasAccount } = await lookAtInvitation(deps, input.token);
    return {
      project: invitation.project.name,
      role: invitation.role,
      invitedBy: invitation.inviter?.email ?? null,
      expires: toIsoSeconds(invitation.expiresAt),
      /** The address that the invitation is for. Null if everybody with the link may join. */
      forEmail: invitation.email,
      /** The address that the link proves, with which an account can be made at once. */
      provenEmail,
      /** Whether that address has an account. Null if no address is proved. */
      hasAccount,
    };
  },
});
