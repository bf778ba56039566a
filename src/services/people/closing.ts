import { AppError } from '../../domain/errors.ts';
import type { Account, Closing } from '../../domain/people/account.ts';
import type { Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { deleteForGood, MAX_PIECE_ROWS } from '../project/project-deletion.ts';
import { type AccountActor, accountSubject, actorsAccount, requireOnAccount } from './account-actor.ts';
import { requireOtherAdmin } from './administrators.ts';
import type { AccountDeps } from './deps.ts';
import { mailClosing } from './mailing.ts';

/** The losses. They are shown before anybody closes an account. */
export async function previewClosing(deps: Pick<Deps, 'store'>, actor: AccountActor): Promise<Closing> {
  requireOnAccount(actor, 'account.view');
  const owned = await deps.store.projects.ownedBy(actor.accountId);
  const projects = owned.map(async ({ id, uuid, name }) => ({
    uuid,
    name,
    checks: await deps.store.checks.countOfProject(id),
    members: await deps.store.projects.memberCount(id),
  }));
  return { projects: await Promise.all(projects) };
}

/**
 * Deletes the account with all its projects, piece by piece, so that no transaction takes long. The person repeats the
 * address, since this cannot be undone. A close that was interrupted leaves the account, and can be repeated.
 */
export async function closeAccount(
  deps: AccountDeps,
  actor: AccountActor,
  typedEmail: string,
): Promise<void> {
  requireOnAccount(actor, 'account.secure');
  const account = await actorsAccount(deps.store, actor);
  if (typedEmail !== account.email)
    throw new AppError('invalid_field', 'This is not the address of the account.', { field: 'email' });
  // Asked first, so that nothing is deleted in vain.
  await deps.store.transaction((tx) => requireOtherAdmin(tx, actor.caller, account.id));
  // Another owner may hand a project over while the others are deleted.
  do {
    for (const project of await deps.store.projects.ownedBy(account.id))
      await deleteForGood(deps, project, actor.by);
    await forgetActs(deps, account);
  } while (!(await deps.store.transaction((tx) => removeAccount(deps, tx, actor, account))));
}

/** Entries of the audit log stay without the account. They are too many for one transaction. */
async function forgetActs({ store }: Deps, { id }: Account): Promise<void> {
  const forget = () => store.transaction((tx) => tx.auditLog.forgetAccount(id, MAX_PIECE_ROWS));
  while ((await forget()) === MAX_PIECE_ROWS);
}

/** Returns false if the account owns a project again. */
async function removeAccount(
  deps: AccountDeps,
  tx: Writes,
  actor: AccountActor,
  account: Account,
): Promise<boolean> {
  await requireOtherAdmin(tx, actor.caller, account.id);
  await tx.accounts.lockToDelete(account.id);
  if ((await tx.projects.ownedBy(account.id)).length > 0) return false;
  await recordAct(deps, tx, actor.by, { action: 'account.closed', subject: accountSubject(account) });
  await mailClosing(deps, tx, account, actor.by.remoteAddr);
  await tx.accounts.delete(account.id);
  return true;
}
