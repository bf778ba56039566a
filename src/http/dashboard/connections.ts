import { AppError } from '../../domain/errors.ts';
import { labelOf } from '../../integrations/registry.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import {
  beginConnection,
  type Connected,
  chooseConnectable,
  finishConnection,
} from '../../services/channel-connections.ts';
import { openInvitation } from '../../services/channel-invitations.ts';
import type { ChannelTools } from '../../services/channel-tools.ts';
import {
  parseConnectionChoice,
  parseConnectionStart,
  parseInvitation,
  parseWayBack,
} from '../../wire/dashboard/connection-input.ts';
import { connectedJson } from '../../wire/dashboard/connection-output.ts';
import type { Site } from '../../wire/site.ts';
import type { Answer } from '../replies.ts';
import type { Route, SessionRequest } from '../route.ts';
import { dashboardRoute, forMembers, forPeople, projectRoute } from './dashboard-route.ts';

/** Integrations that people set up at their provider. */
export function connectionRoutes(
  deps: AccountDeps,
  { root }: Pick<Site, 'root'>,
  { offer, askProvider }: ChannelTools,
): Route[] {
  const tools = { offer, root, http: askProvider };
  return [
    projectRoute('/channels/connect', {
      POST: forMembers('channels.edit', async ({ actor, signedIn, body }) => {
        const { kind } = parseConnectionStart(body);
        return {
          status: 200,
          json: { address: await beginConnection(deps, actor, signedIn.session, kind, tools) },
        };
      }),
    }),
    dashboardRoute('/connections/finish', {
      POST: forPeople('projects.view', async (request) => {
        const { path, answer } = parseWayBack(request.body);
        return logging(request, path, () =>
          finishConnection(deps, request.signedIn, path, answer, tools).then(connected),
        );
      }),
    }),
    dashboardRoute('/connections/invitation', {
      POST: forPeople('projects.view', async ({ signedIn, body }) =>
        connected(await openInvitation(deps, signedIn, parseInvitation(body).invitation)),
      ),
    }),
    dashboardRoute('/connections/choose', {
      POST: forPeople('projects.view', async ({ signedIn, body }) =>
        connected(await chooseConnectable(deps, signedIn, parseConnectionChoice(body).choice, tools)),
      ),
    }),
  ];
}

function connected(made: Connected): Answer {
  return { status: 200, json: connectedJson(made, labelOf(made.kind)) };
}

/** For the operator: an app that is registered wrongly fails for everybody. */
async function logging(
  { log }: SessionRequest,
  path: string,
  finish: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await finish();
  } catch (error) {
    if (error instanceof AppError && error.code === 'connection_failed')
      log.warn({ event: 'connection.failed', path, reason: error.message });
    throw error;
  }
}
