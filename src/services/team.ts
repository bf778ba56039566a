import { AppError } from '../domain/errors.ts';
import type { Permission } from '../domain/permission.ts';
import { MAX_PROJECT_MEMBERS, type Project } from '../domain/project.ts';
import type { Writes } from '../storage/store.ts';
import { type Actor, requirePermission } from './actor.ts';

/**
 * Locks the project until the transaction ends, so that changes of its team come one after another. Then asks for the
 * permission again: the role of the actor may have been changed since the request began.
 */
export async function holdTeam(
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

/** Refuses one member more than a project may have. The project must be locked. */
export async function requireRoom(tx: Writes, { id }: Pick<Project, 'id'>): Promise<void> {
  if ((await tx.projects.memberCount(id)) >= MAX_PROJECT_MEMBERS) throw new AppError('member_limit_reached');
}
