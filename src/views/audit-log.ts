import { type ActPages, listActs, listOwnActs } from '../services/history/audit-log.ts';
import { actTextField, cursorField } from '../wire/dashboard/audit-log-input.ts';
import { cursorText, loggedActJson } from '../wire/dashboard/audit-log-output.ts';
import { optional } from '../wire/dashboard/input.ts';
import { personView, projectView } from './view.ts';

const ALL = { action: null, account: null, subject: null, from: null, before: null };

/** Acts in the project, the latest first. */
export const auditLog = projectView({
  permission: 'audit_log.view',
  input: {
    /** The action, or its beginning that ends in a dot. */
    action: optional(actTextField),
    /** The UUID of the account that acted. */
    account: optional(actTextField),
    cursor: cursorField,
  },
  read: async (deps, { actor, input: { cursor, ...filter } }) =>
    shownPage(await listActs(deps, actor, { ...ALL, ...filter }, cursor)),
});

/** Acts of the person, anywhere. */
export const ownActs = personView({
  permission: 'account.view',
  input: { cursor: cursorField },
  read: async (deps, { person, input }) => shownPage(await listOwnActs(deps, person, ALL, input.cursor)),
});

function shownPage({ acts, next }: ActPages) {
  return {
    acts: acts.map(loggedActJson),
    /** For the next page. Null at the end. */
    cursor: cursorText(next),
  };
}
