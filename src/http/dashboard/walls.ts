import type { AccountDeps } from '../../services/accounts/deps.ts';
import { createWall, enterByWall, listWalls, revokeWall } from '../../services/walls.ts';
import { keyNameField } from '../../wire/api/key-input.ts';
import { readInput } from '../../wire/dashboard/input.ts';
import { wallAddress, wallJson } from '../../wire/dashboard/wall-output.ts';
import type { Site } from '../../wire/site.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forMembers, forVisitors, projectRoute } from './dashboard-route.ts';

/** The wall displays of a project, and what they show to whoever has their address. */
export function wallRoutes(deps: AccountDeps, site: Site): Route[] {
  return [
    projectRoute('/walls', {
      GET: forMembers('keys.edit', async ({ actor }) => ({
        status: 200,
        json: { walls: (await listWalls(deps, actor)).map(wallJson) },
      })),
      POST: forMembers('keys.edit', async ({ actor, body }) => {
        const { name } = readInput({ name: keyNameField }, body);
        const { wall, token } = await createWall(deps, actor, name);
        return { status: 201, json: { ...wallJson(wall), address: wallAddress(site.root, token) } };
      }),
    }),
    dashboardRoute('/wall/:token(^hcd_[A-Za-z0-9]{28}$)', {
      GET: forVisitors(async ({ params, client }) => {
        const entered = await enterByWall(deps, params.token ?? '', client.address);
        const { pieces } = await deps.reads.ask({ kind: 'wall', ...entered });
        return { status: 200, pieces };
      }),
    }),
    projectRoute(`/walls/:wall(${UUID_PATTERN})`, {
      DELETE: forMembers('keys.edit', async ({ actor, params }) => {
        await revokeWall(deps, actor, params.wall ?? '');
        return { status: 204 };
      }),
    }),
  ];
}
