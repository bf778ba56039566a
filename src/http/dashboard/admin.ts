import { toIsoSeconds } from '../../lib/instant.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import { type Instance, readHealth, readSettings, sendTestMail } from '../../services/accounts/instance.ts';
import { leaveVisited, visitProject } from '../../services/accounts/visits.ts';
import { parseNewEmail } from '../../wire/dashboard/account-input.ts';
import { parseReason, parseSearch } from '../../wire/dashboard/admin-input.ts';
import { healthJson, settingJson } from '../../wire/dashboard/admin-output.ts';
import { projectJson } from '../../wire/dashboard/project-output.ts';
import { testMail } from '../../wire/mail/test-mail.ts';
import type { Site } from '../../wire/site.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { adminAccountRoutes } from './admin-accounts.ts';
import { dashboardRoute, forPeople } from './dashboard-route.ts';

const VISITED = `/admin/projects/:visited(${UUID_PATTERN})`;

/** What administrators see and do: accounts and projects of others, and the installation itself. */
export function adminRoutes(deps: AccountDeps, site: Pick<Site, 'root'>, instance: Instance): Route[] {
  return [
    ...adminAccountRoutes(deps, site),
    dashboardRoute('/admin/projects', {
      GET: forPeople('instance.view', async ({ signedIn, query }) => {
        const search = parseSearch(query);
        const { pieces } = await deps.reads.ask({ kind: 'project_search', person: signedIn.actor, search });
        return { status: 200, pieces };
      }),
    }),
    dashboardRoute(`${VISITED}/enter`, {
      POST: forPeople('instance.administer', async ({ signedIn, params, body }) => {
        const uuid = params.visited ?? '';
        const { project, endsAt } = await visitProject(deps, signedIn.actor, uuid, parseReason(body));
        return {
          status: 200,
          json: { ...projectJson(project, 'administrator'), until: toIsoSeconds(endsAt) },
        };
      }),
    }),
    dashboardRoute(`${VISITED}/leave`, {
      POST: forPeople('instance.view', async ({ signedIn, params }) => {
        await leaveVisited(deps, signedIn.actor, params.visited ?? '');
        return { status: 204 };
      }),
    }),
    dashboardRoute('/admin/settings', {
      GET: forPeople('instance.view', async ({ signedIn }) => ({
        status: 200,
        json: { settings: readSettings(instance, signedIn.actor).map(settingJson) },
      })),
    }),
    dashboardRoute('/admin/health', {
      GET: forPeople('instance.view', async ({ signedIn }) => ({
        status: 200,
        json: healthJson(await readHealth(deps, instance, signedIn.actor)),
      })),
    }),
    dashboardRoute('/admin/test-mail', {
      POST: forPeople('instance.administer', async ({ signedIn, body }) => {
        const { email: to } = parseNewEmail(body);
        const mail = { to, ...testMail(deps.settings.siteName), headers: {}, attachments: [] };
        return { status: 200, json: { error: await sendTestMail(deps, instance, signedIn.actor, mail) } };
      }),
    }),
  ];
}
