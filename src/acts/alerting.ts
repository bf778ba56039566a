/** What people set on Settings → Alerts. */
import * as verbs from '../services/alert/policies.ts';
import { ALERTING_FIELDS } from '../wire/api/policy-input.ts';
import { projectAct } from './act.ts';

/** Replaces all of it. Policies by their names. */
export const setAlerting = projectAct({
  permission: 'policies.edit',
  input: ALERTING_FIELDS,
  run: async (deps, { actor, input }) => {
    await verbs.setAlerting(deps, actor, input);
  },
});
