import { badgeSvg } from '../../wire/badge/svg.ts';
import { parseBadgeLook } from '../../wire/dashboard/badge-input.ts';
import type { Route } from '../route.ts';
import { forMembers, projectRoute } from './dashboard-route.ts';

/** A badge in a state that it does not have at this moment. */
export const badgeLookRoute: Route = projectRoute('/badge-look', {
  GET: forMembers('checks.view', async ({ query }) => {
    const { label, status } = parseBadgeLook(query);
    return { status: 200, contentType: 'image/svg+xml', text: badgeSvg(label, status) };
  }),
});
