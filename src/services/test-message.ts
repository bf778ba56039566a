import type { Channel, SwitchedOff } from '../domain/channel.ts';
import type { Outcome } from '../domain/delivery.ts';
import { AppError } from '../domain/errors.ts';
import type { Project } from '../domain/project.ts';
import { type Actor, ownChannel, requirePermission } from './actor.ts';
import { recordOnChannel } from './channel-acts.ts';
import { switchOffFailed } from './channel-settings.ts';
import type { Deps } from './deps.ts';

/**
 * Sends a test message through the channel, once. Returns null when the channel is set to report neither up nor down.
 */
export type SendTest = (channel: Channel, project: Project) => Promise<Outcome | null>;

export interface TestResult {
  /** Why the message was not accepted; null when it was. */
  readonly error: string | null;
  /** Why the channel is off; null while it is on. Only tests reach a channel that is off. */
  readonly off: SwitchedOff | null;
}

/**
 * Also tries a channel that is switched off; it stays off. A permanent failure switches the channel off, as with any
 * other message.
 */
export async function sendTestMessage(
  deps: Deps,
  actor: Actor,
  channelUuid: string,
  send: SendTest,
): Promise<TestResult> {
  requirePermission(actor, 'channels.test');
  const channel = ownChannel(actor, await deps.store.channels.byUuid(channelUuid));
  const project = await deps.store.projects.byId(channel.projectId);
  if (project === null) throw new AppError('channel_not_found');
  const startedAt = deps.clock.now();
  const outcome = await send(channel, project);
  if (outcome === null) return { error: 'no-op', off: channel.off };
  const error = 'error' in outcome ? outcome.error : null;
  const attempt = {
    startedAt,
    duration: Math.max(0, deps.clock.now() - startedAt),
    error: error ?? '',
  };
  return deps.store.transaction(async (tx) => {
    await tx.channels.noteAttempt(channel, attempt);
    await recordOnChannel(deps, tx, actor.by, channel, { action: 'channel.tested', details: { error } });
    if (outcome.kind === 'permanent') await switchOffFailed(tx, channel, outcome.error, startedAt);
    return { error, off: (await tx.channels.byId(channel.id))?.off ?? null };
  });
}
