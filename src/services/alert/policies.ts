import { selectChannels } from '../../domain/alert/channel-selection.ts';
import { AppError } from '../../domain/errors.ts';
import {
  AT_ONCE_NAME,
  editPolicyRules,
  type PolicyRulesEdit,
  policyRules,
  presetRules,
} from '../../domain/policy/rules.ts';
import {
  MAX_POLICIES,
  MAX_TAG_POLICIES,
  type StoredPolicy,
  type TagPolicy,
} from '../../domain/policy/stored-policy.ts';
import type { Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { lockTeam } from '../project/team.ts';

/** How the outages of a project are told. */
export interface Alerting {
  /** The policy of checks that no tag gives another. Null: they are told at once. */
  readonly policy: StoredPolicy | null;
  readonly tags: readonly { readonly tag: string; readonly policy: StoredPolicy }[];
}

/** Policies by name or UUID. An empty text, or `at-once`: none. */
export interface AlertingEdit {
  readonly policy: string;
  readonly tags: readonly { readonly tag: string; readonly policy: string }[];
}

/** The policies of the project, in order of creation. */
export async function listPolicies({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<StoredPolicy[]> {
  requirePermission(actor, 'policies.view');
  return store.policies.ofProject(actor.projectId);
}

export async function getPolicy(
  { store }: Pick<Deps, 'store'>,
  actor: Actor,
  uuid: string,
): Promise<StoredPolicy> {
  requirePermission(actor, 'policies.view');
  return found(await store.policies.ofProject(actor.projectId), uuid);
}

export async function createPolicy(
  deps: Deps,
  actor: Actor,
  name: string,
  rules: PolicyRulesEdit,
): Promise<StoredPolicy> {
  requirePermission(actor, 'policies.edit');
  return deps.store.transaction(async (tx) => {
    await lockTeam(tx, actor, 'policies.edit');
    const known = await tx.policies.ofProject(actor.projectId);
    requireFreeName(known, name);
    const made = await insertPolicy(deps, tx, actor, known, {
      name,
      rules: editPolicyRules('{}', await withUuids(tx, actor, rules)),
    });
    return made;
  });
}

/** Changes name or rules. What is open is told by the new rules from now on. */
export async function editPolicy(
  deps: Deps,
  actor: Actor,
  uuid: string,
  edit: { readonly name?: string | undefined; readonly rules: PolicyRulesEdit },
): Promise<StoredPolicy> {
  requirePermission(actor, 'policies.edit');
  return deps.store.transaction(async (tx) => {
    await lockTeam(tx, actor, 'policies.edit');
    const known = await tx.policies.ofProject(actor.projectId);
    const policy = found(known, uuid);
    const { name = policy.name } = edit;
    if (name !== policy.name) requireFreeName(known, name);
    const rules = editPolicyRules(policy.rules, await withUuids(tx, actor, edit.rules));
    const edited = { ...policy, name, rules };
    if (name === policy.name && rules === policy.rules) return edited;
    await tx.policies.update(edited);
    if (rules !== policy.rules) await tx.policies.wakeOutages(actor.projectId, deps.clock.now());
    await recordPolicy(deps, tx, actor, 'policy.edited', edited);
    return edited;
  });
}

/** Deletes the policy. One in use is refused, unless it is forced: then what used it is told at once. */
export async function deletePolicy(
  deps: Deps,
  actor: Actor,
  uuid: string,
  isForced: boolean,
): Promise<StoredPolicy> {
  requirePermission(actor, 'policies.edit');
  return deps.store.transaction(async (tx) => {
    await lockTeam(tx, actor, 'policies.edit');
    const policy = found(await tx.policies.ofProject(actor.projectId), uuid);
    const users = [
      ...(policy.isDefault ? ['the project'] : []),
      ...(await tx.policies.tagsOf(actor.projectId))
        .filter(({ policyId }) => policyId === policy.id)
        .map(({ tag }) => `tag ${tag}`),
    ];
    if (users.length > 0 && !isForced)
      throw new AppError('policy_in_use', `policy is in use: ${users.join(', ')}`);
    await tx.policies.delete(actor.projectId, policy.id);
    if (users.length > 0) await tx.policies.wakeOutages(actor.projectId, deps.clock.now());
    await recordPolicy(deps, tx, actor, 'policy.deleted', policy);
    return policy;
  });
}

export async function getAlerting({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<Alerting> {
  requirePermission(actor, 'policies.view');
  return alertingOf(
    await store.policies.ofProject(actor.projectId),
    await store.policies.tagsOf(actor.projectId),
  );
}

/** Replaces all of it. The first use of a name that everybody knows makes it a policy of the project. */
export async function setAlerting(deps: Deps, actor: Actor, edit: AlertingEdit): Promise<Alerting> {
  requirePermission(actor, 'policies.edit');
  if (edit.tags.length > MAX_TAG_POLICIES) throw invalid('tags has too many items');
  return deps.store.transaction(async (tx) => {
    await lockTeam(tx, actor, 'policies.edit');
    const { projectId } = actor;
    const before = alertingOf(await tx.policies.ofProject(projectId), await tx.policies.tagsOf(projectId));
    const policy = await namedPolicy(deps, tx, actor, edit.policy);
    const tags: { tag: string; policy: StoredPolicy }[] = [];
    for (const { tag, policy: name } of edit.tags) {
      const ofTag = await namedPolicy(deps, tx, actor, name);
      // Without a policy of its own a tag would only hide those that come after it.
      if (ofTag !== null) tags.push({ tag, policy: ofTag });
    }
    const after: Alerting = { policy, tags };
    if (spoken(after) === spoken(before)) return before;
    await tx.projects.usePolicies(projectId);
    await tx.policies.setDefault(projectId, policy?.id ?? null);
    await tx.policies.setTags(
      projectId,
      tags.map(({ tag, policy }) => ({ tag, policyId: policy.id })),
    );
    await tx.policies.wakeOutages(projectId, deps.clock.now());
    const project = await tx.projects.byId(projectId);
    await recordInProject(deps, tx, actor, {
      action: 'project.alerting_set',
      subject: { kind: 'project', id: project?.uuid ?? '', name: project?.name ?? '' },
      details: { policies: spoken(after) },
    });
    return after;
  });
}

function alertingOf(policies: readonly StoredPolicy[], tags: readonly TagPolicy[]): Alerting {
  return {
    policy: policies.find(({ isDefault }) => isDefault) ?? null,
    tags: tags.flatMap(({ tag, policyId }) => {
      const policy = policies.find(({ id }) => id === policyId);
      return policy === undefined ? [] : [{ tag, policy }];
    }),
  };
}

/** For the audit log, and to see whether anything changes. */
function spoken({ policy, tags }: Alerting): string {
  const own = policy?.name ?? AT_ONCE_NAME;
  return [own, ...tags.map(({ tag, policy }) => `${tag}: ${policy.name}`)].join(', ');
}

/** The policy that a name or UUID stands for. Null: outages are told at once. */
async function namedPolicy(deps: Deps, tx: Writes, actor: Actor, name: string): Promise<StoredPolicy | null> {
  if (name === '' || name === AT_ONCE_NAME) return null;
  const known = await tx.policies.ofProject(actor.projectId);
  const match = known.find((one) => one.uuid === name || one.name === name);
  if (match !== undefined) return match;
  const rules = presetRules(name);
  if (rules === null) throw invalid(`invalid policy: ${name}`);
  return insertPolicy(deps, tx, actor, known, { name, rules });
}

async function insertPolicy(
  deps: Pick<Deps, 'clock' | 'random'>,
  tx: Writes,
  actor: Actor,
  known: readonly StoredPolicy[],
  { name, rules }: Pick<StoredPolicy, 'name' | 'rules'>,
): Promise<StoredPolicy> {
  if (known.length >= MAX_POLICIES) throw new AppError('policy_limit_reached');
  const made = await tx.policies.insert({
    uuid: deps.random.uuid(),
    projectId: actor.projectId,
    name,
    rules,
    isDefault: false,
    createdAt: deps.clock.now(),
  });
  await recordPolicy(deps, tx, actor, 'policy.created', made);
  return made;
}

function found(policies: readonly StoredPolicy[], uuid: string): StoredPolicy {
  const policy = policies.find((one) => one.uuid === uuid);
  if (policy === undefined) throw new AppError('policy_not_found');
  return policy;
}

function requireFreeName(known: readonly StoredPolicy[], name: string): void {
  if (name === AT_ONCE_NAME) throw invalid(`${AT_ONCE_NAME} has no rules: leave the policy empty`);
  if (known.some((one) => one.name === name)) throw new AppError('policy_name_taken');
}

function invalid(reason: string): AppError {
  return new AppError('invalid_field', `json validation error: ${reason}`);
}

/** The rules with integrations of the project by their UUIDs. */
async function withUuids(tx: Writes, { projectId }: Actor, rules: PolicyRulesEdit): Promise<PolicyRulesEdit> {
  const steps = rules.then;
  if (steps === undefined || steps === null) return rules;
  const channels = await tx.channels.ofProject(projectId);
  const uuidOf = (name: string) => {
    // A name may contain a comma, which stands between names there.
    const named = channels.filter((one) => one.name === name);
    return (named.length === 1 ? named : selectChannels(name, channels)).map(({ uuid }) => uuid);
  };
  return {
    ...rules,
    // biome-ignore lint/suspicious/noThenProperty: it is the name in requests and files, and its value is no function.
    then: steps.map(({ after, tell }) => ({ after, tell: [...new Set(tell.flatMap(uuidOf))] })),
  };
}

async function recordPolicy(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  actor: Actor,
  action: string,
  { uuid, name, rules }: StoredPolicy,
): Promise<void> {
  await recordInProject(deps, tx, actor, {
    action,
    subject: { kind: 'policy', id: uuid, name },
    details: { rules: JSON.stringify(policyRules(rules)) },
  });
}
