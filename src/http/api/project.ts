import { listBadges } from '../../services/badges.ts';
import { listChannels } from '../../services/channels.ts';
import type { Deps } from '../../services/deps.ts';
import { readProject } from '../../services/projects.ts';
import { badgeListText } from '../../wire/api/badges-output.ts';
import { channelJson } from '../../wire/api/channel-output.ts';
import { projectJson } from '../../wire/api/project-output.ts';
import * as docs from '../../wire/openapi/operations/project.ts';
import type { Site } from '../../wire/site.ts';
import type { Endpoint } from './endpoint.ts';

/** The project itself, and what it has besides its checks. */
export function projectEndpoints(deps: Deps, site: Site, prometheusEnabled: boolean): Endpoint[] {
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
      path: '/channels/',
      operations: {
        GET: {
          doc: docs.listChannels,
          permission: 'channels.view',
          async handle({ actor }) {
            const channels = await listChannels(deps, actor);
            return { status: 200, json: { channels: channels.map(channelJson) } };
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
            return { status: 200, pieces: badgeListText(listBadges(deps, actor), site) };
          },
        },
      },
    },
  ];
}
