import type { Account } from '../../domain/account.ts';
import { AppError } from '../../domain/errors.ts';
import {
  AUTHENTICATOR_SETUP_SPAN,
  type Authenticator,
  isTotpCode,
  RECOVERY_CODE_COUNT,
  RECOVERY_CODE_GROUPS,
} from '../../domain/second-factor.ts';
import { newTypedCode, plainCode } from '../../domain/typed-code.ts';
import { newTotpSecret, totpStep, totpUri } from '../../lib/totp.ts';
import { sha256 } from '../../lib/vault.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import { recordAct } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { type AccountActor, accountSubject, actorsAccount, requireOnAccount } from './account-actor.ts';
import type { Client } from './client.ts';
import type { AccountDeps } from './deps.ts';
import { mailSecurity } from './mailing.ts';
import { openSealed, sealTogether } from './sealed.ts';

export interface SecondFactors {
  readonly authenticator: Authenticator | null;
  readonly recoveryCodesLeft: number;
}

export async function listSecondFactors(deps: AccountDeps, actor: AccountActor): Promise<SecondFactors> {
  requireOnAccount(actor, 'account.view');
  return {
    authenticator: await deps.store.secondFactors.authenticatorOf(actor.accountId),
    recoveryCodesLeft: await deps.store.secondFactors.recoveryCodeCount(actor.accountId),
  };
}

/** A secret that a page shows. Nothing is stored until the app has shown its first code. */
export interface AuthenticatorSetup {
  readonly secret: string;
  readonly uri: string;
  /** The same, sealed, for the page to send back. */
  readonly sealed: string;
}

export async function beginAuthenticator(
  deps: AccountDeps,
  actor: AccountActor,
): Promise<AuthenticatorSetup> {
  requireOnAccount(actor, 'account.secure');
  const { email } = await actorsAccount(deps.store, actor);
  const secret = newTotpSecret(deps.random);
  const sealed = sealTogether(deps, 'authenticator', { accountId: actor.accountId, secret });
  return { secret, uri: totpUri(secret, deps.settings.siteName, email), sealed };
}

/** Turns the app on, once it has shown a right code. From then on a sign-in needs a code. */
export async function addAuthenticator(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
  { sealed, code }: { readonly sealed: string; readonly code: string },
): Promise<void> {
  requireOnAccount(actor, 'account.secure');
  const setup = openSealed(deps, 'authenticator', sealed, AUTHENTICATOR_SETUP_SPAN);
  if (setup?.accountId !== actor.accountId || typeof setup.secret !== 'string')
    throw new AppError('invalid_link');
  const { secret } = setup;
  await deps.attempts.take([codesOf(actor.accountId)]);
  const createdAt = deps.clock.now();
  const step = totpStep(plainCode(code), secret, createdAt) ?? wrongCode();
  await deps.store.transaction(async (tx) => {
    const account = await actorsAccount(tx, actor);
    const authenticator = { accountId: account.id, sealedSecret: deps.vault.seal(secret), createdAt };
    if (!(await tx.secondFactors.addAuthenticator(authenticator, step)))
      throw new AppError('second_factor_exists');
    await tellFactors(deps, tx, actor, account, client, 'authenticator.added');
  });
}

export async function removeAuthenticator(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
): Promise<void> {
  requireOnAccount(actor, 'account.secure');
  await deps.store.transaction(async (tx) => {
    const account = await actorsAccount(tx, actor);
    await tx.secondFactors.removeAuthenticator(account.id);
    await tx.secondFactors.setRecoveryCodes(account.id, []);
    await tellFactors(deps, tx, actor, account, client, 'authenticator.removed');
  });
}

/** Replaces the recovery codes. They are shown only now. */
export async function renewRecoveryCodes(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
): Promise<string[]> {
  requireOnAccount(actor, 'account.secure');
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, () =>
    newTypedCode(RECOVERY_CODE_GROUPS, deps.random.bytes),
  );
  await deps.store.transaction(async (tx) => {
    const account = await actorsAccount(tx, actor);
    await tx.secondFactors.setRecoveryCodes(account.id, codes.map(recoveryDigest));
    await tellFactors(deps, tx, actor, account, client, 'recovery_codes.renewed');
  });
  return codes;
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

/** Whether the account asks for a second proof. */
export async function hasSecondFactor(
  { secondFactors, passkeys }: Pick<Reads, 'secondFactors' | 'passkeys'>,
  accountId: number,
): Promise<boolean> {
  if ((await secondFactors.authenticatorOf(accountId)) !== null) return true;
  return (await passkeys.ofAccount(accountId)).length > 0;
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

/** The attempts that codes of an account count against. Only somebody who has given the first proof gets here. */
export function codesOf(accountId: number): { rule: 'codesPerAccount'; subject: string } {
  return { rule: 'codesPerAccount', subject: String(accountId) };
}

/** Recovery codes are too random to be guessed, so their digest needs no key, and survives a change of the secret. */
function recoveryDigest(code: string): string {
  return sha256(`recovery code ${plainCode(code)}`);
}

export function wrongCode(): never {
  throw new AppError('wrong_credentials', 'The code you entered was incorrect.', { field: 'code' });
}
