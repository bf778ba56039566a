import type { Account } from '../domain/account.ts';
import { type ApiKeyKind, lookupPart } from '../domain/api-key.ts';
import type { Project } from '../domain/project.ts';
import { sha256 } from '../lib/vault.ts';
import type { Writes } from '../storage/store.ts';
import type { Deps } from './deps.ts';

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

/** From now on the key opens the project. Only its digest is kept. */
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
    createdAt: deps.clock.now(),
  });
}

/** The key replaces an earlier one. It is found by its digest, and sealed for members to see again. */
export async function setPingKey(deps: Deps, tx: Writes, project: Project, key: string): Promise<void> {
  await tx.projects.setPingKey(project.id, pingKeyDigest(key), deps.vault.seal(key));
}

/** Without the server's secret on purpose: a new secret must not turn every ping by slug into a 404. */
export function pingKeyDigest(key: string): string {
  return sha256(key);
}
