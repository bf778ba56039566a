/** Acts on the integrations of a project. */
import type { Channel } from '../domain/alert/channel.ts';
import { healthOf } from '../domain/alert/channel-health.ts';
import { AppError } from '../domain/errors.ts';
import { Fault, type Field } from '../lib/fields.ts';
import { confirmChannel as confirmByCode } from '../services/alert/channel-codes.ts';
import {
  askRecipient as askForConfirmation,
  askUnconfirmedRecipient,
} from '../services/alert/channel-confirmation.ts';
import { verifyChannel } from '../services/alert/channel-links.ts';
import { prepareChannelEdit, prepareNewChannel } from '../services/alert/channel-preparation.ts';
import * as verbs from '../services/alert/channels.ts';
import { hurryChannel, retryDelivery as sendAgain } from '../services/alert/deliveries.ts';
import { sendTestMessage, type TestResult, testDraft } from '../services/alert/test-message.ts';
import type { Actor } from '../services/core/actor.ts';
import type { OperationDeps } from '../views/operation.ts';
import { CONFIRMATION_FIELDS, NEW_CHANNEL_FIELDS } from '../wire/api/channel-input.ts';
import { DRAFT_FIELDS } from '../wire/dashboard/channel-input.ts';
import { optional, uuidField } from '../wire/dashboard/input.ts';
import { projectAct, visitorAct } from './act.ts';

const { kind, name, settings, events, buttons, checks } = NEW_CHANNEL_FIELDS;
const CHANNEL = { channel: uuidField };

/** Asks the recipient of a saved channel whether messages are wanted. Answers why nobody was asked. */
async function ask(deps: OperationDeps, actor: Actor, saved: Channel): Promise<string | null> {
  const notAsked = await askUnconfirmedRecipient(deps, actor, saved, deps.channelTools.sendCode);
  return notAsked && deps.refusalText(notAsked);
}

export const createChannel = projectAct({
  permission: 'channels.edit',
  input: {
    ...{ kind, settings, name: optional(name) },
    ...{ events: optional(events), buttons: optional(buttons), checks: optional(checks) },
  },
  run: async (deps, { actor, input }) => {
    const { offer, prepareSettings } = deps.channelTools;
    const draft = { name: '', ...input };
    const given = await prepareNewChannel(deps, actor, draft, offer, prepareSettings);
    const made = await verbs.createChannel(deps, actor, { ...given, offer });
    return { id: made.uuid, health: healthOf(made), notAsked: await ask(deps, actor, made) };
  },
});

/** Absent fields stay as they are. */
export const editChannel = projectAct({
  permission: 'channels.edit',
  input: {
    ...CHANNEL,
    ...{ name: optional(name), settings: optional(settings) },
    ...{ events: optional(events), buttons: optional(buttons) },
  },
  run: async (deps, { actor, input: { channel, ...given } }) => {
    const { name: renamed, ...others } = given;
    if (Object.values(others).every((value) => value === undefined)) {
      if (renamed !== undefined) await verbs.renameChannel(deps, actor, channel, renamed);
      return { notAsked: null };
    }
    const { prepareSettings } = deps.channelTools;
    const edit = await prepareChannelEdit(deps, actor, channel, given, prepareSettings);
    return { notAsked: await ask(deps, actor, await verbs.editChannel(deps, actor, channel, edit)) };
  },
});

export const deleteChannel = projectAct({
  permission: 'channels.edit',
  input: CHANNEL,
  run: (deps, { actor, input }) => verbs.deleteChannel(deps, actor, input.channel),
});

export const switchChannelOn = projectAct({
  permission: 'channels.edit',
  input: CHANNEL,
  run: async (deps, { actor, input }) => {
    await ask(deps, actor, await verbs.switchChannelOn(deps, actor, input.channel));
  },
});

export const switchChannelOff = projectAct({
  permission: 'channels.edit',
  input: CHANNEL,
  run: async (deps, { actor, input }) => {
    await verbs.switchChannelOff(deps, actor, input.channel);
  },
});

/** Assigns the channel to these checks, and to no others. */
export const assignChecks = projectAct({
  permission: 'channels.edit',
  input: { ...CHANNEL, checks },
  run: async (deps, { actor, input }) => {
    const { added, removed } = await verbs.assignChecks(deps, actor, input.channel, input.checks);
    return { added: added.length, removed: removed.length };
  },
});

/** Sends the recipient another link or code. */
export const askRecipient = projectAct({
  permission: 'channels.edit',
  input: CHANNEL,
  run: async (deps, { actor, input }) => {
    await askForConfirmation(deps, actor, input.channel, deps.channelTools.sendCode);
  },
});

/** With the code that the recipient got. */
export const confirmChannel = projectAct({
  permission: 'channels.edit',
  input: { ...CHANNEL, ...CONFIRMATION_FIELDS },
  run: async (deps, { actor, input: { channel, code } }) => {
    await confirmByCode(deps, actor, channel, code);
  },
});

const linkToken: Field<string> = {
  read: (value, name) =>
    typeof value === 'string' && /^[-\w]{1,100}$/.test(value) ? value : new Fault(`${name} is not a token`),
  schema: {},
};

/** The link itself is the permission: recipients need no account. */
export const confirmRecipient = visitorAct({
  permission: null,
  input: { ...CHANNEL, token: linkToken },
  run: async (deps, { client, input: { channel, token } }) => {
    if (!(await verifyChannel(deps, channel, token, client.address))) throw new AppError('invalid_link');
  },
});

export const testChannel = projectAct({
  permission: 'channels.test',
  input: CHANNEL,
  run: async (deps, { actor, input }) =>
    resultOf(await sendTestMessage(deps, actor, input.channel, deps.channelTools.sendTest)),
});

/** Tries all alerts at once that wait for their next try. */
export const hurryAlerts = projectAct({
  permission: 'channels.test',
  input: CHANNEL,
  run: async (deps, { actor, input }) => ({ alerts: await hurryChannel(deps, actor, input.channel) }),
});

/** Tries settings before they are saved. */
export const testChannelDraft = projectAct({
  permission: 'channels.test',
  input: DRAFT_FIELDS,
  run: async (deps, { actor, input: { channel: uuid, ...draft } }) => {
    const { offer, sendTest } = deps.channelTools;
    return resultOf(await testDraft(deps, actor, { uuid, ...draft }, offer, sendTest));
  },
});

function resultOf({ error, off, exchange: { request, answer }, duration }: TestResult) {
  const seconds = duration / 1_000_000;
  return { ok: error === null, error: error ?? '', request, answer, seconds, isOff: off !== null };
}

/** Sends a message again that was given up. */
export const retryDelivery = projectAct({
  permission: 'channels.test',
  input: { ...CHANNEL, delivery: uuidField },
  run: (deps, { actor, input: { channel, delivery } }) => sendAgain(deps, actor, channel, delivery),
});
