import type { Channel } from '../domain/channel.ts';
import type { Outcome } from '../domain/delivery.ts';
import { AppError } from '../domain/errors.ts';
import type { Project } from '../domain/project.ts';
import { type Actor, ownChannel, requirePermission } from './actor.ts';
import type { Deps } from './deps.ts';

/** Sends a test message through the channel, once. Null when the channel is told of no direction at all. */
export type SendTest = (channel: Channel, project: Project) => Promise<Outcome | null>;

/**
 * Null when the test message was taken, else why it was not. A channel that is switched off is tried, too, and
 * stays off; a failure for good switches it off, as that of any other message does.
 */
export async function sendTestMessage(
  deps: Deps,
  actor: Actor,
  channelUuid: string,
  send: SendTest,
): Promise<string | null> {
  requirePermission(actor, 'channels.test');
  const channel = ownChannel(actor, await deps.store.channels.byUuid(channelUuid));
  const project = await deps.store.projects.byId(channel.projectId);
  if (project === null) throw new AppError('channel_not_found');
  const startedAt = deps.clock.now();
  const outcome = await send(channel, project);
  if (outcome === null) return 'no-op';
  const error = 'error' in outcome ? outcome.error : null;
  const attempt = {
    startedAt,
    duration: Math.max(0, deps.clock.now() - startedAt),
    error: error ?? '',
  };
  const isPermanent = outcome.kind === 'permanent';
  await deps.store.transaction((tx) => tx.channels.noteAttempt(channel, attempt, isPermanent));
  return error;
}
