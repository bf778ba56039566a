import { badgeList } from '../../reading/lists.ts';
import type { Deps } from '../../services/core/deps.ts';
import type { Reads } from '../../services/core/reads.ts';
import { readProject } from '../../services/project/projects.ts';
import { projectJson } from '../../wire/api/project-output.ts';
import * as docs from '../../wire/openapi/operations/project.ts';
import type { Site } from '../../wire/site.ts';
import type { Endpoint } from './endpoint.ts';

/** The project itself, and its parts besides checks. */
export function projectEndpoints(
  deps: Deps,
  site: Site,
  prometheusEnabled: boolean,
  reads: Reads,
): Endpoint[] {
  return [
    {
      path: '/project/',
      operations: {
        GET: {
          doc: docs.getProject,
          permission: 'project.view',
          async handle({ actor }) {
            const project = await readProject(deps, actor);
            return { status: 200, json: projectJson(project, site, prometheusEnabled) };
          },
        },
      },
    },
    {
      path: '/badges/',
      operations: {
        GET: {
          doc: docs.listBadges,
          permission: 'checks.view',
          async handle({ actor }) {
            const { pieces } = await reads.ask(badgeList, { actor });
            return { status: 200, pieces };
          },
        },
      },
    },
  ];
}
