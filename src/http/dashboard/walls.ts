import type { AccountDeps } from '../../services/people/deps.ts';
import { enterByWall } from '../../services/project/walls.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forVisitors } from './dashboard-route.ts';

/** The view of a wall display, for everybody who has its address. */
export function wallRoute(deps: AccountDeps): Route {
  return dashboardRoute('/wall/:token(^hcd_[A-Za-z0-9]{28}$)', {
    GET: forVisitors(async ({ params, client }) => {
      const entered = await enterByWall(deps, params.token ?? '', client.address);
      const { pieces } = await deps.reads.ask({ kind: 'wall', ...entered });
      return { status: 200, pieces };
    }),
  });
}
