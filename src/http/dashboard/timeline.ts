import type { AccountDeps } from '../../services/accounts/deps.ts';
import { MAX_LANES } from '../../services/timeline.ts';
import { requireCheckKeys } from '../../wire/dashboard/check-board-input.ts';
import { parseTimelineWindow } from '../../wire/dashboard/timeline-input.ts';
import type { Route } from '../route.ts';
import { forMembers, projectRoute } from './dashboard-route.ts';

/** What ran and what comes, on one axis. Threads read it. */
export function timelineRoutes({ reads, clock }: Pick<AccountDeps, 'reads' | 'clock'>): Route[] {
  return [
    projectRoute('/timeline', {
      GET: forMembers('pings.view', async ({ actor, query }) => {
        const window = parseTimelineWindow(query, clock.now());
        const keys = requireCheckKeys(query, MAX_LANES);
        const { pieces } = await reads.ask({ kind: 'timeline_lanes', actor, keys, window });
        return { status: 200, pieces };
      }),
    }),
    projectRoute('/timeline/head', {
      GET: forMembers('checks.view', async ({ actor, query }) => {
        const window = parseTimelineWindow(query, clock.now());
        const { pieces } = await reads.ask({ kind: 'timeline_head', actor, window });
        return { status: 200, pieces };
      }),
    }),
  ];
}
