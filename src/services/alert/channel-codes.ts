import type { Channel } from '../../domain/alert/channel.ts';
import {
  CONFIRMATION_CODE_LIFE,
  newConfirmationCode,
  plainDigits,
} from '../../domain/alert/confirmation-code.ts';
import type { Outcome } from '../../domain/alert/delivery.ts';
import { AppError } from '../../domain/errors.ts';
import { type Actor, ownChannel, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import type { AccountDeps } from '../people/deps.ts';
import { channelChanges, recordOnChannel } from './channel-acts.ts';
import { recipientIn } from './channel-links.ts';

/** Sends the code to the recipient of the channel, once. */
export type SendCode = (channel: Channel, code: string) => Promise<Outcome>;

const PURPOSE = 'code to confirm a recipient';
const DIGEST_LENGTH = 64;

/**
 * Sends a new code, in the place of an earlier one. The person who asks waits for it. How it went is noted like any other
 * attempt, since somebody may look later.
 */
export async function sendNewCode(
  deps: Deps,
  actor: Actor,
  channel: Channel,
  address: string,
  send: SendCode,
): Promise<void> {
  requirePermission(actor, 'channels.edit');
  ownChannel(actor, channel);
  const { store, clock, random, vault } = deps;
  const code = newConfirmationCode(random.bytes);
  const startedAt = clock.now();
  const digest = vault.sign(PURPOSE, subjectOf(channel, address, code), DIGEST_LENGTH);
  await store.transaction(async (tx) => {
    await tx.channels.keepCode(channel, { digest, expiresAt: startedAt + CONFIRMATION_CODE_LIFE });
    const act = { action: 'channel.confirmation_sent', details: { address } } as const;
    await recordOnChannel(deps, tx, actor.by, channel, act);
  });
  const outcome = await send(channel, code);
  const error = 'error' in outcome ? outcome.error : '';
  const attempt = { startedAt, duration: Math.max(0, clock.now() - startedAt), error };
  await store.transaction((tx) => tx.channels.noteAttempt(channel, attempt));
  if (error !== '') throw new AppError('code_not_sent', `The code could not be sent: ${error}`);
}

/** Confirms the channel with the code that its recipient got. */
export async function confirmChannel(
  deps: AccountDeps,
  actor: Actor,
  uuid: string,
  typed: string,
): Promise<Channel> {
  requirePermission(actor, 'channels.edit');
  const channel = ownChannel(actor, await deps.store.channels.byUuid(uuid));
  if (channel.verified) return channel;
  const kept = await deps.store.channels.keptCode(channel.id);
  if (kept === null) throw wrongCode();
  await deps.attempts.take([{ rule: 'triesPerConfirmationCode', subject: kept.digest }]);
  return deps.store.transaction(async (tx) => {
    const current = ownChannel(actor, await tx.channels.lock(channel.id));
    // Somebody may have entered another number meanwhile, or asked for another code.
    const recipient = recipientIn(deps, current);
    const stored = await tx.channels.keptCode(current.id);
    const isOpen = stored !== null && stored.digest === kept.digest && stored.expiresAt > deps.clock.now();
    if (!isOpen || recipient?.by !== 'code') throw wrongCode();
    const subject = subjectOf(current, recipient.address, plainDigits(typed));
    if (!deps.vault.isSigned(stored.digest, PURPOSE, subject, DIGEST_LENGTH)) throw wrongCode();
    const confirmed = { ...current, verified: true };
    await tx.channels.dropCode(current);
    await tx.channels.update(confirmed);
    const details = channelChanges(deps, current, confirmed);
    await recordOnChannel(deps, tx, actor.by, confirmed, { action: 'channel.verified', details });
    return confirmed;
  });
}

/** A code is worth nothing for another channel, nor after its recipient has changed. */
function subjectOf({ uuid }: Pick<Channel, 'uuid'>, address: string, code: string): string {
  return `${uuid} ${address} ${code}`;
}

function wrongCode(): AppError {
  return new AppError('invalid_field', 'code is wrong, or has expired', { field: 'code' });
}
