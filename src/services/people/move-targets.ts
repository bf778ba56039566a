import type { Account } from '../../domain/people/account.ts';
import { isGranted } from '../../domain/people/permission.ts';
import type { Project } from '../../domain/people/project.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { type AccountActor, requireOnAccount } from './account-actor.ts';
import { freeChecks } from './own-projects.ts';

/** A project to which a check can be moved or copied. */
export interface MoveTarget {
  readonly project: Project;
  readonly isCurrent: boolean;
  /** Whether its owner has as many checks as they can have. */
  readonly isFull: boolean;
}

/** The projects in which the person may write, in order of creation. Projects of one owner share the owner's limit. */
export async function listMoveTargets(
  { store }: Pick<Deps, 'store'>,
  person: AccountActor,
  actor: Actor,
): Promise<MoveTarget[]> {
  requireOnAccount(person, 'projects.view');
  requirePermission(actor, 'checks.edit');
  const own = await store.projects.withRoles(person.accountId);
  const writable = own.filter(({ role }) => isGranted(role, 'checks.edit'));
  const source = await store.projects.byId(actor.projectId);
  const free = new Map<number, number>();
  for (const { project } of writable) {
    if (free.has(project.ownerId)) continue;
    const owner: Account | null = await store.accounts.byId(project.ownerId);
    free.set(project.ownerId, owner === null ? 0 : await freeChecks(store, owner));
  }
  return writable.map(({ project }) => ({
    project,
    isCurrent: project.id === actor.projectId,
    isFull: project.ownerId !== source?.ownerId && free.get(project.ownerId) === 0,
  }));
}
