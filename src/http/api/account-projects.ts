import type { AccountDeps } from '../../services/people/deps.ts';
import {
  createOwnProject,
  listProjects,
  restoreProject,
  roleByToken,
} from '../../services/people/own-projects.ts';
import { deleteProject, readProject, renameProject } from '../../services/project/projects.ts';
import { accountProjectJson, deletedJson } from '../../wire/api/account-project-output.ts';
import { parseProjectName } from '../../wire/api/project-input.ts';
import * as docs from '../../wire/openapi/operations/account.ts';
import type { Site } from '../../wire/site.ts';
import { PROJECT_SEGMENT } from '../path-segments.ts';
import type { Route } from '../route.ts';
import { accountRoute, forTokens, inProject } from './account-route.ts';
import { keyRoutes } from './keys.ts';
import { teamRoutes } from './team.ts';

/** Projects and their parts besides checks, for programs with a token of an account. The reference has none. */
export function accountProjectRoutes(deps: AccountDeps, site: Pick<Site, 'root'>): Route[] {
  const project = `/projects/${PROJECT_SEGMENT}`;
  return [
    accountRoute('/projects/', {
      GET: forTokens(docs.listProjects, 'projects.view', async ({ actor }) => {
        const projects = await listProjects(deps, actor);
        return {
          status: 200,
          json: { projects: projects.map((one) => accountProjectJson(one.project, one.role)) },
        };
      }),
      POST: forTokens(docs.createProject, 'projects.edit', async ({ actor, body }) => {
        const created = await createOwnProject(deps, actor, parseProjectName(body).name);
        return { status: 201, json: accountProjectJson(created, 'owner') };
      }),
    }),
    accountRoute(project, {
      GET: inProject(docs.getAccountProject, 'project.view', async ({ actor }) => ({
        status: 200,
        json: accountProjectJson(await readProject(deps, actor), roleByToken(actor)),
      })),
      POST: inProject(docs.renameProject, 'project.edit', async ({ actor, body }) => {
        const renamed = await renameProject(deps, actor, parseProjectName(body).name);
        return { status: 200, json: accountProjectJson(renamed, roleByToken(actor)) };
      }),
      DELETE: inProject(docs.deleteProject, 'project.delete', async ({ actor }) => ({
        status: 200,
        json: deletedJson(await deleteProject(deps, actor, null)),
      })),
    }),
    accountRoute(`${project}/restore`, {
      POST: forTokens(docs.restoreProject, 'projects.edit', async ({ actor, params }) => {
        const restored = await restoreProject(deps, actor, params.project_uuid ?? '');
        return { status: 200, json: accountProjectJson(restored, 'owner') };
      }),
    }),
    ...teamRoutes(deps, site),
    ...keyRoutes(deps),
  ];
}
