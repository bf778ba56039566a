import type { AccountDeps } from '../../services/accounts/deps.ts';
import { rotateBadgeKey } from '../../services/coverage.ts';
import { badgeSvg } from '../../wire/badge/svg.ts';
import { parseBadgeLook, parseSearch } from '../../wire/dashboard/coverage-input.ts';
import type { Route } from '../route.ts';
import { forMembers, projectRoute } from './dashboard-route.ts';

/** What badges and components of status pages can be made of, and the key of badges. */
export function badgePageRoutes(deps: AccountDeps): Route[] {
  return [
    projectRoute('/coverage', {
      GET: forMembers('checks.view', async ({ actor, query }) => {
        const { pieces } = await deps.reads.ask({ kind: 'coverage', actor, search: parseSearch(query) });
        return { status: 200, pieces };
      }),
    }),
    // How a badge looks in a state that it does not have at this moment.
    projectRoute('/badge-look', {
      GET: forMembers('checks.view', async ({ query }) => {
        const { label, status } = parseBadgeLook(query);
        return { status: 200, contentType: 'image/svg+xml', text: badgeSvg(label, status) };
      }),
    }),
    projectRoute('/badge-key/rotate', {
      POST: forMembers('keys.edit', async ({ actor }) => {
        await rotateBadgeKey(deps, actor);
        return { status: 204 };
      }),
    }),
  ];
}
