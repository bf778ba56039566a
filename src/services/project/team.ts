import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import type { MemberRole, Permission } from '../../domain/people/permission.ts';
import { MAX_PROJECT_MEMBERS, type Project } from '../../domain/people/project.ts';
import type { Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';

/**
 * Locks the project until the transaction ends, so that changes of its team come one after another. Then asks for the
 * permission again: the role of the actor may have been changed since the request began.
 */
export async function lockTeam(
  tx: Writes,
  { projectId, caller }: Actor,
  permission: Permission,
): Promise<Project> {
  const project = await tx.projects.lock(projectId);
  if (project === null) throw new AppError('project_not_found');
  if (caller.kind !== 'member' && caller.kind !== 'account_token') return project;
  const role = await tx.projects.roleOf(projectId, caller.accountId);
  if (role === null) throw new AppError('project_not_found');
  requirePermission({ caller: { ...caller, role } }, permission);
  return project;
}

/** Whether the project may have one more member. It must be locked. */
export async function hasRoom(tx: Writes, { id }: Pick<Project, 'id'>): Promise<boolean> {
  return (await tx.projects.memberCount(id)) < MAX_PROJECT_MEMBERS;
}

export async function requireRoom(tx: Writes, project: Pick<Project, 'id'>): Promise<void> {
  if (!(await hasRoom(tx, project))) throw new AppError('member_limit_reached');
}

/** Makes the account a member of the project. From now on the person is reminded about checks that are down there. */
export async function enterTeam(
  { clock }: Pick<Deps, 'clock'>,
  tx: Writes,
  project: Pick<Project, 'id'>,
  account: Pick<Account, 'id'>,
  role: MemberRole,
): Promise<void> {
  const now = clock.now();
  await tx.projects.addMember(project.id, account.id, role, now);
  await tx.mailPreferences.updateReminderDates([account.id], now);
}

/** Ends the membership. The person is reminded of the project no longer. */
export async function leaveTeam(
  { clock }: Pick<Deps, 'clock'>,
  tx: Writes,
  project: Pick<Project, 'id'>,
  account: Pick<Account, 'id'>,
): Promise<void> {
  await tx.projects.removeMember(project.id, account.id);
  await tx.mailPreferences.updateReminderDates([account.id], clock.now());
}
