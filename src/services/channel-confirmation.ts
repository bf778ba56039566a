import type { Channel } from '../domain/alert/channel.ts';
import { newMailTo } from '../domain/alert/mail.ts';
import { AppError } from '../domain/errors.ts';
import type { AccountDeps } from './accounts/deps.ts';
import { mailboxOf, requireMail } from './accounts/mailed-links.ts';
import { type Actor, ownChannel, requirePermission } from './actor.ts';
import { recordOnChannel } from './channel-acts.ts';
import { confirmationToken, confirmedBy } from './channel-links.ts';
import type { Deps } from './deps.ts';

/**
 * Mails the recipient a link by which they confirm that messages are wanted. Does nothing for a channel that needs no
 * confirmation. Refused when one project, or anybody, has sent too many.
 */
export async function askRecipient(deps: AccountDeps, actor: Actor, uuid: string): Promise<Channel> {
  requirePermission(actor, 'channels.edit');
  const channel = ownChannel(actor, await deps.store.channels.byUuid(uuid));
  const address = unconfirmedRecipient(deps, channel);
  if (address === null) return channel;
  requireMail(deps);
  await deps.attempts.take([
    { rule: 'confirmationsPerProject', subject: String(actor.projectId) },
    { rule: 'confirmationsPerMailbox', subject: mailboxOf(address.toLowerCase()) },
  ]);
  const subject = { kind: 'channel_confirmation', parameters: { channel: uuid } } as const;
  const mail = newMailTo({ accountId: null, address }, subject, deps.random.uuid(), deps.clock.now());
  await deps.store.transaction(async (tx) => {
    await tx.mails.insertMany([mail]);
    const details = { address };
    await recordOnChannel(deps, tx, actor.by, channel, { action: 'channel.confirmation_sent', details });
  });
  return channel;
}

/**
 * The same after something was saved. It is saved even if no mail can be sent any more: the channel stays unconfirmed, and
 * somebody can ask for another mail later.
 */
export async function askUnconfirmedRecipient(
  deps: AccountDeps,
  actor: Actor,
  channel: Channel,
): Promise<Channel> {
  requirePermission(actor, 'channels.edit');
  if (unconfirmedRecipient(deps, ownChannel(actor, channel)) === null) return channel;
  try {
    await askRecipient(deps, actor, channel.uuid);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  return channel;
}

/** Null if nobody has to confirm anything. */
function unconfirmedRecipient(deps: Pick<Deps, 'vault'>, channel: Channel): string | null {
  return channel.verified ? null : confirmedBy(deps, channel);
}

/** The content of the mail. */
export interface ConfirmationMailData {
  readonly kind: 'channel_confirmation';
  readonly channel: Pick<Channel, 'uuid'>;
  readonly project: { readonly name: string };
  readonly token: string;
}

/** Null if the channel is gone, confirmed, or has another recipient by now. */
export async function readConfirmation(
  deps: Pick<Deps, 'store' | 'vault'> & { readonly clock: Pick<Deps['clock'], 'now'> },
  uuid: string,
  address: string,
): Promise<ConfirmationMailData | null> {
  const channel = await deps.store.channels.byUuid(uuid);
  if (channel === null || unconfirmedRecipient(deps, channel) !== address) return null;
  const project = await deps.store.projects.byId(channel.projectId);
  if (project === null || project.deletesAt !== null) return null;
  const token = confirmationToken(deps, channel, address);
  return { kind: 'channel_confirmation', channel, project, token };
}
