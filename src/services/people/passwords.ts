import { AppError } from '../../domain/errors.ts';
import { passwordFault } from '../../domain/people/password-rules.ts';
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
