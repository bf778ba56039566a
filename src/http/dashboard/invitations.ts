import type { AccountDeps } from '../../services/accounts/deps.ts';
import {
  acceptInvitation,
  acceptOwnInvitation,
  declineInvitation,
  declineOwnInvitation,
  joinWithNewAccount,
  listOwnInvitations,
  lookAtInvitation,
} from '../../services/accounts/joining.ts';
import { invite, listInvitations, renewInvitation, revokeInvitation } from '../../services/invitations.ts';
import type { Cookies } from '../../wire/dashboard/cookies.ts';
import { projectJson } from '../../wire/dashboard/project-output.ts';
import { parseInvitation, parseInvitationToken, parseNewcomer } from '../../wire/dashboard/team-input.ts';
import {
  invitationJson,
  madeInvitationJson,
  offerJson,
  ownInvitationJson,
} from '../../wire/dashboard/team-output.ts';
import type { Site } from '../../wire/site.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forMembers, forPeople, forVisitors, projectRoute } from './dashboard-route.ts';
import { ACCEPTED, signedIn as signedInAnswer } from './sign-in.ts';

export function invitationRoutes(deps: AccountDeps, cookies: Cookies, { root }: Pick<Site, 'root'>): Route[] {
  return [...routesInProject(deps, root), ...routesForInvited(deps, cookies), ...ownRoutes(deps)];
}

/** For people who manage the team. */
function routesInProject(deps: AccountDeps, root: string): Route[] {
  const segment = `/invitations/:invitation(${UUID_PATTERN})`;
  return [
    projectRoute('/invitations', {
      GET: forMembers('members.edit', async ({ actor }) => {
        const invitations = await listInvitations(deps, actor);
        return { status: 200, json: { invitations: invitations.map(invitationJson) } };
      }),
      POST: forMembers('members.edit', async ({ actor, body }) => ({
        status: 201,
        json: madeInvitationJson(root, await invite(deps, actor, parseInvitation(body))),
      })),
    }),
    projectRoute(segment, {
      DELETE: forMembers('members.edit', async ({ actor, params }) => {
        await revokeInvitation(deps, actor, params.invitation ?? '');
        return { status: 204 };
      }),
    }),
    projectRoute(`${segment}/renew`, {
      POST: forMembers('members.edit', async ({ actor, params }) => ({
        status: 200,
        json: madeInvitationJson(root, await renewInvitation(deps, actor, params.invitation ?? '')),
      })),
    }),
  ];
}

/** For people whose address was invited, without the link. */
function ownRoutes(deps: AccountDeps): Route[] {
  const path = `/invitations/:invitation(${UUID_PATTERN})`;
  return [
    dashboardRoute('/invitations', {
      GET: forPeople('projects.join', async ({ signedIn }) => {
        const invitations = await listOwnInvitations(deps, signedIn.actor);
        return { status: 200, json: { invitations: invitations.map(ownInvitationJson) } };
      }),
    }),
    dashboardRoute(`${path}/accept`, {
      POST: forPeople('projects.join', async ({ signedIn, params }) => {
        const joined = await acceptOwnInvitation(deps, signedIn.actor, params.invitation ?? '');
        return { status: 200, json: projectJson(joined.project, joined.role) };
      }),
    }),
    dashboardRoute(`${path}/decline`, {
      POST: forPeople('projects.join', async ({ signedIn, params }) => {
        await declineOwnInvitation(deps, signedIn.actor, params.invitation ?? '');
        return { status: 204 };
      }),
    }),
  ];
}

/** For whoever has the link. */
function routesForInvited(deps: AccountDeps, cookies: Cookies): Route[] {
  return [
    dashboardRoute('/invitations/look', {
      POST: forVisitors(async ({ body }) => ({
        status: 200,
        json: offerJson(await lookAtInvitation(deps, parseInvitationToken(body).token)),
      })),
    }),
    dashboardRoute('/invitations/accept', {
      POST: forPeople('projects.join', async ({ signedIn, body }) => {
        const { token } = parseInvitationToken(body);
        const { project, role } = await acceptInvitation(deps, signedIn.actor, token);
        return { status: 200, json: projectJson(project, role) };
      }),
    }),
    dashboardRoute('/invitations/decline', {
      POST: forVisitors(async ({ client, body }) => {
        await declineInvitation(deps, client, parseInvitationToken(body).token);
        return { status: 204 };
      }),
    }),
    dashboardRoute('/invitations/sign-up', {
      POST: forVisitors(async ({ client, token: before, body }) => {
        const made = await joinWithNewAccount(deps, { client, before }, parseNewcomer(body));
        return made === null ? ACCEPTED : signedInAnswer(deps, cookies, made);
      }),
    }),
  ];
}
