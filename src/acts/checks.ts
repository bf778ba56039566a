import { nameToType } from '../domain/check/check-deletion.ts';
import { AppError } from '../domain/errors.ts';
import { flag, oneOf, text } from '../lib/fields.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { getChannel } from '../services/alert/channels.ts';
import { hurryDelivery } from '../services/alert/deliveries.ts';
import { findById } from '../services/check/checks.ts';
import { acceptTiming as acceptTimingOf, followJob as followJobAgain } from '../services/check/origins.ts';
import { enterProject } from '../services/people/own-projects.ts';
import { pingByHand } from '../services/ping/pings.ts';
import { optional, uuidField } from '../wire/dashboard/input.ts';
import { checkAct } from './act.ts';
import { MAX_HAND_BODY } from './limits.ts';

const simpleAct = (verb: 'pause' | 'undo_pause' | 'resume_expecting' | 'clear') =>
  checkAct({
    permission: 'checks.edit',
    run: async ({ checkWriter }, { actor, checkId }) => {
      await checkWriter.perform({ verb, actor, id: checkId });
    },
  });

export const pauseCheck = simpleAct('pause');
export const undoPause = simpleAct('undo_pause');
export const resumeCheck = simpleAct('resume_expecting');
/** Forgets all events of the check. */
export const clearCheck = simpleAct('clear');

/** Gives the check another UUID. Pings to the old address are not accepted any more. */
export const replaceAddress = checkAct({
  permission: 'checks.edit',
  run: async ({ checkWriter }, { actor, checkId }) => {
    const { check } = await checkWriter.perform({ verb: 'replace_address', actor, id: checkId });
    return { uuid: check.uuid };
  },
});

export const copyCheck = checkAct({
  permission: 'checks.edit',
  /** Without a target the copy is in the same project. */
  input: { target: optional(uuidField) },
  run: async (deps, { actor, checkId, person, input }) => {
    const target = input.target === undefined ? actor : await enterProject(deps, person, input.target);
    const { check } = await deps.checkWriter.perform({ verb: 'copy', actor, id: checkId, target });
    return { uuid: check.uuid, name: check.name };
  },
});

export const moveCheck = checkAct({
  permission: 'checks.edit',
  input: { target: uuidField },
  run: async (deps, { actor, checkId, person, input }) => {
    const target = await enterProject(deps, person, input.target);
    await deps.checkWriter.perform({ verb: 'move', actor, id: checkId, target });
  },
});

export const deleteCheck = checkAct({
  permission: 'checks.edit',
  /** The name of the check, if somebody has typed it. */
  input: { typedName: optional(text()) },
  run: async (deps, { actor, checkId: id, input: { typedName } }) => {
    const assurance = typedName === undefined ? null : { typedName };
    try {
      await deps.checkWriter.perform({ verb: 'remove', actor, id, assurance });
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'name_required')) throw error;
      // The page asks for the name, and says why.
      const found = await findById(deps, actor, id);
      const details = { name: nameToType(found), lastPing: toIsoSeconds(found.lastReceivedAt) };
      throw new AppError(error.code, error.message, { details });
    }
  },
});

/** A ping that somebody sends from a page. Without anything it is a success. */
export const pingCheck = checkAct({
  permission: 'checks.view_addresses',
  input: {
    signal: optional(oneOf(['success', 'fail', 'start', 'log'], 'What the ping means.')),
    body: optional(text({ maxLength: MAX_HAND_BODY })),
  },
  run: async (deps, { actor, checkId, client, input: { signal = 'success', body = '' } }) => {
    const scheme = new URL(deps.site.root).protocol.replace(':', '');
    const sender = { scheme, remoteAddr: client.address };
    const kept = new TextEncoder().encode(body).subarray(0, deps.pingBodyLimit ?? undefined);
    const said = { signal, body: body === '' ? null : kept };
    await pingByHand(deps, actor, checkId, sender, said, deps.pings);
  },
});

/** Tells an integration of the check, or no longer. */
export const assignChannel = checkAct({
  permission: 'checks.edit',
  input: { channel: uuidField, isAssigned: flag('Whether the integration is told of the check.') },
  run: async (deps, { actor, checkId: id, input }) => {
    const { channel } = await getChannel(deps, actor, input.channel);
    const [addChannels, removeChannels] = input.isAssigned ? [[channel.uuid], []] : [[], [channel.uuid]];
    const adjustment = { addTags: [], removeTags: [], addChannels, removeChannels };
    await deps.checkWriter.perform({ verb: 'adjust', actor, id, input: adjustment });
  },
});

/** Tells an integration of each success of the check, or no longer. */
export const tellSuccesses = checkAct({
  permission: 'checks.edit',
  input: { channel: uuidField, isTold: flag('Whether the integration is told of each success.') },
  run: async (deps, { actor, checkId: id, input }) => {
    const { channel } = await getChannel(deps, actor, input.channel);
    const [addDone, removeDone] = input.isTold ? [[channel.uuid], []] : [[], [channel.uuid]];
    const none = { addTags: [], removeTags: [], addChannels: [], removeChannels: [] };
    await deps.checkWriter.perform({ verb: 'adjust', actor, id, input: { ...none, addDone, removeDone } });
  },
});

/** Lets the job set what somebody has set since. */
export const followJob = checkAct({
  permission: 'checks.edit',
  run: (deps, { actor, checkId }) => followJobAgain(deps, actor, checkId),
});

/** Silences what pings say about the timing, until it changes. */
export const acceptTiming = checkAct({
  permission: 'checks.edit',
  run: (deps, { actor, checkId }) => acceptTimingOf(deps, actor, checkId),
});

/** Tries a message at once that waits for its next try. */
export const hurryMessage = checkAct({
  permission: 'channels.test',
  input: { delivery: uuidField },
  run: (deps, { actor, checkId, input }) => hurryDelivery(deps, actor, checkId, input.delivery),
});
