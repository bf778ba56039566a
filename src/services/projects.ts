import type { Account } from '../domain/account.ts';
import { type ApiKeyKind, lookupPart } from '../domain/api-key.ts';
import { AppError } from '../domain/errors.ts';
import type { Project } from '../domain/project.ts';
import { sha256 } from '../lib/vault.ts';
import type { Writes } from '../storage/store.ts';
import { type Actor, requirePermission } from './actor.ts';
import type { Deps } from './deps.ts';

/** The project of the actor. */
export async function readProject({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<Project> {
  requirePermission(actor, 'project.view');
  const project = await store.projects.byId(actor.projectId);
  // The project and its keys were deleted after the key was looked up.
  if (project === null) throw new AppError('wrong_api_key');
  return project;
}

export async function createProject(deps: Deps, tx: Writes, owner: Account, name: string): Promise<Project> {
  return tx.projects.insert({
    uuid: deps.random.uuid(),
    ownerId: owner.id,
    name,
    badgeKey: deps.random.uuid(),
    pingKeyDigest: null,
    pingKeySealed: null,
    createdAt: deps.clock.now(),
  });
}

/** Adds an API key to the project. Only its digest is stored. */
export async function addApiKey(
  deps: Deps,
  tx: Writes,
  project: Project,
  { kind, name, key }: { kind: ApiKeyKind; name: string; key: string },
): Promise<void> {
  await tx.apiKeys.insert({
    projectId: project.id,
    kind,
    name,
    lookup: lookupPart(key),
    digest: deps.vault.digest(key),
    secretId: deps.vault.secretId,
    createdAt: deps.clock.now(),
  });
}

/** Replaces the ping key. Its digest serves to find it; the sealed key lets members see it again. */
export async function setPingKey(deps: Deps, tx: Writes, project: Project, key: string): Promise<void> {
  await tx.projects.setPingKey(project.id, pingKeyDigest(key), deps.vault.seal(key));
}

/** The digest does not use the server's secret: otherwise a new secret would turn every ping by slug into a 404. */
export function pingKeyDigest(key: string): string {
  return sha256(key);
}
