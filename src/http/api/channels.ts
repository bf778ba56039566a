import type { Permission } from '../../domain/people/permission.ts';
import { describeKinds } from '../../integrations/registry.ts';
import { channelList } from '../../reading/lists.ts';
import { confirmChannel } from '../../services/alert/channel-codes.ts';
import { askRecipient, askUnconfirmedRecipient } from '../../services/alert/channel-confirmation.ts';
import { prepareChannelEdit, prepareNewChannel } from '../../services/alert/channel-preparation.ts';
import { previewChannel } from '../../services/alert/channel-preview.ts';
import type { ChannelTools } from '../../services/alert/channel-tools.ts';
import {
  createChannel,
  deleteChannel,
  editChannel,
  getChannel,
  switchChannelOff,
  switchChannelOn,
} from '../../services/alert/channels.ts';
import { sendTestMessage } from '../../services/alert/test-message.ts';
import type { Actor } from '../../services/core/actor.ts';
import type { AccountDeps } from '../../services/people/deps.ts';
import {
  parseChannelEdit,
  parseConfirmationCode,
  parseNewChannel,
  parsePreview,
} from '../../wire/api/channel-input.ts';
import { channelDetailsJson, channelJson, kindJson, previewJson } from '../../wire/api/channel-output.ts';
import { testMessageJson } from '../../wire/api/delivery-output.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
import * as docs from '../../wire/openapi/operations/channels.ts';
import { CHANNEL_SEGMENT } from '../path-segments.ts';
import type { ApiRequest } from '../route.ts';
import { type Endpoint, type Operation, withKey } from './endpoint.ts';

/** The integrations of a project. The reference lists them, and has nothing else. */
export function channelEndpoints(deps: AccountDeps, tools: ChannelTools): Endpoint[] {
  return [...collection(deps, tools), ...singleChannel(deps, tools), ...acts(deps, tools)];
}

function collection(deps: AccountDeps, { offer, prepareSettings, sendCode }: ChannelTools): Endpoint[] {
  // It is the same for everybody, for as long as the program runs.
  const kinds = { kinds: describeKinds(offer).map(kindJson) };
  const list = withKey(docs.listChannels, 'channels.view', async ({ actor, query, version }) => {
    // Clients of the older versions know three fields, and some refuse an object with others.
    const isDetailed = version === 3 && query.getAll('details').at(-1) === '1';
    const { pieces } = await deps.reads.ask(channelList, { actor, isDetailed });
    return { status: 200, pieces };
  });
  const create = withKey(docs.createChannel, 'channels.edit', async ({ actor, body }) => {
    const given = await prepareNewChannel(deps, actor, parseNewChannel(body), offer, prepareSettings);
    const made = await createChannel(deps, actor, { ...given, offer });
    await askUnconfirmedRecipient(deps, actor, made, sendCode);
    return { status: 201, json: await detailsOf(deps, actor, made.uuid) };
  });
  const listKinds = withKey(docs.listKinds, 'channels.view', async () => ({ status: 200, json: kinds }));
  return [
    { path: '/channels/', operations: { GET: list, POST: create } },
    { path: '/channels/kinds/', operations: { GET: listKinds } },
  ];
}

async function detailsOf(deps: AccountDeps, actor: Actor, uuid: string) {
  return channelDetailsJson(await getChannel(deps, actor, uuid));
}

/** An operation on the integration in the path. `act` makes the JSON of the answer. */
function onChannel(
  doc: OperationDoc,
  permission: Permission,
  act: (request: ApiRequest, uuid: string) => Promise<unknown>,
): Operation {
  return withKey(doc, permission, async (request) => ({
    status: 200,
    json: await act(request, request.params.channel ?? ''),
  }));
}

function singleChannel(deps: AccountDeps, { prepareSettings, sendCode }: ChannelTools): Endpoint[] {
  const get = onChannel(docs.getChannel, 'channels.edit', ({ actor }, uuid) => detailsOf(deps, actor, uuid));
  const update = onChannel(docs.updateChannel, 'channels.edit', async ({ actor, body }, uuid) => {
    const edit = await prepareChannelEdit(deps, actor, uuid, parseChannelEdit(body), prepareSettings);
    await askUnconfirmedRecipient(deps, actor, await editChannel(deps, actor, uuid, edit), sendCode);
    return detailsOf(deps, actor, uuid);
  });
  const remove = onChannel(docs.deleteChannel, 'channels.edit', async ({ actor }, uuid) => {
    const details = await detailsOf(deps, actor, uuid);
    await deleteChannel(deps, actor, uuid);
    return details;
  });
  return [{ path: `/channels/${CHANNEL_SEGMENT}`, operations: { GET: get, POST: update, DELETE: remove } }];
}

function acts(deps: AccountDeps, { sendTest, sendCode, renderPreview }: ChannelTools): Endpoint[] {
  const enable = onChannel(docs.enableChannel, 'channels.edit', async ({ actor }, uuid) => {
    const channel = await switchChannelOn(deps, actor, uuid);
    await askUnconfirmedRecipient(deps, actor, channel, sendCode);
    return channelJson(channel);
  });
  const disable = onChannel(docs.disableChannel, 'channels.edit', async ({ actor }, uuid) =>
    channelJson(await switchChannelOff(deps, actor, uuid)),
  );
  const ask = onChannel(docs.askForConfirmation, 'channels.edit', async ({ actor }, uuid) =>
    channelJson(await askRecipient(deps, actor, uuid, sendCode)),
  );
  const confirm = onChannel(docs.confirmChannel, 'channels.edit', async ({ actor, body }, uuid) =>
    channelJson(await confirmChannel(deps, actor, uuid, parseConfirmationCode(body))),
  );
  const test = onChannel(docs.testChannel, 'channels.test', async ({ actor }, uuid) => {
    const { error, off, exchange } = await sendTestMessage(deps, actor, uuid, sendTest);
    return testMessageJson(error, off, exchange);
  });
  const preview = onChannel(docs.previewChannel, 'channels.test', async ({ actor, body }, uuid) =>
    previewJson(await previewChannel(deps, actor, uuid, parsePreview(body), renderPreview)),
  );
  const path = `/channels/${CHANNEL_SEGMENT}`;
  const named = { enable, disable, confirmation: ask, confirm, test, preview };
  return Object.entries(named).map(([name, operation]) => ({
    path: `${path}/${name}`,
    operations: { POST: { ...operation, acceptsNullBody: operation !== confirm } },
  }));
}
