import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { m } from '../messages/index.ts';
import type { ActAnswer } from './act.ts';
import { ApiError } from './api.ts';

/** Asks the person for their key. */
export async function signChallenge({ options, sealed }: ActAnswer<'beginSignInByPasskey'>) {
  try {
    return { sealed, response: { ...(await startAuthentication({ optionsJSON: options })) } };
  } catch {
    throw new ApiError(m.signIn.passkeyFailed);
  }
}

/** Asks the person for a key that the account does not have yet. */
export async function signNewKey({ options, sealed }: ActAnswer<'beginPasskey'>) {
  try {
    return { sealed, response: { ...(await startRegistration({ optionsJSON: options })) } };
  } catch {
    throw new ApiError(m.signIn.newKeyFailed);
  }
}
