import { eventFile } from '../../reading/log-files.ts';
import type { AccountDeps } from '../../services/people/deps.ts';
import { parseLogFormat } from '../../wire/dashboard/audit-log-input.ts';
import { LOG_TYPES } from '../../wire/dashboard/audit-log-output.ts';
import { parseEventFilter } from '../../wire/dashboard/event-input.ts';
import type { Route } from '../route.ts';
import { checkRoute, onCheck } from './dashboard-route.ts';

/** The log of a check as a file. */
export function eventRoutes(deps: AccountDeps): Route[] {
  const { reads } = deps;
  return [
    checkRoute('/events/export', {
      GET: onCheck('pings.view', async ({ actor, check, query }) => {
        const [filter, format] = [parseEventFilter(query), parseLogFormat(query)];
        const headers = { 'content-disposition': `attachment; filename="events.${format}"` };
        const { pieces } = await reads.ask(eventFile, { actor, checkId: check.id, filter, format });
        return { status: 200, headers, pieces, contentType: LOG_TYPES[format] };
      }),
    }),
  ];
}
