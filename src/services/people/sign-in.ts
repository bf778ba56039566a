import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import { SECOND_FACTOR_SPAN, type SecondFactor } from '../../domain/people/second-factor.ts';
import type { Micros } from '../../lib/instant.ts';
import { seconds } from '../../lib/instant.ts';
import { sha256 } from '../../lib/vault.ts';
import type { Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import { accountSubject } from './account-actor.ts';
import { type Client, networkOf, seenFrom } from './client.ts';
import { takePassword } from './client-attempts.ts';
import { type FactorSender, notingWrong, takeCode } from './code-attempts.ts';
import type { AccountDeps } from './deps.ts';
import { knownDevice, newDeviceToken } from './devices.ts';
import { requireLocalSignIn } from './local-sign-in.ts';
import { mailSecurity } from './mailing.ts';
import { provePassword } from './passwords.ts';
import { openSealed, sealTogether } from './sealed.ts';
import { asksForSecond, type SecondFactors, secondFactorsOf, useCode } from './second-factors.ts';
import { type MadeSession, sessionOf, startSession } from './sessions.ts';

/** A sign-in that needs a second proof. The page keeps it until the person gives one. */
export interface PendingSignIn {
  readonly pending: string;
  /** The proofs that the account has. One of them completes the sign-in. */
  readonly ways: readonly SecondFactor[];
}

/** The result of the first proof. */
export type SignInStep = NewSignIn | PendingSignIn;

/** The browser's part of a sign-in. */
export interface NewSignIn extends MadeSession {
  readonly device: string;
}

/** A browser that signs in. */
export interface SigningIn {
  readonly client: Client;
  /** The token of the session that the browser has, if it has one. */
  readonly before: string | null;
}

/** The person's proof of identity. */
export type Proof = FirstProof | 'passkey' | 'provider' | 'setup';

/** Proofs beside which a second factor is asked for. */
const FIRST_PROOFS = ['password', 'link', 'mailed_code'] as const;

type FirstProof = (typeof FIRST_PROOFS)[number];

/**
 * Signs in with a password. Without an account the answer is the same after the same work. A browser that was signed in
 * to the account before has attempts of its own, so that strangers cannot use them up.
 */
export async function signInWithPassword(
  deps: AccountDeps,
  browser: SigningIn,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<SignInStep> {
  requireLocalSignIn(deps);
  const { client } = browser;
  const { accounts } = deps.store;
  // A browser without a token is refused without a query, if it is.
  const device = client.device === null ? null : knownDevice(deps, await accounts.byEmail(email), client);
  await takePassword(deps, client, device, email);
  const requester = { network: networkOf(client), isKnown: device !== null };
  const account = await provePassword(deps, await accounts.byEmail(email), password, requester);
  if (account === null) throw wrongCredentials();
  return deps.store.transaction(async (tx) => {
    // The password may have been changed while it was compared. A change that is under way ends the sessions that it
    // finds, so this waits for its end.
    const now = await tx.accounts.lock(account.id);
    if (now === null || now.passwordHash !== account.passwordHash) throw wrongCredentials();
    return proceed(deps, tx, now, browser, 'password');
  });
}

const PENDING = 'sign-in';

/** Signs in, unless the account has a second factor. Then the person has to prove that, too. */
export async function proceed(
  deps: AccountDeps,
  tx: Writes,
  account: Account,
  browser: SigningIn,
  proof: FirstProof,
): Promise<SignInStep> {
  requireActive(account);
  const factors = await secondFactorsOf(tx, account.id);
  if (!asksForSecond(factors)) return signIn(deps, tx, account, browser, proof);
  const first = { accountId: account.id, proof, secrets: secretsOf(account) };
  return { pending: sealTogether(deps, PENDING, first), ways: waysOf(deps, factors) };
}

function waysOf(
  { settings }: AccountDeps,
  { authenticator, passkeys, recoveryCodesLeft }: SecondFactors,
): SecondFactor[] {
  return [
    ...(authenticator === null ? [] : (['totp'] as const)),
    ...(passkeys.length === 0 || settings.passkeySite === null ? [] : (['security_key'] as const)),
    ...(recoveryCodesLeft === 0 ? [] : (['recovery_code'] as const)),
  ];
}

/** A sign-in between the first proof and the second. */
export interface FirstStep {
  readonly accountId: number;
  readonly proof: FirstProof;
  readonly secrets: unknown;
}

export function openPending(deps: AccountDeps, pending: string): FirstStep {
  requireLocalSignIn(deps);
  const first = openSealed(deps, PENDING, pending, SECOND_FACTOR_SPAN);
  if (first === null) throw new AppError('sign_in_expired');
  const proof = FIRST_PROOFS.find((one) => one === first.proof) ?? 'password';
  return { accountId: Number(first.accountId), proof, secrets: first.secrets };
}

/** Signs in, if the second proof is right as well. */
export async function completeSignIn(
  deps: AccountDeps,
  browser: SigningIn,
  { accountId, proof, secrets }: FirstStep,
  prove: (tx: Writes, accountId: number) => Promise<SecondFactor>,
): Promise<NewSignIn> {
  return deps.store.transaction(async (tx) => {
    const account = await tx.accounts.lock(accountId);
    // The password or the address may have been changed meanwhile.
    if (account === null || secrets !== secretsOf(account)) throw new AppError('sign_in_expired');
    const factor = await prove(tx, account.id);
    return signIn(deps, tx, account, browser, proof, factor);
  });
}

/** Completes a sign-in with a code of the app, or with a recovery code. */
export async function signInWithCode(
  deps: AccountDeps,
  browser: SigningIn,
  { pending, code }: { readonly pending: string; readonly code: string },
): Promise<NewSignIn> {
  const first = openPending(deps, pending);
  const sender = await factorSender(deps, browser.client, first);
  await takeCode(deps, sender, code);
  return notingWrong(deps, sender, () =>
    completeSignIn(deps, browser, first, (tx, accountId) => useCode(deps, tx, accountId, code)),
  );
}

/** The sender of a second factor after the first proof. */
export async function factorSender(
  deps: AccountDeps,
  client: Client,
  { accountId }: FirstStep,
): Promise<FactorSender> {
  // A browser without a token is refused without a query, if it is.
  const account = client.device === null ? null : await deps.store.accounts.byId(accountId);
  const device = knownDevice(deps, account, client);
  return { accountId, client, own: device === null ? null : `device ${device}` };
}

/** Changes with the secrets of the first proof. */
function secretsOf({ email, passwordHash }: Account): string {
  return sha256(`${email} ${passwordHash}`);
}

/** A younger account needs no notice of a new browser. Every browser is new to it. */
const NOTICES_AFTER: Micros = seconds(3_600);

/** Signs in the person who has proved that the account is theirs. */
export async function signIn(
  deps: AccountDeps,
  tx: Writes,
  account: Account,
  { client, before }: SigningIn,
  proof: Proof,
  factor: SecondFactor | null = null,
): Promise<NewSignIn> {
  requireActive(account);
  if (proof !== 'provider' && proof !== 'setup') requireLocalSignIn(deps);
  const made = await startSession(deps, tx, account, client, before);
  await recordAct(deps, tx, sessionOf(account.id, account.email, client), {
    action: 'account.signed_in',
    subject: accountSubject(account),
    details: {
      with: proof,
      ...(factor !== null && { second_factor: factor }),
      user_agent: seenFrom(client).userAgent,
    },
  });
  // The setup takes over an account that may be old and was never used.
  const isOld = proof !== 'setup' && deps.clock.now() - account.createdAt > NOTICES_AFTER;
  if (isOld && knownDevice(deps, account, client) === null)
    await mailSecurity(deps, tx, account, 'new_browser', client);
  return { ...made, device: newDeviceToken(deps, account) };
}

/** An account that is not active answers like a wrong password. */
function requireActive({ isActive }: Account): void {
  if (!isActive) throw wrongCredentials();
}

function wrongCredentials(): AppError {
  return new AppError('wrong_credentials', 'Incorrect email or password.');
}
