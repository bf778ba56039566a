import { AppError } from '../../domain/errors.ts';
import { generateWallToken, maskedWallToken, wallLookup } from '../../domain/people/api-key.ts';
import { MAX_WALLS, type Wall } from '../../domain/public/wall.ts';
import { sha256 } from '../../lib/vault.ts';
import type { ListedWall, Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { lockTeam } from './team.ts';

/** A wall display that has just been made. Nobody can read its token again. */
export interface MadeWall {
  readonly wall: ListedWall;
  readonly token: string;
}

/** The address shows names and statuses of all checks of the project, and changes nothing. */
export async function createWall(
  deps: Deps,
  actor: Actor,
  name: string,
  token: string = generateWallToken(deps.random.bytes),
): Promise<MadeWall> {
  requirePermission(actor, 'keys.edit');
  const { projectId, by } = actor;
  return deps.store.transaction(async (tx) => {
    // Two that make one at the same time must not exceed the limit together.
    await lockTeam(tx, actor, 'keys.edit');
    if ((await tx.walls.ofProject(projectId)).length >= MAX_WALLS) throw new AppError('wall_limit_reached');
    const wall = await tx.walls.insert({
      uuid: deps.random.uuid(),
      projectId,
      name,
      lookup: wallLookup(token),
      digest: sha256(token),
      makerId: by.accountId,
      createdAt: deps.clock.now(),
    });
    await recordWall(deps, tx, actor, 'wall.created', wall);
    const maker = by.accountId === null ? null : await tx.accounts.byId(by.accountId);
    return { wall: { ...wall, makerEmail: maker?.email ?? null }, token };
  });
}

/** The display goes dark with its next request. */
export async function revokeWall(deps: Deps, actor: Actor, uuid: string): Promise<void> {
  requirePermission(actor, 'keys.edit');
  await deps.store.transaction((tx) => revokeWallIn(deps, tx, actor, uuid));
}

/** Does the same in the caller's transaction. */
export async function revokeWallIn(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  actor: Actor,
  uuid: string,
): Promise<void> {
  requirePermission(actor, 'keys.edit');
  const wall = (await tx.walls.ofProject(actor.projectId)).find((one) => one.uuid === uuid);
  if (wall === undefined) throw new AppError('wall_not_found');
  await tx.walls.delete(actor.projectId, wall.id);
  await recordWall(deps, tx, actor, 'wall.revoked', wall);
}

/** The actor for the wall with this token: it has the rights of a member who may only read. */
export async function enterByWall(
  { store }: Pick<Deps, 'store'>,
  token: string,
  remoteAddr: string | null,
): Promise<{ readonly actor: Actor; readonly project: string }> {
  const wall = await store.walls.byDigest(sha256(token));
  const project = wall && (await store.projects.byId(wall.projectId));
  if (wall === null || project === null) throw new AppError('wall_not_found');
  const by = { accountId: null, name: wall.name, means: 'link', remoteAddr } as const;
  const caller = { kind: 'member', accountId: 0, role: 'read_only', isConfirmed: false } as const;
  const { id: projectId, ownerId, name } = project;
  return { actor: { projectId, ownerId, caller, by }, project: name };
}

async function recordWall(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  actor: Actor,
  action: string,
  wall: Wall,
): Promise<void> {
  const { uuid, name, lookup } = wall;
  const subject = { kind: 'wall', id: uuid, name };
  await recordInProject(deps, tx, actor, { action, subject, details: { token: maskedWallToken(lookup) } });
}
