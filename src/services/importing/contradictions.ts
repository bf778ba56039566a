import { MAX_PROJECT_CHANNELS } from '../../domain/alert/channel.ts';
import { lookupPart } from '../../domain/people/api-key.ts';
import { MAX_OWNED_PROJECTS, MAX_PROJECT_MEMBERS } from '../../domain/people/project.ts';
import type { Writes } from '../../storage/store.ts';
import { findKey } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { pingKeyDigest } from '../project/projects.ts';
import type { DeclaredProject } from '../provisioning/declaration.ts';
import type { Plan } from './plan.ts';
import type { PlannedProject } from './planning/projects.ts';

/** All reasons why the plan cannot be carried out. */
export async function contradictions(deps: Deps, tx: Writes, plan: Plan): Promise<string[]> {
  const reasons = [...plan.reasons, ...(await tooLarge(deps, tx, plan)), ...plan.checks.takenTokens];
  for (const project of plan.projects) reasons.push(...(await takenKeys(deps, tx, project)));
  return reasons;
}

async function tooLarge(deps: Deps, tx: Writes, { accounts, projects, checks }: Plan): Promise<string[]> {
  const reasons: string[] = [];
  for (const { declared } of projects) {
    const { name, members, channels } = declared;
    if (members.length > MAX_PROJECT_MEMBERS)
      reasons.push(`the project ${name} has ${members.length} members; ${MAX_PROJECT_MEMBERS} are possible`);
    if (channels.length > MAX_PROJECT_CHANNELS)
      reasons.push(
        `the project ${name} has ${channels.length} integrations; ${MAX_PROJECT_CHANNELS} are possible`,
      );
  }
  const newLimits = new Map(
    accounts
      .filter(({ isNew }) => isNew)
      .map(({ declared }) => [declared.email, declared.limits?.checks ?? deps.defaultLimits.checks]),
  );
  for (const [owner, owned] of Map.groupBy(projects, ({ declared }) => declared.owner)) {
    const account = await tx.accounts.byEmail(owner);
    const added = owned.reduce((sum, { entry }) => sum + (checks.added.get(entry) ?? 0), 0);
    const before = account === null ? 0 : await tx.accounts.checkCount(account.id);
    const limit = account?.limits.checks ?? newLimits.get(owner);
    if (limit === undefined) reasons.push(`there is no account ${owner}, which owns a project`);
    else if (added > 0 && before + added > limit)
      reasons.push(`${owner} may have ${limit} checks, and would have ${before + added}`);
    const projectsBefore = account === null ? 0 : (await tx.projects.ownedBy(account.id)).length;
    const projectsAfter = projectsBefore + owned.filter(({ isNew }) => isNew).length;
    if (projectsAfter > MAX_OWNED_PROJECTS)
      reasons.push(`${owner} would own ${projectsAfter} projects; ${MAX_OWNED_PROJECTS} are possible`);
  }
  return reasons;
}

async function takenKeys(deps: Deps, tx: Writes, { entry, declared }: PlannedProject): Promise<string[]> {
  const { name, keys } = declared;
  const reasons: string[] = [];
  const own = await tx.projects.byUuid(entry);
  const isOther = (projectId: number | undefined) => projectId !== undefined && projectId !== own?.id;
  if (keys.ping !== undefined && isOther((await tx.projects.byPingKey(pingKeyDigest(keys.ping)))?.id))
    reasons.push(`the ping key of the project ${name} belongs to another project`);
  for (const { kind, secret } of secretsOf(declared)) {
    const known = await tx.apiKeys.anyByLookup(lookupPart(secret));
    const same = await findKey({ store: tx, vault: deps.vault }, known, secret);
    if (same !== undefined && (isOther(same.projectId) || same.kind !== kind))
      reasons.push(`a ${kind} API key of the project ${name} is in use elsewhere`);
  }
  return reasons;
}

function secretsOf({ keys, apiKeys }: DeclaredProject) {
  const given = [
    { kind: 'read_write', secret: keys.readWrite },
    { kind: 'read_only', secret: keys.readOnly },
    ...apiKeys,
  ] as const;
  return given.flatMap(({ kind, secret }) => (secret === undefined ? [] : [{ kind, secret }]));
}
