import { splitTags } from '../../domain/check/tags.ts';
import { AppError } from '../../domain/errors.ts';
import { AT_ONCE, type Policy } from '../../domain/policy/policy.ts';
import { AT_ONCE_NAME, type Choice, chosenPolicy, THEN_NEXT_NAME } from '../../domain/policy/presets.ts';
import {
  editPolicyRules,
  NEXT_IS_MISSING,
  parsePolicy,
  policyRules,
  presetRules,
} from '../../domain/policy/rules.ts';
import type { StoredCalendar } from '../../domain/policy/stored-calendar.ts';
import { MAX_POLICIES, type StoredPolicy } from '../../domain/policy/stored-policy.ts';
import type { CheckToTell, Reads, Writes } from '../../storage/store.ts';
import type { Actor } from './actor.ts';
import { recordInProject } from './audit.ts';
import type { Deps } from './deps.ts';

type Chooser = Pick<CheckToTell, 'projectId' | 'policy' | 'tags'>;

/** The policy that counts for a check. */
export interface ChosenPolicy extends Choice {
  readonly policy: Policy;
  /** Its rules, as they are stored. */
  readonly rules: string;
  /** Whether a newer version has written its rules. Then outages are told at once. */
  readonly isUnknown: boolean;
}

/** The policy that counts for each of the checks. */
export async function policiesOf(
  reads: Pick<Reads, 'policies'>,
  checks: readonly Chooser[],
): Promise<(check: Chooser) => ChosenPolicy> {
  const projects = await reads.policies.ofProjects([...new Set(checks.map(({ projectId }) => projectId))]);
  return ({ projectId, policy: own, tags }) => {
    const { policies = [], tags: listed = [] } = projects.get(projectId) ?? {};
    const ofProject = policies.find(({ isDefault }) => isDefault)?.name ?? null;
    const choice = chosenPolicy({ policy: own, tags: splitTags(tags) }, listed, ofProject);
    const stored = policies.find(({ name }) => name === choice.name);
    const rules = stored?.rules ?? '{}';
    const policy = stored === undefined ? AT_ONCE : parsePolicy(rules);
    return { ...choice, rules, policy: policy ?? AT_ONCE, isUnknown: policy === null };
  };
}

type MakeDeps = Pick<Deps, 'clock' | 'random'>;

/**
 * The policy that a name or UUID stands for. The first use of a name that everybody knows makes it a policy of the project,
 * which is locked. Null: outages are told at once.
 */
export async function namedPolicy(
  deps: MakeDeps,
  tx: Writes,
  actor: Actor,
  name: string,
): Promise<StoredPolicy | null> {
  if (name === AT_ONCE_NAME) return null;
  const known = await tx.policies.ofProject(actor.projectId);
  const match = known.find((one) => one.uuid === name || one.name === name);
  if (match !== undefined) return match;
  if (name === THEN_NEXT_NAME) throw new AppError('invalid_field', NEXT_IS_MISSING, { field: 'then' });
  const preset = presetRules(name);
  if (preset === null) throw new AppError('invalid_field', `json validation error: invalid policy: ${name}`);
  const hours = preset.hours && (await calendarNamed(tx, actor.projectId, preset.hours)).uuid;
  const rules = editPolicyRules('{}', { ...preset, ...(hours !== undefined && { hours }) });
  return insertPolicy(deps, tx, actor, known, { name, rules });
}

/** The calendar of the project with this name or UUID. */
export async function calendarNamed(
  tx: Pick<Writes, 'calendars'>,
  projectId: number,
  name: string,
): Promise<StoredCalendar> {
  const calendar = (await tx.calendars.ofProject(projectId)).find(
    (one) => one.uuid === name || one.name === name,
  );
  if (calendar === undefined)
    throw new AppError('invalid_field', `json validation error: invalid calendar: ${name}`, {
      field: 'hours',
    });
  return calendar;
}

/**
 * The edit of a check with the name of its policy. In a project that has used nothing of the kind, a plan says from then on who
 * is told. It is called before the check is locked.
 */
export async function withPolicyName<Edit extends { readonly policy?: string | undefined }>(
  deps: MakeDeps,
  tx: Writes,
  actor: Actor,
  edit: Edit,
): Promise<Edit> {
  const { policy } = edit;
  if (policy === undefined || policy === '') return edit;
  if ((await tx.projects.lock(actor.projectId)) === null) throw new AppError('project_not_found');
  await tx.projects.usePolicies(actor.projectId);
  const named = await namedPolicy(deps, tx, actor, policy);
  return { ...edit, policy: named?.name ?? AT_ONCE_NAME };
}

/** The project is locked. */
export async function insertPolicy(
  deps: MakeDeps,
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

export async function recordPolicy(
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
