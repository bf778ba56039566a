import type { Account, Closing } from '../../domain/account.ts';
import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/project.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import { systemActor } from '../actor.ts';
import { recordAct } from '../audit.ts';
import { deleteCheck } from '../checks.ts';
import type { Deps } from '../deps.ts';
import { type AccountActor, accountSubject, actorsAccount, requireOnAccount } from './account-actor.ts';
import type { AccountDeps } from './deps.ts';

/** Checks read at once. */
const PAGE = 100;

/** What would be lost. It is shown before anybody closes an account. */
export async function previewClosing(deps: Pick<Deps, 'store'>, actor: AccountActor): Promise<Closing> {
  requireOnAccount(actor, 'account.view');
  const owned = await ownedProjects(deps.store, actor);
  const projects = owned.map(async ({ id, uuid, name }) => ({
    uuid,
    name,
    checks: await deps.store.checks.countOfProject(id),
    members: await deps.store.projects.memberCount(id),
  }));
  return { projects: await Promise.all(projects) };
}

/**
 * Deletes the account with all its projects. The person repeats the address, since this cannot be undone. A close that was
 * interrupted leaves the account, and can be repeated.
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
  for (;;) {
    const owned = await deps.store.transaction((tx) => removeAccount(deps, tx, actor, account));
    if (owned.length === 0) return;
    for (const project of owned) await deleteProjectOf(deps, project);
  }
}

/**
 * Removes the account unless it owns projects, and returns those. While the account is locked, nobody can give it one
 * more.
 */
async function removeAccount(
  deps: AccountDeps,
  tx: Writes,
  actor: AccountActor,
  account: Account,
): Promise<Project[]> {
  await tx.accounts.lockToDelete(account.id);
  const owned = await ownedProjects(tx, actor);
  if (owned.length > 0) return owned;
  await recordAct(deps, tx, actor.by, { action: 'account.closed', subject: accountSubject(account) });
  await tx.accounts.delete(account.id);
  return [];
}

async function ownedProjects(
  { projects: stored }: Pick<Reads, 'projects'>,
  { accountId }: AccountActor,
): Promise<Project[]> {
  const projects = await stored.accessibleTo(accountId);
  return projects.filter(({ ownerId }) => ownerId === accountId);
}

/** Checks go one by one, so that no transaction takes long, and their bodies leave object storage. */
async function deleteProjectOf(deps: Deps, { id }: Project): Promise<void> {
  for (;;) {
    const checks = await deps.store.transaction((tx) => tx.checks.pageOfProject(id, 0, PAGE));
    if (checks.length === 0) break;
    for (const check of checks) await deleteCheck(deps, systemActor(id), check.id);
  }
  await deps.store.transaction((tx) => tx.projects.delete(id));
}
