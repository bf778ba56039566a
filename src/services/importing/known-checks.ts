import type { Instant } from '../../lib/instant.ts';
import type { Deps } from '../core/deps.ts';

/** A check of a project, for importers that choose slugs and count pings. */
export interface KnownCheck {
  readonly slug: string;
  /** Its pings as the last import has counted them. Null if it was not imported, or has had pings of its own since. */
  readonly imported: { readonly pingCount: number; readonly lastPingAt: Instant | null } | null;
}

/** The checks of the project by UUID. Empty if there is no such project. */
export function knownChecks(
  { store }: Pick<Deps, 'store'>,
  identity: string,
  projectUuid: string,
): Promise<ReadonlyMap<string, KnownCheck>> {
  return store.transaction(async (tx) => {
    const project = await tx.projects.byUuid(projectUuid);
    if (project === null) return new Map();
    const row = await tx.imports.byIdentity(identity);
    const names = await tx.checks.namesOfProject(project.id);
    const uuids = names.map(({ uuid }) => uuid);
    const entries = row === null ? [] : await tx.imports.checksAmong(row.id, uuids);
    const counts = new Map(entries.map(({ entry, pingCount }) => [entry, pingCount]));
    const imported = await tx.checks.byIds(names.filter(({ uuid }) => counts.has(uuid)).map(({ id }) => id));
    const unpinged = imported.filter(({ uuid, pingCount }) => pingCount === counts.get(uuid));
    const pings = new Map(
      unpinged.map(({ uuid, pingCount, lastPingAt }) => [uuid, { pingCount, lastPingAt }]),
    );
    return new Map(names.map(({ uuid, slug }) => [uuid, { slug, imported: pings.get(uuid) ?? null }]));
  });
}
