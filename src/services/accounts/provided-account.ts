import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import type { ProvidedPerson } from '../../domain/people/identity.ts';
import { isConflict, type Writes } from '../../storage/store.ts';
import { recordAct } from '../audit.ts';
import { accountSubject } from './account-actor.ts';
import type { AccountDeps } from './deps.ts';
import { addAccount, addFirstProject } from './new-account.ts';

/** Makes the account of somebody whom a provider or a proxy vouches for, with a project to begin with. */
export async function addProvidedAccount(
  deps: AccountDeps,
  tx: Writes,
  { email, name }: ProvidedPerson,
  by: Omit<ActedBy, 'accountId' | 'name'>,
): Promise<Account> {
  const account = await addAccount(deps, tx, { email, name, passwordHash: null });
  await addFirstProject(deps, tx, account, { isProven: true });
  const subject = accountSubject(account);
  await recordAct(
    deps,
    tx,
    { ...by, accountId: account.id, name: email },
    { action: 'account.signed_up', subject },
  );
  return account;
}

/** Of two first requests of a person at the same time, the later one runs again, and finds what the other has made. */
export async function withOneAccount<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isMade = isConflict(error) || (error instanceof AppError && error.code === 'email_taken');
    if (!isMade) throw error;
    return await work();
  }
}
