import * as invitations from '../services/people/invitations.ts';
import * as members from '../services/project/members.ts';
import * as joining from '../services/sign-up/joining.ts';
import type { OperationDeps } from '../views/operation.ts';
import { shownAccess } from '../views/shown-access.ts';
import { revokeField, roleField } from '../wire/api/team-input.ts';
import { invitationAddress } from '../wire/dashboard/addresses.ts';
import { emailField, optional, uuidField } from '../wire/dashboard/input.ts';
import { personAct, projectAct } from './act.ts';

/** Answers with the access that the member has made. Null if the person who acts may not see keys. */
export const changeRole = projectAct({
  permission: 'members.edit',
  input: { member: uuidField, role: roleField, revoke: optional(revokeField) },
  run: async (deps, { actor, input: { member, role, revoke = false } }) => {
    const { made } = await members.changeRole(deps, actor, { uuid: member, role, revokes: revoke });
    return { access: made && shownAccess(made) };
  },
});

export const removeMember = projectAct({
  permission: 'members.edit',
  input: { member: uuidField, revoke: optional(revokeField) },
  run: async (deps, { actor, input: { member, revoke = false } }) => {
    await members.removeMember(deps, actor, { uuid: member, revokes: revoke });
  },
});

/** Without an address it is a link for somebody to pass on. */
export const invite = projectAct({
  permission: 'members.edit',
  input: { email: optional(emailField), role: optional(roleField) },
  run: async (deps, { actor, input: { email = null, role = 'member' } }) =>
    madeInvitation(deps, await invitations.invite(deps, actor, { email, role })),
});

export const renewInvitation = projectAct({
  permission: 'members.edit',
  input: { invitation: uuidField },
  run: async (deps, { actor, input }) =>
    madeInvitation(deps, await invitations.renewInvitation(deps, actor, input.invitation)),
});

/** The link is shown once. It is null if the invitation was mailed. */
function madeInvitation(
  { site }: OperationDeps,
  { invitation: { email }, token }: invitations.MadeInvitation,
) {
  return { email, link: token === null ? null : invitationAddress(site.root, token) };
}

export const revokeInvitation = projectAct({
  permission: 'members.edit',
  input: { invitation: uuidField },
  run: (deps, { actor, input }) => invitations.revokeInvitation(deps, actor, input.invitation),
});

/** For people whose address was invited, without the link. */
export const acceptOwnInvitation = personAct({
  permission: 'projects.join',
  input: { invitation: uuidField },
  run: async (deps, { person, input }) => {
    await joining.acceptOwnInvitation(deps, person, input.invitation);
  },
});

export const declineOwnInvitation = personAct({
  permission: 'projects.join',
  input: { invitation: uuidField },
  run: (deps, { person, input }) => joining.declineOwnInvitation(deps, person, input.invitation),
});
