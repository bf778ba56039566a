import type { AccountDeps } from '../../services/accounts/deps.ts';
import { listProjects, roleOf } from '../../services/accounts/projects.ts';
import { readProject } from '../../services/projects.ts';
import { projectJson } from '../../wire/dashboard/project-output.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forMembers, forPeople, projectRoute } from './dashboard-route.ts';

export function projectRoutes(deps: AccountDeps): Route[] {
  return [
    dashboardRoute('/projects', {
      GET: forPeople('projects.view', async ({ signedIn }) => {
        const projects = await listProjects(deps, signedIn.actor);
        return {
          status: 200,
          json: { projects: projects.map(({ project, role }) => projectJson(project, role)) },
        };
      }),
    }),
    projectRoute('', {
      GET: forMembers('project.view', async ({ actor }) => ({
        status: 200,
        json: projectJson(await readProject(deps, actor), roleOf(actor)),
      })),
    }),
  ];
}
