import type { AccountDeps } from '../../services/people/deps.ts';
import {
  invite,
  listInvitations,
  renewInvitation,
  revokeInvitation,
} from '../../services/people/invitations.ts';
import { changeRole, listMembers, removeMember } from '../../services/project/members.ts';
import { parseInvitation, parseRemoval, parseRoleChange } from '../../wire/api/team-input.ts';
import {
  accessLeftJson,
  invitationJson,
  madeInvitationJson,
  memberJson,
} from '../../wire/api/team-output.ts';
import * as docs from '../../wire/openapi/operations/team.ts';
import type { Site } from '../../wire/site.ts';
import { INVITATION_SEGMENT, MEMBER_SEGMENT, PROJECT_SEGMENT } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { accountRoute, inProject } from './account-route.ts';

/** The members of a project, and invitations to it. */
export function teamRoutes(deps: AccountDeps, { root }: Pick<Site, 'root'>): Route[] {
  const project = `/projects/${PROJECT_SEGMENT}`;
  const invitation = `${project}/invitations/${INVITATION_SEGMENT}`;
  return [
    accountRoute(`${project}/members/`, {
      GET: inProject(docs.listMembers, 'members.view', async ({ actor }) => {
        const members = await listMembers(deps, actor);
        return { status: 200, json: { members: members.map((one) => memberJson(one.member, one)) } };
      }),
    }),
    accountRoute(`${project}/members/${MEMBER_SEGMENT}`, {
      POST: inProject(docs.changeRole, 'members.edit', async ({ actor, params, body }) => {
        const uuid = params.member_uuid ?? '';
        const left = await changeRole(deps, actor, { uuid, ...parseRoleChange(body) });
        return { status: 200, json: accessLeftJson(left, deps.clock.now()) };
      }),
      DELETE: inProject(docs.removeMember, 'members.edit', async ({ actor, params, query }) => {
        const uuid = params.member_uuid ?? '';
        const left = await removeMember(deps, actor, { uuid, ...parseRemoval(query) });
        return { status: 200, json: accessLeftJson(left, deps.clock.now()) };
      }),
    }),
    accountRoute(`${project}/invitations/`, {
      GET: inProject(docs.listInvitations, 'members.edit', async ({ actor }) => {
        const invitations = await listInvitations(deps, actor);
        return { status: 200, json: { invitations: invitations.map(invitationJson) } };
      }),
      POST: inProject(docs.inviteMember, 'members.edit', async ({ actor, body }) => ({
        status: 201,
        json: madeInvitationJson(root, await invite(deps, actor, parseInvitation(body))),
      })),
    }),
    accountRoute(invitation, {
      DELETE: inProject(docs.revokeInvitation, 'members.edit', async ({ actor, params }) => {
        await revokeInvitation(deps, actor, params.invitation_uuid ?? '');
        return { status: 204 };
      }),
    }),
    accountRoute(`${invitation}/renew`, {
      POST: inProject(docs.renewInvitation, 'members.edit', async ({ actor, params }) => ({
        status: 200,
        json: madeInvitationJson(root, await renewInvitation(deps, actor, params.invitation_uuid ?? '')),
      })),
    }),
  ];
}
