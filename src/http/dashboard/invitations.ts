import type { AccountDeps } from '../../services/accounts/deps.ts';
import {
  acceptInvitation,
  declineInvitation,
  joinWithNewAccount,
  lookAtInvitation,
} from '../../services/accounts/joining.ts';
import type { Cookies } from '../../wire/dashboard/cookies.ts';
import { parseInvitationToken, parseNewcomer } from '../../wire/dashboard/invitation-input.ts';
import { offerJson } from '../../wire/dashboard/invitation-output.ts';
import { projectJson } from '../../wire/dashboard/project-output.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forPeople, forVisitors } from './dashboard-route.ts';
import { ACCEPTED, signedIn as signedInAnswer } from './sign-in.ts';

/** For whoever has the link. */
export function invitationRoutes(deps: AccountDeps, cookies: Cookies): Route[] {
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
