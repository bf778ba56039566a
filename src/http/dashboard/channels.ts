import { AppError } from '../../domain/errors.ts';
import { describeKinds, messageLimits } from '../../integrations/registry.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import type { Actor } from '../../services/actor.ts';
import { confirmChannel } from '../../services/channel-codes.ts';
import { askRecipient, askUnconfirmedRecipient } from '../../services/channel-confirmation.ts';
import { verifyChannel } from '../../services/channel-links.ts';
import { countChannels } from '../../services/channel-overview.ts';
import { prepareChannelEdit, prepareNewChannel } from '../../services/channel-preparation.ts';
import { previewChannelDraft } from '../../services/channel-preview.ts';
import type { ChannelTools } from '../../services/channel-tools.ts';
import {
  assignChecks,
  createChannel,
  deleteChannel,
  editChannel,
  getChannel,
  renameChannel,
  switchChannelOff,
  switchChannelOn,
} from '../../services/channels.ts';
import { retryDelivery } from '../../services/deliveries.ts';
import { sendTestMessage, testDraft } from '../../services/test-message.ts';
import { readUsage } from '../../services/undelivered.ts';
import { parseChannelEdit, parseConfirmationCode, parseNewChannel } from '../../wire/api/channel-input.ts';
import { previewJson } from '../../wire/api/channel-output.ts';
import { parseAssignment, parseConfirmationToken, parseDraft } from '../../wire/dashboard/channel-input.ts';
import { channelDetailsJson, channelKindJson, channelTestJson } from '../../wire/dashboard/channel-output.ts';
import { errorReply } from '../error-map.ts';
import { CHANNEL_SEGMENT, UUID_PATTERN } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { Route } from '../route.ts';
import { dashboardRoute, forMembers, forVisitors, projectRoute } from './dashboard-route.ts';

const CHANNEL = `/channels/${CHANNEL_SEGMENT}`;

/** The integrations of a project, their health and their deliveries. */
export function channelRoutes(deps: AccountDeps, tools: ChannelTools): Route[] {
  return [
    ...listRoutes(deps, tools),
    ...draftRoutes(deps, tools),
    ...channelActRoutes(deps, tools),
    ...singleChannelRoutes(deps, tools),
    confirmationRoute(deps),
  ];
}

async function details(
  deps: AccountDeps,
  actor: Actor,
  uuid: string,
  notAsked: AppError | null = null,
): Promise<Answer> {
  const reason = notAsked && errorReply(notAsked).error;
  return { status: 200, json: channelDetailsJson(await getChannel(deps, actor, uuid), reason) };
}

function listRoutes(deps: AccountDeps, tools: ChannelTools): Route[] {
  const { offer, pushKey, prepareSettings, sendCode } = tools;
  const kinds = describeKinds(offer);
  const limits = messageLimits(offer.server);
  return [
    projectRoute('/channels', {
      GET: forMembers('channels.view', async ({ actor }) => {
        const { pieces } = await deps.reads.ask({ kind: 'channel_overview', actor, limits });
        return { status: 200, pieces };
      }),
      POST: forMembers('channels.edit', async ({ actor, body }) => {
        const given = await prepareNewChannel(deps, actor, parseNewChannel(body), offer, prepareSettings);
        const made = await createChannel(deps, actor, { ...given, offer });
        const notAsked = await askUnconfirmedRecipient(deps, actor, made, sendCode);
        return { ...(await details(deps, actor, made.uuid, notAsked)), status: 201 };
      }),
    }),
    projectRoute('/channels/kinds', {
      GET: forMembers('channels.view', async ({ actor }) => {
        const usage = await readUsage(deps, actor, limits);
        const described = kinds.map((kind) => channelKindJson(kind, usage));
        return { status: 200, json: { kinds: described, push_key: await pushKey() } };
      }),
    }),
    projectRoute('/channels/counts', {
      GET: forMembers('channels.view', async ({ actor }) => ({
        status: 200,
        json: await countChannels(deps, actor),
      })),
    }),
  ];
}

/** What a form can try before it is saved. */
function draftRoutes(deps: AccountDeps, { offer, renderPreview, sendTest }: ChannelTools): Route[] {
  return [
    projectRoute('/channels/preview', {
      POST: forMembers('channels.test', async ({ actor, body }) => {
        const preview = await previewChannelDraft(deps, actor, parseDraft(body), {
          offer,
          render: renderPreview,
        });
        return { status: 200, json: previewJson(preview) };
      }),
    }),
    projectRoute('/channels/test', {
      POST: forMembers('channels.test', async ({ actor, body }) => ({
        status: 200,
        json: channelTestJson(await testDraft(deps, actor, parseDraft(body), offer, sendTest)),
      })),
    }),
  ];
}

function singleChannelRoutes(deps: AccountDeps, { prepareSettings, sendCode }: ChannelTools): Route[] {
  return [
    projectRoute(CHANNEL, {
      GET: forMembers('channels.view', ({ actor, params }) => details(deps, actor, params.channel ?? '')),
      POST: forMembers('channels.edit', async ({ actor, params, body }) => {
        const { name, settings, events } = parseChannelEdit(body);
        const uuid = params.channel ?? '';
        if (settings === undefined && events === undefined) {
          if (name !== undefined) await renameChannel(deps, actor, uuid, name);
          return details(deps, actor, uuid);
        }
        const given = { name, settings, events };
        const edit = await prepareChannelEdit(deps, actor, uuid, given, prepareSettings);
        const edited = await editChannel(deps, actor, uuid, edit);
        const notAsked = await askUnconfirmedRecipient(deps, actor, edited, sendCode);
        return details(deps, actor, uuid, notAsked);
      }),
      DELETE: forMembers('channels.edit', async ({ actor, params }) => {
        await deleteChannel(deps, actor, params.channel ?? '');
        return { status: 204 };
      }),
    }),
    projectRoute(`${CHANNEL}/checks`, {
      GET: forMembers('channels.edit', async ({ actor, params }) => {
        const channel = params.channel ?? '';
        const { pieces } = await deps.reads.ask({ kind: 'channel_checks', actor, channel });
        return { status: 200, pieces };
      }),
      POST: forMembers('channels.edit', async ({ actor, params, body }) => {
        const { added, removed } = await assignChecks(
          deps,
          actor,
          params.channel ?? '',
          parseAssignment(body).checks,
        );
        return { status: 200, json: { added: added.length, removed: removed.length } };
      }),
    }),
    projectRoute(`${CHANNEL}/deliveries`, {
      GET: forMembers('deliveries.view', async ({ actor, params }) => {
        const channel = params.channel ?? '';
        const { pieces } = await deps.reads.ask({ kind: 'channel_deliveries', actor, channel });
        return { status: 200, pieces };
      }),
    }),
    projectRoute(`${CHANNEL}/deliveries/:delivery(${UUID_PATTERN})/retry`, {
      POST: forMembers('channels.test', async ({ actor, params }) => {
        await retryDelivery(deps, actor, params.channel ?? '', params.delivery ?? '');
        return { status: 204 };
      }),
    }),
  ];
}

function channelActRoutes(deps: AccountDeps, { sendTest, sendCode }: ChannelTools): Route[] {
  return [
    projectRoute(`${CHANNEL}/enable`, {
      POST: forMembers('channels.edit', async ({ actor, params }) => {
        const channel = await switchChannelOn(deps, actor, params.channel ?? '');
        const notAsked = await askUnconfirmedRecipient(deps, actor, channel, sendCode);
        return details(deps, actor, channel.uuid, notAsked);
      }),
    }),
    projectRoute(`${CHANNEL}/disable`, {
      POST: forMembers('channels.edit', async ({ actor, params }) => {
        const { uuid } = await switchChannelOff(deps, actor, params.channel ?? '');
        return details(deps, actor, uuid);
      }),
    }),
    projectRoute(`${CHANNEL}/confirmation`, {
      POST: forMembers('channels.edit', async ({ actor, params }) => {
        const { uuid } = await askRecipient(deps, actor, params.channel ?? '', sendCode);
        return details(deps, actor, uuid);
      }),
    }),
    projectRoute(`${CHANNEL}/confirm`, {
      POST: forMembers('channels.edit', async ({ actor, params, body }) => {
        const { uuid } = await confirmChannel(deps, actor, params.channel ?? '', parseConfirmationCode(body));
        return details(deps, actor, uuid);
      }),
    }),
    projectRoute(`${CHANNEL}/test`, {
      POST: forMembers('channels.test', async ({ actor, params }) => ({
        status: 200,
        json: channelTestJson(await sendTestMessage(deps, actor, params.channel ?? '', sendTest)),
      })),
    }),
  ];
}

/** The link itself is the permission: recipients need no account. */
function confirmationRoute(deps: AccountDeps): Route {
  return dashboardRoute(`/integrations/:channel(${UUID_PATTERN})/verify`, {
    POST: forVisitors(async ({ params, body, client }) => {
      const { token } = parseConfirmationToken(body);
      const isRight = await verifyChannel(deps, params.channel ?? '', token, client.address);
      if (!isRight) throw new AppError('invalid_link');
      return { status: 204 };
    }),
  });
}
