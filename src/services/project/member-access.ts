import { hasExpired } from '../../domain/people/api-key.ts';
import { isAllowed } from '../../domain/people/permission.ts';
import type { Member } from '../../domain/people/project.ts';
import type { ListedApiKey, ListedWall, Reads, Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { revokeKeyIn } from './keys.ts';
import { revokeWallIn } from './walls.ts';

/** Access that a person has made in the project. It does not depend on their own role. */
export interface MadeAccess {
  readonly keys: readonly ListedApiKey[];
  readonly walls: readonly ListedWall[];
}

/** The fate of this access when a role is changed or ended. */
export interface AccessLeft {
  /** Null if the actor may not see keys. */
  readonly made: MadeAccess | null;
  /** Whether it has just been revoked. Otherwise it goes on. */
  readonly isRevoked: boolean;
}

/** Null if the actor may not see keys. */
export async function accessMadeBy(
  { clock }: Pick<Deps, 'clock'>,
  reads: Pick<Reads, 'apiKeys' | 'walls'>,
  actor: Actor,
  { accountId }: Pick<Member, 'accountId'>,
): Promise<MadeAccess | null> {
  requirePermission(actor, 'members.edit');
  const { caller, projectId } = actor;
  if (!isAllowed(caller, 'keys.edit')) return null;
  const now = clock.now();
  const keys = await reads.apiKeys.listOf(projectId);
  const walls = await reads.walls.ofProject(projectId);
  return {
    keys: keys.filter((key) => key.makerId === accountId && !hasExpired(key, now)),
    walls: walls.filter(({ makerId }) => makerId === accountId),
  };
}

/** Finds it before the person loses the role, and revokes it if that is wanted. */
export async function settleAccess(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  actor: Actor,
  member: Pick<Member, 'accountId'>,
  revokes: boolean,
): Promise<AccessLeft> {
  requirePermission(actor, 'members.edit');
  if (revokes) requirePermission(actor, 'keys.edit');
  const made = await accessMadeBy(deps, tx, actor, member);
  if (made === null || !revokes) return { made, isRevoked: false };
  for (const { uuid } of made.keys) await revokeKeyIn(deps, tx, actor, uuid);
  for (const { uuid } of made.walls) await revokeWallIn(deps, tx, actor, uuid);
  return { made, isRevoked: true };
}
