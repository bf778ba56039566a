import type { OpenInvitation } from '../domain/people/invitation.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { listInvitations, suggestPeople } from '../services/people/invitations.ts';
import { listMemberAccess, listMembers } from '../services/project/members.ts';
import { listOwnInvitations } from '../services/sign-up/joining.ts';
import { uuidField } from '../wire/dashboard/input.ts';
import { shownAccess } from './shown-access.ts';
import { mainView, projectView } from './view.ts';

/** The owner, then the members in the order in which they came. */
export const projectMembers = projectView({
  permission: 'members.view',
  read: async (deps, { actor }) =>
    (await listMembers(deps, actor)).map(({ member, isWhole }) => ({
      uuid: member.uuid,
      email: member.email,
      name: member.name,
      role: member.role,
      /** Only for people who manage the team. */
      managed: isWhole
        ? {
            /** Null if the person is signed in nowhere. */
            lastSeen: toIsoSeconds(member.lastSeenAt),
            hasSecondFactor: member.hasSecondFactor,
          }
        : null,
    })),
});

/** Keys and other access that the member has made. Null if the person who asks may not see keys. */
export const memberAccess = projectView({
  permission: 'members.edit',
  input: { member: uuidField },
  read: async (deps, { actor, input }) => {
    const made = await listMemberAccess(deps, actor, input.member);
    return made && shownAccess(made);
  },
});

/** People of the owner's other projects. */
export const suggestedPeople = projectView({
  permission: 'members.edit',
  read: async (deps, { actor }) => {
    const people = await suggestPeople(deps, actor);
    return people.map(({ email, name }) => ({ email, name }));
  },
});

/** Invitations that nobody has accepted yet. */
export const projectInvitations = projectView({
  permission: 'members.edit',
  read: async (deps, { actor }) =>
    (await listInvitations(deps, actor)).map((invitation) => ({
      ...shownInvitation(invitation),
      /** Null for a link that somebody passes on. */
      email: invitation.email,
    })),
});

/** Invitations to the address of the person. */
export const ownInvitations = mainView.person({
  permission: 'projects.join',
  read: async (deps, { person }) =>
    (await listOwnInvitations(deps, person)).map((invitation) => ({
      ...shownInvitation(invitation),
      project: invitation.project.name,
    })),
});

function shownInvitation({ uuid, role, inviter, expiresAt }: OpenInvitation) {
  return {
    uuid,
    role,
    /** The address of the inviter. Null if the program invited. */
    invitedBy: inviter?.email ?? null,
    expires: toIsoSeconds(expiresAt),
  };
}
