import type { AccountDeps } from '../../services/accounts/deps.ts';
import { listProjects, roleByToken } from '../../services/accounts/projects.ts';
import { readProject } from '../../services/projects.ts';
import { accountProjectJson } from '../../wire/api/account-project-output.ts';
import * as docs from '../../wire/openapi/operations/account.ts';
import { PROJECT_SEGMENT } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { accountRoute, forTokens, inProject } from './account-route.ts';
import { keyRoutes } from './keys.ts';

/** Projects and what belongs to them besides checks, for programs with a token of an account. The reference has none. */
export function accountProjectRoutes(deps: AccountDeps): Route[] {
  return [
    accountRoute('/projects/', {
      GET: forTokens(docs.listProjects, 'projects.view', async ({ actor }) => {
        const projects = await listProjects(deps, actor);
        return {
          status: 200,
          json: { projects: projects.map(({ project, role }) => accountProjectJson(project, role)) },
        };
      }),
    }),
    accountRoute(`/projects/${PROJECT_SEGMENT}`, {
      GET: inProject(docs.getAccountProject, 'project.view', async ({ actor }) => ({
        status: 200,
        json: accountProjectJson(await readProject(deps, actor), roleByToken(actor)),
      })),
    }),
    ...keyRoutes(deps),
  ];
}
