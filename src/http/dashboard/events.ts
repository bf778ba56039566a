import type { AccountDeps } from '../../services/accounts/deps.ts';
import { hurryDelivery } from '../../services/deliveries.ts';
import { parseLogFormat } from '../../wire/dashboard/audit-log-input.ts';
import { LOG_TYPES } from '../../wire/dashboard/audit-log-output.ts';
import { parseEventFilter, parseEventPlace } from '../../wire/dashboard/event-input.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { checkRoute, onCheck } from './dashboard-route.ts';

/** What happened to a check: signals, changes of status, and who was told. Threads read it. */
export function eventRoutes(deps: AccountDeps): Route[] {
  const { reads } = deps;
  return [
    checkRoute('/events', {
      GET: onCheck('pings.view', async ({ actor, check, query }) => {
        const filter = parseEventFilter(query);
        const place = parseEventPlace(query);
        const question = { kind: 'event_list', actor, checkId: check.id, filter, ...place } as const;
        return { status: 200, pieces: (await reads.ask(question)).pieces };
      }),
    }),
    checkRoute('/events/export', {
      GET: onCheck('pings.view', async ({ actor, check, query }) => {
        const [filter, format] = [parseEventFilter(query), parseLogFormat(query)];
        const question = { kind: 'event_export', actor, checkId: check.id, filter, format } as const;
        const headers = { 'content-disposition': `attachment; filename="events.${format}"` };
        const { pieces } = await reads.ask(question);
        return { status: 200, headers, pieces, contentType: LOG_TYPES[format] };
      }),
    }),
    checkRoute(`/deliveries/:delivery(${UUID_PATTERN})/try`, {
      POST: onCheck('channels.test', async ({ actor, check, params }) => {
        await hurryDelivery(deps, actor, check.id, params.delivery ?? '');
        return { status: 204 };
      }),
    }),
  ];
}
