import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../domain/alert/channel.ts';
import { selectChannels } from '../../domain/alert/channel-selection.ts';
import { AppError } from '../../domain/errors.ts';
import { AT_ONCE_NAME, THEN_NEXT_NAME } from '../../domain/policy/presets.ts';
import {
  editPolicyRules,
  NEXT_IS_MISSING,
  type PolicyRulesEdit,
  parsePolicy,
} from '../../domain/policy/rules.ts';
import { MAX_TAG_POLICIES, type StoredPolicy, type TagRule } from '../../domain/policy/stored-policy.ts';
import type { Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { calendarNamed, insertPolicy, namedPolicy, recordPolicy } from '../core/policies.ts';
import { lockTeam } from '../project/team.ts';

/** Users of a policy that a refusal names. */
const MAX_NAMED_USERS = 20;

/** How the outages of a project are told. */
export interface Alerting {
  /** The policy of checks that no tag gives another. Null: they are told at once. */
  readonly policy: StoredPolicy | null;
  readonly tags: readonly TagRule[];
}

/** Policies by name or UUID. `at-once`: told at once. An empty text: none. */
export interface AlertingEdit {
  readonly policy: string;
  readonly tags: readonly { readonly tag: string; readonly policy: string; readonly asOne?: boolean }[];
}

/** The policies of the project, in order of creation. */
export async function listPolicies({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<StoredPolicy[]> {
  requirePermission(actor, 'policies.view');
  return store.policies.ofProject(actor.projectId);
}

/** What uses a policy. */
export interface PolicyUses {
  readonly isOfProject: boolean;
  readonly tags: readonly string[];
  /** How many checks name it as their own. */
  readonly checks: number;
  /** Whether a newer version has written its rules. Then outages are told at once. */
  readonly isUnknown: boolean;
}

/** The policies of the project with what uses them. */
export async function listPolicyUses(
  { store }: Pick<Deps, 'store'>,
  actor: Actor,
): Promise<(PolicyUses & Pick<StoredPolicy, 'uuid'>)[]> {
  const policies = await listPolicies({ store }, actor);
  if (policies.length === 0) return [];
  const tags = await store.policies.tagsOf(actor.projectId);
  const counts = await store.checks.countByPolicy(actor.projectId);
  return policies.map(({ uuid, name, rules, isDefault }) => ({
    ...{ uuid, isOfProject: isDefault, tags: tagsWith(tags, name), checks: counts.get(name) ?? 0 },
    isUnknown: parsePolicy(rules) === null,
  }));
}

const tagsWith = (tags: readonly TagRule[], name: string): string[] =>
  tags.filter(({ policy }) => policy === name).map(({ tag }) => tag);

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
    if (name === THEN_NEXT_NAME && !rules.then?.length)
      throw new AppError('invalid_field', NEXT_IS_MISSING, { field: 'then' });
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
    if (name !== policy.name) await renameUses(tx, actor, policy.name, name);
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
    const users = await usersOf(tx, policy);
    if (users.length > 0 && !isForced)
      throw new AppError('policy_in_use', `policy is in use: ${namesOf(users)}`);
    await tx.policies.delete(actor.projectId, policy.id);
    if (users.length > 0) {
      await renameUses(tx, actor, policy.name, '');
      await tx.policies.wakeOutages(actor.projectId, deps.clock.now());
    }
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
    const policy = edit.policy === '' ? null : await namedPolicy(deps, tx, actor, edit.policy);
    const tags: TagRule[] = [];
    // With nothing of its own a tag would only hide those that come after it.
    for (const { tag, policy: name, asOne = false } of edit.tags) {
      const own = name === '' ? '' : ((await namedPolicy(deps, tx, actor, name))?.name ?? AT_ONCE_NAME);
      if (own !== '' || asOne) tags.push({ tag, policy: own, asOne });
    }
    const after: Alerting = { policy, tags };
    if (isDeepStrictEqual(valuesOf(after), valuesOf(before))) return before;
    await tx.projects.usePolicies(projectId);
    await tx.policies.setDefault(projectId, policy?.id ?? null);
    await tx.policies.setTags(projectId, tags);
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

function alertingOf(policies: readonly StoredPolicy[], tags: readonly TagRule[]): Alerting {
  return { policy: policies.find(({ isDefault }) => isDefault) ?? null, tags };
}

const valuesOf = ({ policy, tags }: Alerting) => ({ policy: policy?.id ?? null, tags });

/** For the audit log. */
function spoken({ policy, tags }: Alerting): string {
  const own = policy?.name ?? AT_ONCE_NAME;
  const words = tags.map(
    ({ tag, policy: ofTag, asOne }) => `${tag}: ${[ofTag, asOne ? 'as one' : ''].join(' ').trim()}`,
  );
  return [own, ...words].join(', ');
}

/** What uses the policy: the project, tags, checks. */
async function usersOf(tx: Writes, { projectId, name, isDefault }: StoredPolicy): Promise<string[]> {
  const tags = await tx.policies.tagsOf(projectId);
  const checks = await tx.checks.ofPolicy(projectId, name);
  return [
    ...(isDefault ? ['the project'] : []),
    ...tagsWith(tags, name).map((tag) => `tag ${tag}`),
    ...checks.map((check) => `check ${check.name || check.slug || check.uniqueKey}`),
  ];
}

/** The first of them, and how many more there are. */
function namesOf(users: readonly string[]): string {
  const more = users.length - MAX_NAMED_USERS;
  return [...users.slice(0, MAX_NAMED_USERS), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** Tags and checks name policies. An empty name: they have none from now on. */
async function renameUses(tx: Writes, { projectId }: Actor, from: string, to: string): Promise<void> {
  await tx.policies.renameInTags(projectId, from, to);
  await tx.checks.replacePolicy(projectId, from, to);
}

function found(policies: readonly StoredPolicy[], uuid: string): StoredPolicy {
  const policy = policies.find((one) => one.uuid === uuid);
  if (policy === undefined) throw new AppError('policy_not_found');
  return policy;
}

function requireFreeName(known: readonly StoredPolicy[], name: string): void {
  if (name === AT_ONCE_NAME) throw invalid(`${AT_ONCE_NAME} has no rules: leave the policy empty`);
  if (known.some((one) => one.name === name))
    throw new AppError('policy_name_taken', undefined, { field: 'name' });
}

function invalid(reason: string): AppError {
  return new AppError('invalid_field', `json validation error: ${reason}`);
}

/** The rules with integrations and calendars of the project by their UUIDs. */
async function withUuids(tx: Writes, { projectId }: Actor, rules: PolicyRulesEdit): Promise<PolicyRulesEdit> {
  const hours = rules.hours ? (await calendarNamed(tx, projectId, rules.hours)).uuid : rules.hours;
  const steps = rules.then;
  if (steps === undefined || steps === null) return withoutUndefined({ ...rules, hours });
  const channels = await tx.channels.ofProject(projectId);
  const uuidOf = (name: string) => {
    // A name may contain a comma, which stands between names there.
    const named = channels.filter((one) => one.name === name);
    return (named.length === 1 ? named : stepChannels(name, channels)).map(({ uuid }) => uuid);
  };
  return withoutUndefined({
    ...rules,
    hours,
    // biome-ignore lint/suspicious/noThenProperty: it is the name in requests and files, and its value is no function.
    then: steps.map(({ after, tell }) => ({ after, tell: [...new Set(tell.flatMap(uuidOf))] })),
  });
}

/** A refusal names the rule that is wrong. */
function stepChannels(names: string, channels: readonly Channel[]): Channel[] {
  try {
    return selectChannels(names, channels);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, error.message, { field: 'then', cause: error });
  }
}

function withoutUndefined(rules: Readonly<Record<string, unknown>>): PolicyRulesEdit {
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
}
