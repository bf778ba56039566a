import { badgeList } from '../../reading/lists.ts';
import type { Deps } from '../../services/core/deps.ts';
import type { Reads } from '../../services/core/reads.ts';
import { readProject } from '../../services/project/projects.ts';
import { projectJson } from '../../wire/api/project-output.ts';
import * as docs from '../../wire/openapi/operations/project.ts';
import type { Site } from '../../wire/site.ts';
import { type Endpoint, withKey } from './endpoint.ts';

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
        GET: withKey(docs.getProject, 'project.view', async ({ actor }) => ({
          status: 200,
          json: projectJson(await readProject(deps, actor), site, prometheusEnabled),
        })),
      },
    },
    {
      path: '/badges/',
      operations: {
        GET: withKey(docs.listBadges, 'checks.view', async ({ actor }) => {
          const { pieces } = await reads.ask(badgeList, { actor });
          return { status: 200, pieces };
        }),
      },
    },
  ];
}
