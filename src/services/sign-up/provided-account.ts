import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import type { ProvidedPerson } from '../../domain/people/identity.ts';
import { isConflict, type Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import { accountSubject } from '../people/account-actor.ts';
import { isAddressProven } from '../people/address-proof.ts';
import type { Client } from '../people/client.ts';
import type { AccountDeps } from '../people/deps.ts';
import { mailSecurity } from '../people/mailing.ts';
import { endAllAccess } from '../people/sessions.ts';
import { addAccount, addFirstProject } from './new-account.ts';

/** Makes the account of a person whom a provider or a proxy vouches for, with a project to begin with. */
export async function addProvidedAccount(
  deps: AccountDeps,
  tx: Writes,
  { email, name }: ProvidedPerson,
  by: Omit<ActedBy, 'accountId' | 'name'>,
): Promise<Account> {
  const account = await addAccount(deps, tx, { email, name, passwordHash: null, isProven: true });
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

/**
 * Gives the account, which is locked, to the person whom a provider or a proxy vouches for. If nobody has proved its
 * address before, somebody else may have taken it: then all their ways in end.
 */
export async function claimAccount(
  deps: AccountDeps,
  tx: Writes,
  account: Account,
  by: ActedBy,
  client: Client,
): Promise<Account> {
  if (account.addressProvedAt !== null) return account;
  const proved = { ...account, addressProvedAt: deps.clock.now() };
  if (await isAddressProven(tx, account)) {
    await tx.accounts.save(proved);
    return proved;
  }
  const claimed = { ...proved, passwordHash: null };
  await tx.accounts.save(claimed);
  const revoked = await endEveryWayIn(tx, account);
  const subject = accountSubject(account);
  await recordAct(deps, tx, by, { action: 'account.claimed', subject, details: { revoked } });
  await mailSecurity(deps, tx, account, 'access_ended', client);
  return claimed;
}

/** Ends all ways into the account, and keys and walls that were made with it. Returns the number of keys and walls. */
async function endEveryWayIn(
  tx: Writes,
  { id }: Pick<Account, 'id'>,
): Promise<{ readonly keys: number; readonly walls: number }> {
  await endAllAccess(tx, { id });
  await tx.links.removeOfAccount(id);
  await tx.emailChanges.remove(id);
  await tx.passkeys.removeAll(id);
  await tx.secondFactors.removeAuthenticator(id);
  await tx.secondFactors.setRecoveryCodes(id, []);
  for (const { uuid } of await tx.identities.ofAccount(id)) await tx.identities.remove(id, uuid);
  return { keys: await tx.apiKeys.deleteOfMaker(id), walls: await tx.walls.deleteOfMaker(id) };
}

/** If two first requests of a person race, the later one runs again, and finds the account of the other. */
export async function withOneAccount<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isMade = isConflict(error) || (error instanceof AppError && error.code === 'email_taken');
    if (!isMade) throw error;
    return await work();
  }
}
