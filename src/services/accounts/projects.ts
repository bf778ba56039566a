import { AppError } from '../../domain/errors.ts';
import type { Role } from '../../domain/permission.ts';
import type { Project } from '../../domain/project.ts';
import type { Actor } from '../actor.ts';
import type { Deps } from '../deps.ts';
import { type AccountActor, requireOnAccount } from './account-actor.ts';

/** A project and the role that the person has in it. */
export interface OwnProject {
  readonly project: Project;
  readonly role: Role;
}

/** The projects that the person owns or is a member of, in order of creation. */
export async function listProjects(
  { store }: Pick<Deps, 'store'>,
  actor: AccountActor,
): Promise<OwnProject[]> {
  requireOnAccount(actor, 'projects.view');
  return store.projects.withRoles(actor.accountId);
}

/**
 * The person as an actor in the project. Whoever has no role in it gets the same answer as for a project that does not
 * exist.
 */
export async function enterProject(
  { store }: Pick<Deps, 'store'>,
  actor: AccountActor,
  uuid: string,
): Promise<Actor> {
  requireOnAccount(actor, 'projects.view');
  const access = await store.projects.accessOf(actor.accountId, uuid);
  if (access === null) throw new AppError('project_not_found');
  const { caller, accountId, by } = actor;
  const isConfirmed = caller.kind === 'session' && caller.isConfirmed;
  return {
    projectId: access.project.id,
    caller: { kind: 'member', accountId, role: access.role, isConfirmed },
    by,
  };
}

/** The role of the person. An administrator has one of their own in projects of others. */
export function roleOf({ caller }: Actor): Role | 'administrator' {
  if (caller.kind === 'member') return caller.role;
  if (caller.kind === 'administrator') return 'administrator';
  throw new AppError('permission_denied');
}
