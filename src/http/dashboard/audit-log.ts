import { type ActReader, actFile } from '../../reading/log-files.ts';
import type { AccountDeps } from '../../services/people/deps.ts';
import { parseActFilter, parseLogFormat } from '../../wire/dashboard/audit-log-input.ts';
import { LOG_TYPES } from '../../wire/dashboard/audit-log-output.ts';
import type { Answer } from '../replies.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forMembers, forPeople, projectRoute } from './dashboard-route.ts';

/** Audit logs as files: of a project, and of a person's own acts. Threads make them. */
export function auditLogRoutes({ reads }: AccountDeps): Route[] {
  const whole = async (reader: ActReader, query: URLSearchParams): Promise<Answer> => {
    const [filter, format] = [parseActFilter(query), parseLogFormat(query)];
    const { pieces } = await reads.ask(actFile, { ...reader, filter, format });
    const headers = { 'content-disposition': `attachment; filename="audit-log.${format}"` };
    return { status: 200, headers, pieces, contentType: LOG_TYPES[format] };
  };
  return [
    projectRoute('/audit-log/export', {
      GET: forMembers('audit_log.view', ({ actor, query }) => whole({ actor }, query)),
    }),
    dashboardRoute('/account/audit-log/export', {
      GET: forPeople('account.export', ({ signedIn, query }) => whole({ person: signedIn.actor }, query)),
    }),
  ];
}
