import { FOREIGN_SECRET_ID, lookupPart } from '../../domain/people/api-key.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import type { ApiKey, Project } from '../../domain/people/project.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import { findKey } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';

/** A key of another program that is known by its digest under the secret of that program alone. */
export interface DigestedKey extends Pick<ApiKey, 'kind' | 'name' | 'lookup' | 'digest'> {
  readonly by: ActedBy;
}

/**
 * Gives the project a digested key, in place of one of the same kind that came in the same way before. It opens the
 * project as long as the secret of that program is kept.
 */
export async function importKey(
  deps: Pick<Deps, 'random' | 'clock'>,
  tx: Writes,
  project: Pick<Project, 'id'>,
  { by, ...key }: DigestedKey,
): Promise<'imported' | 'known' | 'taken'> {
  const earlier = (await tx.apiKeys.ofProject(project.id)).find(
    ({ kind, name, madeBy }) => kind === key.kind && name === key.name && madeBy === by.means,
  );
  // By its look-up characters, since a key that was used has a digest of ours.
  if (earlier?.lookup === key.lookup) return 'known';
  const others = await tx.apiKeys.anyByLookup(key.lookup);
  if (others.some(({ digest }) => digest === key.digest)) return 'taken';
  if (earlier !== undefined) await tx.apiKeys.delete(project.id, earlier.id);
  await tx.apiKeys.insert({
    ...key,
    uuid: deps.random.uuid(),
    projectId: project.id,
    secretId: FOREIGN_SECRET_ID,
    createdAt: deps.clock.now(),
    madeBy: by.means,
    makerId: by.accountId,
    expiresAt: null,
    lastUsedAt: null,
    lastUsedAddr: null,
  });
  return 'imported';
}

/** The project that the key opens. Null if there is none. The use is not noted. */
export async function projectOfKey(
  { vault }: Pick<Deps, 'vault'>,
  store: Reads,
  key: string,
): Promise<Project | null> {
  const candidates = await store.apiKeys.byLookup(lookupPart(key));
  const found = await findKey({ store, vault }, candidates, key);
  return found === undefined ? null : store.projects.byId(found.projectId);
}
