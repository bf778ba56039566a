import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

export type RegistrationOptions = PublicKeyCredentialCreationOptionsJSON;
export type SignatureOptions = PublicKeyCredentialRequestOptionsJSON;

/** A quarter of the time that the whole program takes to load. */
const loadLibrary = () => import('@simplewebauthn/server');

/**
 * Loads the library of a service whose people have keys, so that the first use of a key does not hold up others. The
 * service may answer before. If it cannot be loaded, the use of a key fails.
 */
export async function prepareKeys(): Promise<void> {
  await loadLibrary().catch(() => undefined);
}

/** For which site keys are made. */
export interface RelyingParty {
  /** The host of the site. */
  readonly id: string;
  readonly origin: string;
  readonly name: string;
}

/** A key as it is stored, in base64url. */
export interface PublicCredential {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
}

/** Whether the device verifies the person, by a PIN or a finger. Such a key is two factors. */
export interface Verification {
  readonly needsVerification: boolean;
}

/**
 * The options with which a browser makes a key. A key that verifies the person is also found without their address.
 * Plain security keys can do neither.
 */
export async function registrationOptions(
  { id, name }: RelyingParty,
  person: { readonly uuid: string; readonly email: string },
  challenge: Uint8Array,
  known: readonly Pick<PublicCredential, 'credentialId'>[],
  { needsVerification }: Verification,
): Promise<RegistrationOptions> {
  const { generateRegistrationOptions } = await loadLibrary();
  return generateRegistrationOptions({
    rpName: name,
    rpID: id,
    userName: person.email,
    userID: Uint8Array.from(Buffer.from(person.uuid)),
    challenge: Uint8Array.from(challenge),
    excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: needsVerification
      ? { residentKey: 'required', userVerification: 'required' }
      : { residentKey: 'discouraged', userVerification: 'discouraged' },
  });
}

/** The options with which a browser signs with one of these keys, or with any key that it has for the site. */
export async function authenticationOptions(
  { id }: RelyingParty,
  challenge: Uint8Array,
  {
    verification,
    keys = [],
  }: {
    readonly verification: 'required' | 'preferred' | 'discouraged';
    readonly keys?: readonly Pick<PublicCredential, 'credentialId'>[];
  },
): Promise<SignatureOptions> {
  const { generateAuthenticationOptions } = await loadLibrary();
  return generateAuthenticationOptions({
    rpID: id,
    challenge: Uint8Array.from(challenge),
    userVerification: verification,
    ...(keys.length > 0 && { allowCredentials: keys.map(({ credentialId }) => ({ id: credentialId })) }),
  });
}

/** The key that the browser has made. Null if the answer is wrong in any way. */
export async function readRegistration(
  { id, origin }: RelyingParty,
  response: unknown,
  challenge: string,
  { needsVerification }: Verification,
): Promise<PublicCredential | null> {
  const { verifyRegistrationResponse } = await loadLibrary();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      // The library looks at every part of it, and throws if one is missing.
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: needsVerification,
    });
    if (!verified) return null;
    const { credential } = registrationInfo;
    const publicKey = Buffer.from(credential.publicKey).toString('base64url');
    return { credentialId: credential.id, publicKey, counter: credential.counter };
  } catch {
    return null;
  }
}

/** The key's new count of signatures. Null if the answer is wrong in any way. */
export async function readAuthentication(
  { id, origin }: RelyingParty,
  response: unknown,
  challenge: string,
  { credentialId, publicKey, counter }: PublicCredential,
  { needsVerification }: Verification,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: needsVerification,
      credential: {
        id: credentialId,
        publicKey: Uint8Array.from(Buffer.from(publicKey, 'base64url')),
        counter,
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}
