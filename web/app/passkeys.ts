import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { m } from '../messages/index.ts';
import { ApiError } from './api.ts';

/** What the server asks a passkey or a security key to sign. */
export interface Challenge {
  readonly options: Parameters<typeof startAuthentication>[0]['optionsJSON'];
  readonly sealed: string;
}

/** Asks the person for their key. */
export async function signChallenge({ options, sealed }: Challenge): Promise<object> {
  try {
    return { sealed, response: await startAuthentication({ optionsJSON: options }) };
  } catch {
    throw new ApiError(m.signIn.passkeyFailed);
  }
}

/** What the server asks a new key to sign. */
export interface NewKeyChallenge {
  readonly options: Parameters<typeof startRegistration>[0]['optionsJSON'];
  readonly sealed: string;
}

/** Asks the person for a key that the account does not have yet. */
export async function signNewKey({ options, sealed }: NewKeyChallenge): Promise<object> {
  try {
    return { sealed, response: await startRegistration({ optionsJSON: options }) };
  } catch {
    throw new ApiError(m.signIn.newKeyFailed);
  }
}
