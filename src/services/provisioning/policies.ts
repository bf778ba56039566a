import { isDeepStrictEqual } from 'node:util';
import { AT_ONCE_NAME } from '../../domain/policy/presets.ts';
import { NO_RULES, policyRules } from '../../domain/policy/rules.ts';
import type { StoredCalendar } from '../../domain/policy/stored-calendar.ts';
import type { StoredPolicy } from '../../domain/policy/stored-policy.ts';
import { createCalendar, deleteCalendar, editCalendar } from '../alert/calendars.ts';
import {
  type Alerting,
  createPolicy,
  deletePolicy,
  editPolicy,
  getAlerting,
  setAlerting,
} from '../alert/policies.ts';
import { actorIn, type ProvisionDeps } from './acts.ts';
import type { DeclaredAlerting, DeclaredCalendar, DeclaredPolicy, FieldChange } from './declaration.ts';
import { type EntryKind, type Owner, orRefused } from './entries.ts';
import { changedFields, meant } from './kinds.ts';

export const CALENDARS: EntryKind<DeclaredCalendar, StoredCalendar> = {
  kind: 'calendar',
  what: 'calendar',
  nameOf: ({ name }) => name,
  stored: ({ store }, { id }) => store.calendars.ofProject(id),
  find: (stored, { name }, formerId) => meant(stored, formerId, (calendar) => calendar.name === name),
  subject: ({ uuid, name }) => ({ kind: 'calendar', id: uuid, name }),
  async apply(deps, owner, declared, found) {
    const actor = actorIn(deps, owner);
    const { name, schedule, tz, durationSeconds, exceptDates } = declared;
    const given = { name, schedule, tz, durationSeconds, exceptDates };
    if (found === undefined) return { entry: await createCalendar(deps, actor, given), fields: [] };
    const entry = await editCalendar(deps, actor, found.uuid, given);
    return { entry, fields: changedFields(toldCalendar(found), toldCalendar(entry)) };
  },
  async remove(deps, owner, id) {
    const calendar = (await CALENDARS.stored(deps, owner)).find((one) => one.id === id);
    if (calendar !== undefined) await deleteCalendar(deps, actorIn(deps, owner), calendar.uuid, true);
  },
};

const toldCalendar = ({ name, schedule, tz, durationSeconds, exceptDates }: StoredCalendar) => ({
  ...{ name, schedule, tz, duration: durationSeconds, except: exceptDates },
});

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
    tags: tags.map(({ tag, policy: own, asOne }) => ({ tag, policy: own, asOne })),
  };
}
