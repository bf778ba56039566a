import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import { passwordFault } from '../../domain/people/password-rules.ts';
import { canCarryPassword } from '../../lib/password.ts';
import type { AccountDeps } from './deps.ts';
import type { Requester } from './password-work.ts';

export interface NewPassword {
  readonly password: string;
  /** Whether the tokens of the account are revoked. Otherwise they go on: a password does not matter to them. */
  readonly revokesTokens: boolean;
}

/** The hash of a password that somebody chooses for the account with this address. Refuses one that is easy to guess. */
export async function hashChosen(
  { passwords, settings }: Pick<AccountDeps, 'passwords' | 'settings'>,
  password: string,
  email: string,
  requester: Requester,
): Promise<string> {
  const fault = passwordFault(password, email, settings.siteName);
  if (fault !== null) throw new AppError('weak_password', fault, { field: 'password' });
  return passwords.hash(password, requester);
}

/**
 * The account, if this is its password. A hash of another program is replaced by one of ours, since only now the password
 * is known. Without an account the answer comes after the same work.
 */
export async function provePassword(
  deps: Pick<AccountDeps, 'passwords' | 'store'>,
  account: Account | null,
  password: string,
  requester: Requester,
): Promise<Account | null> {
  const before = account?.passwordHash ?? null;
  const isRight = await deps.passwords.verify(password, before, requester);
  if (account === null || before === null || !isRight) return null;
  if (!canCarryPassword(before)) return account;
  const passwordHash = await deps.passwords.hash(password, requester);
  const now = await deps.store.transaction(async (tx) => {
    const locked = await tx.accounts.lock(account.id);
    if (locked?.passwordHash !== before) return locked;
    await tx.accounts.setPassword(account.id, passwordHash);
    return { ...locked, passwordHash };
  });
  // Somebody has changed it meanwhile, perhaps the same person in another window.
  return now?.passwordHash === passwordHash ? now : provePassword(deps, now, password, requester);
}
