import { maskedToken } from '../../../domain/ping/dialect.ts';
import { sha256 } from '../../../lib/vault.ts';
import type { Writes } from '../../../storage/store.ts';
import { type PlannedCheck, planChecks } from './checks.ts';
import type { Planning } from './planning.ts';
import type { PlannedProject } from './projects.ts';

/** What has to be known of all checks before one is written. */
export interface AllChecks {
  /** UUIDs of all checks of the source. */
  readonly uuids: ReadonlySet<string>;
  /** The ids of checks that change. */
  readonly changed: readonly number[];
  /** The number of new checks by the UUID of their project. */
  readonly added: ReadonlyMap<string, number>;
  /** Whether there are pings of checks that are new. */
  readonly hasNewPings: boolean;
  /** Reasons to refuse the import: tokens that other checks have. */
  readonly takenTokens: readonly string[];
}

/** Reads all checks once, and plans them without keeping the plan: they are read again to be written. */
export async function surveyChecks(
  planning: Planning,
  projects: readonly PlannedProject[],
): Promise<AllChecks> {
  const planned = new Map(projects.map((project) => [project.entry, project]));
  const uuids = new Set<string>();
  const changed: number[] = [];
  const added = new Map<string, number>();
  const taken: string[] = [];
  let hasNewPings = false;
  for await (const { projectUuid, checks } of planning.source.checks()) {
    for (const { declared } of checks) uuids.add(declared.uuid);
    const project = planned.get(projectUuid);
    if (project === undefined) continue;
    const some = await planChecks(planning, project, checks);
    const fresh = some.filter(({ isNew }) => isNew);
    for (const { id } of some) if (id !== null) changed.push(id);
    added.set(projectUuid, (added.get(projectUuid) ?? 0) + fresh.length);
    hasNewPings ||= fresh.some(({ pingCount }) => pingCount > 0);
    taken.push(...(await takenTokens(planning.tx, some)));
  }
  return { uuids, changed, added, hasNewPings, takenTokens: taken };
}

/** A reason for each token that a check would take from another. */
async function takenTokens(tx: Writes, checks: readonly PlannedCheck[]): Promise<string[]> {
  const wanted = checks.flatMap(aliasesOf);
  if (wanted.length === 0) return [];
  const known = await tx.pingAliases.byDigests(wanted.map(({ digest }) => digest));
  const holders = new Map(known.map(({ dialect, digest, uuid }) => [`${dialect} ${digest}`, uuid]));
  return wanted.flatMap(({ dialect, token, digest, uuid }) => {
    const holder = holders.get(`${dialect} ${digest}`);
    if (holder === undefined || holder === uuid) return [];
    return [`the ${dialect} token ${maskedToken(token)} belongs to another check`];
  });
}

function aliasesOf({ imported, takesAliases, entry }: PlannedCheck) {
  if (!takesAliases) return [];
  return imported.aliases.map(({ dialect, token }) => ({
    dialect,
    token,
    digest: sha256(token),
    uuid: entry,
  }));
}
