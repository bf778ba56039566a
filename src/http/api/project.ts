import { switchChannelOff, switchChannelOn } from '../../services/channels.ts';
import type { Deps } from '../../services/deps.ts';
import { readProject } from '../../services/projects.ts';
import type { Reads } from '../../services/reads.ts';
import { channelJson } from '../../wire/api/channel-output.ts';
import { projectJson } from '../../wire/api/project-output.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
import * as docs from '../../wire/openapi/operations/project.ts';
import type { Site } from '../../wire/site.ts';
import { CHANNEL_SEGMENT } from '../path-segments.ts';
import type { Endpoint, Operation } from './endpoint.ts';

/** The project itself, and what belongs to it besides its checks. */
export function projectEndpoints(
  deps: Deps,
  site: Site,
  prometheusEnabled: boolean,
  reads: Reads,
): Endpoint[] {
  const switching = (doc: OperationDoc, verb: typeof switchChannelOn): Operation => ({
    doc,
    permission: 'channels.edit',
    acceptsNullBody: true,
    async handle({ actor, params }) {
      return { status: 200, json: channelJson(await verb(deps, actor, params.channel ?? '')) };
    },
  });
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
            const { pieces } = await reads.ask({ kind: 'channel_list', actor });
            return { status: 200, pieces };
          },
        },
      },
    },
    {
      path: `/channels/${CHANNEL_SEGMENT}/enable`,
      operations: { POST: switching(docs.enableChannel, switchChannelOn) },
    },
    {
      path: `/channels/${CHANNEL_SEGMENT}/disable`,
      operations: { POST: switching(docs.disableChannel, switchChannelOff) },
    },
    {
      path: '/badges/',
      operations: {
        GET: {
          doc: docs.listBadges,
          permission: 'checks.view',
          async handle({ actor }) {
            const { pieces } = await reads.ask({ kind: 'badge_list', actor });
            return { status: 200, pieces };
          },
        },
      },
    },
  ];
}
