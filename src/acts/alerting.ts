/** What people set on Settings → Alerts. */
import { NO_RULES, type PolicyRules, RULE_FIELDS } from '../domain/policy/rules.ts';
import { flag } from '../lib/fields.ts';
import * as calendars from '../services/alert/calendars.ts';
import * as policies from '../services/alert/policies.ts';
import { CALENDAR_FIELDS, calendarEdit } from '../wire/api/calendar-input.ts';
import { ALERTING_FIELDS, POLICY_NAME_FIELD } from '../wire/api/policy-input.ts';
import { allOptional, optional, uuidField } from '../wire/dashboard/input.ts';
import { projectAct } from './act.ts';

/** Replaces all of it. Policies by their names. */
export const setAlerting = projectAct({
  permission: 'policies.edit',
  input: ALERTING_FIELDS,
  run: async (deps, { actor, input }) => {
    await policies.setAlerting(deps, actor, input);
  },
});

/** Each rule is a field, so that a fault names it. */
const POLICY = { name: POLICY_NAME_FIELD, ...allOptional(RULE_FIELDS) };

export const createPolicy = projectAct({
  permission: 'policies.edit',
  input: POLICY,
  run: async (deps, { actor, input: { name, ...rules } }) => {
    const made = await policies.createPolicy(deps, actor, name, given(rules));
    return { uuid: made.uuid, name: made.name };
  },
});

/** Rules that are left out are removed. */
export const editPolicy = projectAct({
  permission: 'policies.edit',
  input: { policy: uuidField, ...POLICY },
  run: async (deps, { actor, input: { policy, name, ...rules } }) => {
    await policies.editPolicy(deps, actor, policy, { name, rules: { ...NO_RULES, ...given(rules) } });
  },
});

const forceField = flag('Whether it is deleted although it is in use.');

export const deletePolicy = projectAct({
  permission: 'policies.edit',
  input: { policy: uuidField, force: optional(forceField) },
  run: async (deps, { actor, input: { policy, force = false } }) => {
    await policies.deletePolicy(deps, actor, policy, force);
  },
});

export const createCalendar = projectAct({
  permission: 'policies.edit',
  input: CALENDAR_FIELDS,
  run: async (deps, { actor, input: { duration, except, ...others } }) => {
    const times = { durationSeconds: duration, exceptDates: except };
    const { uuid, name } = await calendars.createCalendar(deps, actor, { ...others, ...times });
    return { uuid, name };
  },
});

export const editCalendar = projectAct({
  permission: 'policies.edit',
  input: { calendar: uuidField, ...allOptional(CALENDAR_FIELDS) },
  run: async (deps, { actor, input: { calendar, ...edit } }) => {
    await calendars.editCalendar(deps, actor, calendar, calendarEdit(edit));
  },
});

export const deleteCalendar = projectAct({
  permission: 'policies.edit',
  input: { calendar: uuidField, force: optional(forceField) },
  run: async (deps, { actor, input: { calendar, force = false } }) => {
    await calendars.deleteCalendar(deps, actor, calendar, force);
  },
});

/** The rules that the page has sent. */
function given(rules: { readonly [Name in keyof PolicyRules]: PolicyRules[Name] | undefined }): PolicyRules {
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
}
