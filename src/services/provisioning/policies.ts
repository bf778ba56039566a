import { isDeepStrictEqual } from 'node:util';
import { AT_ONCE_NAME, NO_RULES, policyRules } from '../../domain/policy/rules.ts';
import type { StoredPolicy } from '../../domain/policy/stored-policy.ts';
import {
  type Alerting,
  createPolicy,
  deletePolicy,
  editPolicy,
  getAlerting,
  setAlerting,
} from '../alert/policies.ts';
import { actorIn, type ProvisionDeps } from './acts.ts';
import type { DeclaredAlerting, DeclaredPolicy, FieldChange } from './declaration.ts';
import { type EntryKind, type Owner, orRefused } from './entries.ts';
import { changedFields, meant } from './kinds.ts';

export const POLICIES: EntryKind<DeclaredPolicy, StoredPolicy> = {
  kind: 'policy',
  what: 'policy',
  nameOf: ({ name }) => name,
  stored: ({ store }, { id }) => store.policies.ofProject(id),
  find: (stored, { name }, formerId) => meant(stored, formerId, (policy) => policy.name === name),
  subject: ({ uuid, name }) => ({ kind: 'policy', id: uuid, name }),
  async apply(deps, owner, { name, rules }, found) {
    const actor = actorIn(deps, owner);
    if (found === undefined) return { entry: await createPolicy(deps, actor, name, rules), fields: [] };
    const entry = await editPolicy(deps, actor, found.uuid, { name, rules: { ...NO_RULES, ...rules } });
    return { entry, fields: changedFields(told(found), told(entry)) };
  },
  async remove(deps, owner, id) {
    const policy = (await POLICIES.stored(deps, owner)).find((one) => one.id === id);
    if (policy !== undefined) await deletePolicy(deps, actorIn(deps, owner), policy.uuid, true);
  },
};

const told = ({ name, rules }: StoredPolicy) => ({ name, ...NO_RULES, ...policyRules(rules) });

/** Applies how outages of the project are told. Returns the fields that differed. */
export async function applyAlerting(
  deps: ProvisionDeps,
  owner: Owner,
  declared: DeclaredAlerting | undefined,
): Promise<FieldChange[]> {
  if (declared === undefined) return [];
  const actor = actorIn(deps, owner);
  const before = spelled(await getAlerting(deps, actor));
  const { policy = before.policy, tags = before.tags } = declared;
  if (isDeepStrictEqual(before, { policy, tags })) return [];
  return orRefused(declared.line, async () =>
    changedFields(before, spelled(await setAlerting(deps, actor, { policy, tags }))),
  );
}

function spelled({ policy, tags }: Alerting) {
  return {
    policy: policy?.name ?? AT_ONCE_NAME,
    tags: tags.map((one) => ({ tag: one.tag, policy: one.policy })),
  };
}
