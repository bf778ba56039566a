import { ALL_ACTS } from '../domain/people/audit.ts';
import { seconds } from '../lib/instant.ts';
import { type ActPages, listActs, listOwnActs } from '../services/history/audit-log.ts';
import { actTextField, cursorField, secondField } from '../wire/dashboard/audit-log-input.ts';
import { cursorText, loggedActJson } from '../wire/dashboard/audit-log-output.ts';
import { optional } from '../wire/dashboard/input.ts';
import { personView, projectView } from './view.ts';

/** Acts in the project, the latest first. */
export const auditLog = projectView({
  permission: 'audit_log.view',
  input: {
    /** The action, or its beginning that ends in a dot. */
    action: optional(actTextField),
    /** The UUID of the account that acted. */
    account: optional(actTextField),
    /** A text in the actor, the object or the changes. */
    search: optional(actTextField),
    /** UNIX times. */
    start: optional(secondField),
    end: optional(secondField),
    cursor: cursorField,
  },
  read: async (deps, { actor, input: { cursor, start, end, ...filter } }) => {
    const instantOf = (second: number | undefined) => (second === undefined ? null : seconds(second));
    const span = { from: instantOf(start), before: instantOf(end) };
    return shownPage(await listActs(deps, actor, { ...ALL_ACTS, ...filter, ...span }, cursor));
  },
});

/** Acts of the person, anywhere. */
export const ownActs = personView({
  permission: 'account.view',
  input: { cursor: cursorField },
  read: async (deps, { person, input }) => shownPage(await listOwnActs(deps, person, ALL_ACTS, input.cursor)),
});

function shownPage({ acts, next }: ActPages) {
  return {
    acts: acts.map(loggedActJson),
    /** For the next page. Null at the end. */
    cursor: cursorText(next),
  };
}
