import type { Channel } from '../../domain/alert/channel.ts';
import { newMailTo } from '../../domain/alert/mail.ts';
import { AppError } from '../../domain/errors.ts';
import { mailboxOf } from '../../domain/people/mailbox.ts';
import type { Recipient } from '../../integrations/registry.ts';
import type { ChannelConfirmation } from '../../wire/mail/channel-confirmation-mail.ts';
import { type Actor, ownChannel, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import type { AccountDeps } from '../people/deps.ts';
import { requireMail } from '../people/mailed-links.ts';
import { recordOnChannel } from './channel-acts.ts';
import { type SendCode, sendNewCode } from './channel-codes.ts';
import { confirmationToken, recipientIn } from './channel-links.ts';

/**
 * Sends the recipient a link or a code by which they confirm that messages are wanted. Does nothing for a channel that
 * needs no confirmation. Refused when one account, or anybody, has sent too many.
 */
export async function askRecipient(
  deps: AccountDeps,
  actor: Actor,
  uuid: string,
  sendCode: SendCode,
): Promise<Channel> {
  requirePermission(actor, 'channels.edit');
  const channel = ownChannel(actor, await deps.store.channels.byUuid(uuid));
  const recipient = unconfirmedRecipient(deps, channel);
  const project = await deps.store.projects.byId(channel.projectId);
  if (recipient === null || project === null) return channel;
  const { by, address } = recipient;
  if (by === 'link') requireMail(deps);
  await deps.attempts.take([
    { rule: 'confirmationsPerOwner', subject: String(project.ownerId) },
    {
      rule: 'confirmationsPerRecipient',
      subject: by === 'link' ? mailboxOf(address) : address,
    },
  ]);
  if (by === 'link') await sendLink(deps, actor, channel, address);
  else await sendNewCode(deps, actor, channel, address, sendCode);
  return channel;
}

async function sendLink(deps: AccountDeps, actor: Actor, channel: Channel, address: string): Promise<void> {
  const subject = { kind: 'channel_confirmation', parameters: { channel: channel.uuid } } as const;
  const mail = newMailTo({ accountId: null, address }, subject, deps.random.uuid(), deps.clock.now());
  await deps.store.transaction(async (tx) => {
    await tx.mails.insertMany([mail]);
    const details = { address };
    await recordOnChannel(deps, tx, actor.by, channel, { action: 'channel.confirmation_sent', details });
  });
}

/**
 * Asks the recipient after a change was saved. It stays saved even if nothing can be sent any more: the channel stays
 * unconfirmed, and somebody can ask for another mail or code later. Returns why nothing was sent, or null.
 */
export async function askUnconfirmedRecipient(
  deps: AccountDeps,
  actor: Actor,
  channel: Channel,
  sendCode: SendCode,
): Promise<AppError | null> {
  requirePermission(actor, 'channels.edit');
  if (unconfirmedRecipient(deps, ownChannel(actor, channel)) === null) return null;
  try {
    await askRecipient(deps, actor, channel.uuid, sendCode);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Null if nobody has to confirm anything. */
function unconfirmedRecipient(deps: Pick<Deps, 'vault'>, channel: Channel): Recipient | null {
  return channel.verified ? null : recipientIn(deps, channel);
}

/** The content of the mail. */
export interface ConfirmationMailData extends Pick<ChannelConfirmation, 'channel' | 'project' | 'token'> {
  readonly kind: 'channel_confirmation';
}

/** Null if the channel is gone, confirmed, or has another recipient by now. */
export async function readConfirmation(
  deps: Pick<Deps, 'store' | 'vault'> & { readonly clock: Pick<Deps['clock'], 'now'> },
  uuid: string,
  address: string,
): Promise<ConfirmationMailData | null> {
  const channel = await deps.store.channels.byUuid(uuid);
  if (channel === null || unconfirmedRecipient(deps, channel)?.address !== address) return null;
  const project = await deps.store.projects.byId(channel.projectId);
  if (project === null || project.deletesAt !== null) return null;
  const token = confirmationToken(deps, channel, address);
  return { kind: 'channel_confirmation', channel, project, token };
}
