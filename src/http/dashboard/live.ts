import { requirePermission } from '../../services/core/actor.ts';
import type { WatchedProject } from '../../services/instance/live-feed.ts';
import type { AccountActor } from '../../services/people/account-actor.ts';
import type { AccountDeps } from '../../services/people/deps.ts';
import { enterProject, listProjects } from '../../services/people/own-projects.ts';
import { parseLiveQuestion } from '../../wire/dashboard/live-input.ts';
import { EVENT_STREAM, STREAM_HEADERS } from '../event-stream.ts';
import type { LiveStreams, Viewer } from '../live/live-streams.ts';
import type { Route, SessionRequest } from '../route.ts';
import { dashboardRoute, forPeople } from './dashboard-route.ts';

/** Announces changes in the projects of a person: as a stream of events, or since the last question. */
export function liveRoutes(deps: AccountDeps, live: Pick<LiveStreams, 'open' | 'poll'>): Route[] {
  return [
    dashboardRoute('/live', {
      GET: forPeople('projects.view', async (request) => {
        const { query, headers, signedIn } = request;
        const lastEventHeader = headers['last-event-id'];
        const { projects: asked, lastEventId } = parseLiveQuestion(
          query,
          typeof lastEventHeader === 'string' ? lastEventHeader : undefined,
        );
        const projects = await visibleProjects(deps, signedIn.actor, asked);
        if (headers.accept?.includes(EVENT_STREAM) !== true)
          return { status: 200, json: await live.poll(projects, lastEventId) };
        return {
          status: 200,
          headers: STREAM_HEADERS,
          contentType: EVENT_STREAM,
          lasting: (response) => live.open(viewerOf(deps, request, asked), projects, lastEventId, response),
        };
      }),
    }),
  ];
}

function viewerOf(
  deps: AccountDeps,
  { signedIn, token, stillSignedIn }: SessionRequest,
  asked: readonly string[] | null,
): Viewer {
  const { accountId } = signedIn.actor;
  return {
    accountId,
    key: [accountId, token, ...(asked ?? [])].join(' '),
    look: async () => visibleProjects(deps, (await stillSignedIn()).actor, asked),
  };
}

async function visibleProjects(
  deps: AccountDeps,
  actor: AccountActor,
  asked: readonly string[] | null,
): Promise<readonly WatchedProject[]> {
  const own = (await listProjects(deps, actor)).map(({ project }) => project);
  if (asked === null) return own;
  const byUuid = new Map(own.map((project) => [project.uuid, project]));
  // Streams ask for this again and again. Only projects that an administrator visits cost a read each.
  return Promise.all(asked.map(async (uuid) => byUuid.get(uuid) ?? visitedProject(deps, actor, uuid)));
}

async function visitedProject(deps: AccountDeps, actor: AccountActor, uuid: string): Promise<WatchedProject> {
  const inProject = await enterProject(deps, actor, uuid);
  requirePermission(inProject, 'checks.view');
  return { id: inProject.projectId, uuid };
}
