import { AppError } from '../../domain/errors.ts';
import { CHALLENGE_SPAN, type Passkey } from '../../domain/people/passkey.ts';
import { type RelyingParty, readAuthentication } from '../../lib/webauthn.ts';
import type { AccountDeps } from './deps.ts';
import { openSealed, sealTogether } from './sealed.ts';

const CHALLENGE_BYTES = 32;

/** Sent to a browser, which sends it back with its answer. */
export interface Challenge<Options> {
  /** For the browser, as WebAuthn has it. */
  readonly options: Options;
  readonly sealed: string;
}

/** The answer of a browser to a challenge. */
export interface ChallengeAnswer {
  readonly sealed: string;
  /** The response of WebAuthn. */
  readonly response: Readonly<Record<string, unknown>>;
}

export function newChallenge(
  deps: AccountDeps,
  purpose: string,
  values: Readonly<Record<string, unknown>>,
): { bytes: Uint8Array; sealed: string } {
  const bytes = deps.random.bytes(CHALLENGE_BYTES);
  const challenge = Buffer.from(bytes).toString('base64url');
  return { bytes, sealed: sealTogether(deps, purpose, { ...values, challenge }) };
}

/** A challenge is answered once, so that nobody can use an answer again that they have seen. */
export async function useChallenge(
  deps: AccountDeps,
  purpose: string,
  sealed: string,
): Promise<Readonly<Record<string, unknown>> & { readonly challenge: string }> {
  const asked = openSealed(deps, purpose, sealed, CHALLENGE_SPAN);
  if (asked === null || typeof asked.challenge !== 'string') throw new AppError('sign_in_expired');
  const { challenge } = asked;
  await deps.attempts.take([{ rule: 'usesPerChallenge', subject: challenge }]);
  return { ...asked, challenge };
}

/** A key that has signed, and how often it has signed now. */
export interface Signature {
  readonly passkey: Passkey;
  readonly counter: number;
}

/**
 * The key that has signed the challenge. With `isVerified` the device must have verified the person, by a PIN or a
 * finger.
 */
export async function readSignature(
  deps: AccountDeps,
  challenge: string,
  response: ChallengeAnswer['response'],
  isVerified: (passkey: Passkey) => boolean,
): Promise<Signature> {
  const id = String(response.id ?? '').replaceAll('\0', '');
  const passkey = await deps.store.passkeys.byCredentialId(id);
  if (passkey === null) throw notAccepted();
  const needsVerification = isVerified(passkey);
  const site = requireSite(deps);
  const counter = await readAuthentication(site, response, challenge, passkey, { needsVerification });
  if (counter === null) throw notAccepted();
  return { passkey, counter };
}

/** Browsers offer passkeys on https sites and on this machine only. */
export function requireSite({ settings }: Pick<AccountDeps, 'settings'>): RelyingParty {
  if (settings.passkeySite === null) throw new AppError('not_found');
  return settings.passkeySite;
}

export function notAccepted(): AppError {
  return new AppError('wrong_credentials', 'The passkey was not accepted.');
}
