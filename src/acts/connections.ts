/** Integrations that people set up at their provider. */
import { AppError } from '../domain/errors.ts';
import { labelOf } from '../integrations/registry.ts';
import { text } from '../lib/fields.ts';
import * as verbs from '../services/alert/channel-connections.ts';
import { openInvitation } from '../services/alert/channel-invitations.ts';
import type { OperationDeps } from '../views/operation.ts';
import { NEW_CHANNEL_FIELDS } from '../wire/api/channel-input.ts';
import { personAct, projectAct } from './act.ts';

function toolsOf({ site: { root }, channelTools: { offer, askProvider } }: OperationDeps) {
  return { offer, root, http: askProvider };
}

/** Answers with the page of the provider to which the person goes. */
export const beginConnection = projectAct({
  permission: 'channels.edit',
  input: { kind: NEW_CHANNEL_FIELDS.kind },
  run: async (deps, { actor, signedIn, input: { kind } }) => ({
    address: await verbs.beginConnection(deps, actor, signedIn.session, kind, toolsOf(deps)),
  }),
});

/** A browser has come back from the provider with this answer. */
export const finishConnection = personAct({
  permission: 'projects.view',
  input: {
    /** The path after `/integrations/` in the address. */
    path: text({ maxLength: 50 }),
    /** The query and the fragment of the address, as a query. */
    answer: text({ maxLength: 16_000 }),
  },
  run: async (deps, { signedIn, log, input: { path, answer } }) => {
    try {
      const brought = new URLSearchParams(answer);
      return connected(await verbs.finishConnection(deps, signedIn, path, brought, toolsOf(deps)));
    } catch (error) {
      // For the operator: an app that is registered wrongly fails for everybody.
      if (error instanceof AppError && error.code === 'connection_failed')
        log.warn({ event: 'connection.failed', path, reason: error.message });
      throw error;
    }
  },
});

/** A destination has invited the service, such as a group in Telegram. */
export const openChannelInvitation = personAct({
  permission: 'projects.view',
  input: { invitation: text({ maxLength: 2_000 }) },
  run: async (deps, { signedIn, input }) => connected(await openInvitation(deps, signedIn, input.invitation)),
});

/** One of the choices that came with an earlier answer. */
export const chooseDestination = personAct({
  permission: 'projects.view',
  input: { choice: text({ maxLength: 10_000 }) },
  run: async (deps, { signedIn, input }) =>
    connected(await verbs.chooseConnectable(deps, signedIn, input.choice, toolsOf(deps))),
});

function connected(made: verbs.Connected) {
  const label = labelOf(made.kind);
  const choices = 'choices' in made ? made.choices : [];
  const channels = 'channels' in made ? made.channels : [];
  return {
    /** The UUID of the project to which something was added. */
    project: 'project' in made ? made.project : null,
    kind: made.kind,
    /** The name of the kind. */
    label,
    /** The names of the integrations that were added. */
    added: channels.map(({ name }) => name || label),
    /** The name of the destination, if the choices are projects. Null if they are destinations. */
    destination: 'destination' in made ? made.destination : null,
    /** The choices of the person. `choice` is sent back, and `group` is its container, such as a board. */
    choices: choices.map(({ name, group, sealed }) => ({ name, group, choice: sealed })),
    /** The page of the provider to which the person goes once more. Null if there is none. */
    address: 'address' in made ? made.address : null,
  };
}
