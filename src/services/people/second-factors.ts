import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import type { Passkey } from '../../domain/people/passkey.ts';
import {
  AUTHENTICATOR_SETUP_SPAN,
  type Authenticator,
  isTotpCode,
  RECOVERY_CODE_COUNT,
  RECOVERY_CODE_GROUPS,
} from '../../domain/people/second-factor.ts';
import { newTypedCode, plainCode } from '../../domain/people/typed-code.ts';
import { newTotpSecret, totpStep, totpUri } from '../../lib/totp.ts';
import { sha256 } from '../../lib/vault.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import {
  type AccountActor,
  accountSubject,
  actorsAccount,
  lockedAccount,
  ownSessionId,
  requireOnAccount,
} from './account-actor.ts';
import type { Client } from './client.ts';
import { ofSession, takeCode } from './code-attempts.ts';
import type { AccountDeps } from './deps.ts';
import { mailSecurity } from './mailing.ts';
import { openSealed, sealTogether } from './sealed.ts';

export interface SecondFactors {
  readonly authenticator: Authenticator | null;
  /** Passkeys and security keys. */
  readonly passkeys: readonly Passkey[];
  readonly recoveryCodesLeft: number;
}

export async function secondFactorsOf(
  { secondFactors, passkeys }: Pick<Reads, 'secondFactors' | 'passkeys'>,
  accountId: number,
): Promise<SecondFactors> {
  return {
    authenticator: await secondFactors.authenticatorOf(accountId),
    passkeys: await passkeys.ofAccount(accountId),
    recoveryCodesLeft: await secondFactors.recoveryCodeCount(accountId),
  };
}

/** Whether the account asks for a second proof. Recovery codes do not count: they replace a factor that was lost. */
export function asksForSecond({ authenticator, passkeys }: SecondFactors): boolean {
  return authenticator !== null || passkeys.length > 0;
}

/** A person with a second factor confirms with it: the first proof alone must not be enough to remove it. */
export function secondFactorExists(): AppError {
  const text = 'Confirm with your app, your passkey, your security key or a recovery code.';
  return new AppError('stronger_proof_exists', text);
}

/** A secret that a page shows. Nothing is stored until the app has shown its first code. */
export interface AuthenticatorSetup {
  readonly secret: string;
  readonly uri: string;
  /** The sealed secret, for the page to send back. */
  readonly sealed: string;
}

export async function beginAuthenticator(
  deps: AccountDeps,
  actor: AccountActor,
): Promise<AuthenticatorSetup> {
  requireOnAccount(actor, 'second_factors.edit');
  const { email } = await actorsAccount(deps.store, actor);
  const secret = newTotpSecret(deps.random);
  const sealed = sealTogether(deps, 'authenticator', { accountId: actor.accountId, secret });
  return { secret, uri: totpUri(secret, deps.settings.siteName, email), sealed };
}

/**
 * Turns the app on, once it has shown a right code. From then on a sign-in needs a second proof. Returns recovery codes if
 * there were none. They are shown only now.
 */
export async function addAuthenticator(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
  { sealed, code }: { readonly sealed: string; readonly code: string },
): Promise<string[] | null> {
  requireOnAccount(actor, 'second_factors.edit');
  const setup = openSealed(deps, 'authenticator', sealed, AUTHENTICATOR_SETUP_SPAN);
  if (setup?.accountId !== actor.accountId || typeof setup.secret !== 'string')
    throw new AppError('invalid_link');
  const { secret } = setup;
  await takeCode(deps, { accountId: actor.accountId, client, own: ofSession(ownSessionId(actor)) }, code);
  const createdAt = deps.clock.now();
  const step = totpStep(plainCode(code), secret, createdAt) ?? wrongCode();
  return deps.store.transaction(async (tx) => {
    const account = await lockedAccount(tx, actor);
    const authenticator = { accountId: account.id, sealedSecret: deps.vault.seal(secret), createdAt };
    if (!(await tx.secondFactors.addAuthenticator(authenticator, step)))
      throw new AppError('second_factor_exists');
    await tellFactors(deps, tx, actor, account, client, 'authenticator.added');
    return firstRecoveryCodes(deps, tx, account.id);
  });
}

export async function removeAuthenticator(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
): Promise<void> {
  requireOnAccount(actor, 'second_factors.edit');
  await deps.store.transaction(async (tx) => {
    const account = await lockedAccount(tx, actor);
    await tx.secondFactors.removeAuthenticator(account.id);
    await forgetNeedlessCodes(tx, account.id);
    await tellFactors(deps, tx, actor, account, client, 'authenticator.removed');
  });
}

/** Replaces the recovery codes. They are shown only now. */
export async function renewRecoveryCodes(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
): Promise<string[]> {
  requireOnAccount(actor, 'second_factors.edit');
  return deps.store.transaction(async (tx) => {
    const account = await lockedAccount(tx, actor);
    const codes = await newRecoveryCodes(deps, tx, account.id);
    await tellFactors(deps, tx, actor, account, client, 'recovery_codes.renewed');
    return codes;
  });
}

/** A person with a second factor also has recovery codes. Returns them if they were made now. */
export async function firstRecoveryCodes(
  deps: Pick<Deps, 'random'>,
  tx: Writes,
  accountId: number,
): Promise<string[] | null> {
  const left = await tx.secondFactors.recoveryCodeCount(accountId);
  return left > 0 ? null : newRecoveryCodes(deps, tx, accountId);
}

async function newRecoveryCodes(
  { random }: Pick<Deps, 'random'>,
  tx: Writes,
  accountId: number,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, () =>
    newTypedCode(RECOVERY_CODE_GROUPS, random.bytes),
  );
  await tx.secondFactors.setRecoveryCodes(accountId, codes.map(recoveryDigest));
  return codes;
}

/** Without a second factor there is nothing that recovery codes could stand in for. */
export async function forgetNeedlessCodes(tx: Writes, accountId: number): Promise<void> {
  if (!asksForSecond(await secondFactorsOf(tx, accountId)))
    await tx.secondFactors.setRecoveryCodes(accountId, []);
}

async function tellFactors(
  deps: AccountDeps,
  tx: Writes,
  actor: AccountActor,
  account: Account,
  client: Client,
  action: string,
): Promise<void> {
  await recordAct(deps, tx, actor.by, { action, subject: accountSubject(account) });
  await mailSecurity(deps, tx, account, 'second_factors_changed', client);
}

/** Uses up a code of the app, or a recovery code. */
export async function useCode(
  deps: Pick<Deps, 'vault' | 'clock'>,
  tx: Writes,
  accountId: number,
  code: string,
): Promise<'totp' | 'recovery_code'> {
  if (!isTotpCode(code)) {
    const isRight = await tx.secondFactors.useRecoveryCode(accountId, recoveryDigest(code));
    return isRight ? 'recovery_code' : wrongCode();
  }
  const authenticator = await tx.secondFactors.authenticatorOf(accountId);
  const secret = authenticator && deps.vault.unseal(authenticator.sealedSecret);
  const step = secret && totpStep(plainCode(code), secret, deps.clock.now());
  const isRight = typeof step === 'number' && (await tx.secondFactors.useStep(accountId, step));
  return isRight ? 'totp' : wrongCode();
}

/** Recovery codes are too random to be guessed, so their digest needs no key, and survives a change of the secret. */
function recoveryDigest(code: string): string {
  return sha256(`recovery code ${plainCode(code)}`);
}

export function wrongCode(): never {
  throw new AppError('wrong_credentials', 'The code you entered was incorrect.', { field: 'code' });
}
