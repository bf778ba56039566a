import { MIN_PASSWORD_LENGTH } from '../domain/people/password-rules.ts';
import { findSignedIn } from '../services/accounts/sessions.ts';
import { mainView } from './view.ts';

/** Which ways to sign in and to sign up there are. */
export const entrance = mainView.visitor({
  permission: null,
  read: async (deps, { token, client }) => {
    const { signUp, localSignIn, provider, remoteUser, hasMail, passkeySite } = deps.settings;
    return {
      isSignedIn: token !== null && (await findSignedIn(deps, token, client)) !== null,
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
