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
import * as docs from '../../wire/openapi/operations/channels.ts';
import { CHANNEL_SEGMENT } from '../path-segments.ts';
import type { Endpoint, Operation } from './endpoint.ts';

/** The integrations of a project. The reference lists them, and has nothing else. */
export function channelEndpoints(deps: AccountDeps, tools: ChannelTools): Endpoint[] {
  return [...collection(deps, tools), ...singleChannel(deps, tools), ...acts(deps, tools)];
}

function collection(deps: AccountDeps, { offer, prepareSettings, sendCode }: ChannelTools): Endpoint[] {
  // It is the same for everybody, for as long as the program runs.
  const kinds = { kinds: describeKinds(offer).map(kindJson) };
  return [
    {
      path: '/channels/',
      operations: {
        GET: {
          doc: docs.listChannels,
          permission: 'channels.view',
          async handle({ actor, query, version }) {
            // Clients of the older versions know three fields, and some refuse an object with others.
            const isDetailed = version === 3 && query.getAll('details').at(-1) === '1';
            const { pieces } = await deps.reads.ask(channelList, { actor, isDetailed });
            return { status: 200, pieces };
          },
        },
        POST: {
          doc: docs.createChannel,
          permission: 'channels.edit',
          async handle({ actor, body }) {
            const given = await prepareNewChannel(deps, actor, parseNewChannel(body), offer, prepareSettings);
            const made = await createChannel(deps, actor, { ...given, offer });
            await askUnconfirmedRecipient(deps, actor, made, sendCode);
            return { status: 201, json: await detailsOf(deps, actor, made.uuid) };
          },
        },
      },
    },
    {
      path: '/channels/kinds/',
      operations: {
        GET: {
          doc: docs.listKinds,
          permission: 'channels.view',
          handle: async () => ({ status: 200, json: kinds }),
        },
      },
    },
  ];
}

async function detailsOf(deps: AccountDeps, actor: Actor, uuid: string) {
  return channelDetailsJson(await getChannel(deps, actor, uuid));
}

function singleChannel(deps: AccountDeps, { prepareSettings, sendCode }: ChannelTools): Endpoint[] {
  return [
    {
      path: `/channels/${CHANNEL_SEGMENT}`,
      operations: {
        GET: {
          doc: docs.getChannel,
          permission: 'channels.edit',
          handle: async ({ actor, params }) => ({
            status: 200,
            json: await detailsOf(deps, actor, params.channel ?? ''),
          }),
        },
        POST: {
          doc: docs.updateChannel,
          permission: 'channels.edit',
          async handle({ actor, params, body }) {
            const uuid = params.channel ?? '';
            const edit = await prepareChannelEdit(deps, actor, uuid, parseChannelEdit(body), prepareSettings);
            await askUnconfirmedRecipient(deps, actor, await editChannel(deps, actor, uuid, edit), sendCode);
            return { status: 200, json: await detailsOf(deps, actor, uuid) };
          },
        },
        DELETE: {
          doc: docs.deleteChannel,
          permission: 'channels.edit',
          async handle({ actor, params }) {
            const uuid = params.channel ?? '';
            const json = await detailsOf(deps, actor, uuid);
            await deleteChannel(deps, actor, uuid);
            return { status: 200, json };
          },
        },
      },
    },
  ];
}

function acts(deps: AccountDeps, { sendTest, sendCode, renderPreview }: ChannelTools): Endpoint[] {
  const enable: Operation = {
    doc: docs.enableChannel,
    permission: 'channels.edit',
    acceptsNullBody: true,
    async handle({ actor, params }) {
      const channel = await switchChannelOn(deps, actor, params.channel ?? '');
      await askUnconfirmedRecipient(deps, actor, channel, sendCode);
      return { status: 200, json: channelJson(channel) };
    },
  };
  const disable: Operation = {
    doc: docs.disableChannel,
    permission: 'channels.edit',
    acceptsNullBody: true,
    handle: async ({ actor, params }) => ({
      status: 200,
      json: channelJson(await switchChannelOff(deps, actor, params.channel ?? '')),
    }),
  };
  const ask: Operation = {
    doc: docs.askForConfirmation,
    permission: 'channels.edit',
    acceptsNullBody: true,
    handle: async ({ actor, params }) => ({
      status: 200,
      json: channelJson(await askRecipient(deps, actor, params.channel ?? '', sendCode)),
    }),
  };
  const confirm: Operation = {
    doc: docs.confirmChannel,
    permission: 'channels.edit',
    handle: async ({ actor, params, body }) => ({
      status: 200,
      json: channelJson(await confirmChannel(deps, actor, params.channel ?? '', parseConfirmationCode(body))),
    }),
  };
  const test: Operation = {
    doc: docs.testChannel,
    permission: 'channels.test',
    acceptsNullBody: true,
    async handle({ actor, params }) {
      const { error, off, exchange } = await sendTestMessage(deps, actor, params.channel ?? '', sendTest);
      return { status: 200, json: testMessageJson(error, off, exchange) };
    },
  };
  const preview: Operation = {
    doc: docs.previewChannel,
    permission: 'channels.test',
    acceptsNullBody: true,
    async handle({ actor, params, body }) {
      const shown = await previewChannel(
        deps,
        actor,
        params.channel ?? '',
        parsePreview(body),
        renderPreview,
      );
      return { status: 200, json: previewJson(shown) };
    },
  };
  const path = `/channels/${CHANNEL_SEGMENT}`;
  return [
    { path: `${path}/enable`, operations: { POST: enable } },
    { path: `${path}/disable`, operations: { POST: disable } },
    { path: `${path}/confirmation`, operations: { POST: ask } },
    { path: `${path}/confirm`, operations: { POST: confirm } },
    { path: `${path}/test`, operations: { POST: test } },
    { path: `${path}/preview`, operations: { POST: preview } },
  ];
}
