import type { AccountDeps } from '../../services/accounts/deps.ts';
import { suggestPeople } from '../../services/invitations.ts';
import {
  changeRole,
  leaveProject,
  listMemberAccess,
  listMembers,
  removeMember,
} from '../../services/members.ts';
import { parseRemoval, parseRoleChange } from '../../wire/dashboard/team-input.ts';
import { accessLeftJson, madeAccessJson, memberJson } from '../../wire/dashboard/team-output.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { forMembers, projectRoute } from './dashboard-route.ts';

export function memberRoutes(deps: AccountDeps): Route[] {
  return [
    projectRoute('/members', {
      GET: forMembers('members.view', async ({ actor }) => {
        const members = await listMembers(deps, actor);
        return { status: 200, json: { members: members.map((one) => memberJson(one.member, one)) } };
      }),
    }),
    projectRoute('/members/suggestions', {
      GET: forMembers('members.edit', async ({ actor }) => ({
        status: 200,
        json: { people: await suggestPeople(deps, actor) },
      })),
    }),
    projectRoute(`/members/:member(${UUID_PATTERN})`, {
      POST: forMembers('members.edit', async ({ actor, params, body }) => {
        const left = await changeRole(deps, actor, { uuid: params.member ?? '', ...parseRoleChange(body) });
        return { status: 200, json: accessLeftJson(left, deps.clock.now()) };
      }),
      DELETE: forMembers('members.edit', async ({ actor, params, query }) => {
        const left = await removeMember(deps, actor, { uuid: params.member ?? '', ...parseRemoval(query) });
        return { status: 200, json: accessLeftJson(left, deps.clock.now()) };
      }),
    }),
    projectRoute(`/members/:member(${UUID_PATTERN})/access`, {
      GET: forMembers('members.edit', async ({ actor, params }) => {
        const made = await listMemberAccess(deps, actor, params.member ?? '');
        return { status: 200, json: { made: madeAccessJson(made, deps.clock.now()) } };
      }),
    }),
    projectRoute('/leave', {
      POST: forMembers('project.leave', async ({ actor }) => {
        await leaveProject(deps, actor);
        return { status: 204 };
      }),
    }),
  ];
}
