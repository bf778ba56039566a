import type { Channel } from '../../domain/alert/channel.ts';
import { isChannelKind, type Recipient, recipientOf, settingsOf } from '../../integrations/registry.ts';
import { Fault } from '../../lib/fields.ts';
import { seconds } from '../../lib/instant.ts';
import type { Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { channelChanges, recordOnChannel } from './channel-acts.ts';
import { isTimedToken, type Signed, timedToken } from './timed-token.ts';

// Links in mails. The link itself is the permission: recipients need no account.

const UNSUBSCRIBE = 'unsubscribe';
const CONFIRM = 'confirm';
const SIGNATURE_LENGTH = 32;
/** A confirmation link expires after this time. */
const CONFIRMATION_SPAN = seconds(7 * 86_400);

/** Lets a recipient switch the channel off. Nobody else can make it up. */
export function unsubscribeToken({ vault }: Pick<Deps, 'vault'>, { uuid }: Pick<Channel, 'uuid'>): string {
  return vault.sign(UNSUBSCRIBE, uuid, SIGNATURE_LENGTH);
}

/** Returns the channel of the link, or null when the link is wrong. Only mails have such a link. */
export async function findByUnsubscribeLink(
  deps: Deps,
  uuid: string,
  token: string,
): Promise<Channel | null> {
  if (!deps.vault.isSigned(token, UNSUBSCRIBE, uuid, SIGNATURE_LENGTH)) return null;
  const channel = await deps.store.channels.byUuid(uuid);
  return channel?.kind === 'email' ? channel : null;
}

/** Replaces any other reason why the channel is off: before it is switched on, the recipient has to be asked again. */
export async function unsubscribe(
  deps: Deps,
  { id }: Channel,
  remoteAddr: string | null = null,
): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const channel = await tx.channels.lock(id);
    if (channel === null || channel.off?.reason === 'unsubscribed') return;
    const off = { reason: 'unsubscribed', error: '', at: deps.clock.now() } as const;
    await saveByLink(deps, tx, channel, { ...channel, off }, { action: 'channel.unsubscribed', remoteAddr });
  });
}

/** Saves the wish of a recipient. The log names them by their address, since they need no account. */
async function saveByLink(
  deps: Deps,
  tx: Writes,
  before: Channel,
  after: Channel,
  { action, remoteAddr }: { readonly action: `channel.${string}`; readonly remoteAddr: string | null },
): Promise<void> {
  await tx.channels.update(after);
  const name = recipientIn(deps, before)?.address ?? before.name;
  const by = { accountId: null, name, means: 'link', remoteAddr } as const;
  await recordOnChannel(deps, tx, by, after, { action, details: channelChanges(deps, before, after) });
}

/**
 * Lets the recipient confirm the address. The token works for a week, and only while the channel keeps this address.
 */
export function confirmationToken(
  { clock, vault }: Pick<Deps, 'vault'> & { readonly clock: Pick<Deps['clock'], 'now'> },
  { uuid }: Pick<Channel, 'uuid'>,
  recipient: string,
): string {
  return timedToken(vault, confirmed(uuid, recipient), clock.now());
}

/** Marks the address as confirmed. Returns false and changes nothing when the link is wrong or expired. */
export async function verifyChannel(
  deps: Deps,
  uuid: string,
  token: string,
  remoteAddr: string | null = null,
): Promise<boolean> {
  return deps.store.transaction(async (tx) => {
    const found = await tx.channels.byUuid(uuid);
    const channel = found && (await tx.channels.lock(found.id));
    if (channel === null || !isConfirmation(deps, channel, token)) return false;
    const verified = { ...channel, verified: true };
    await saveByLink(deps, tx, channel, verified, { action: 'channel.verified', remoteAddr });
    return true;
  });
}

function isConfirmation({ clock, vault }: Deps, channel: Channel, token: string): boolean {
  const recipient = recipientIn({ vault }, channel);
  if (recipient?.by !== 'link') return false;
  const rule = { now: clock.now(), span: CONFIRMATION_SPAN };
  return isTimedToken(vault, token, confirmed(channel.uuid, recipient.address), rule);
}

/** The recipient who has to confirm; null when the kind needs no confirmation. */
export function recipientIn({ vault }: Pick<Deps, 'vault'>, channel: Channel): Recipient | null {
  const values = settingsOf(channel, vault);
  if (values instanceof Fault || !isChannelKind(channel.kind)) return null;
  return recipientOf(channel.kind, values);
}

function confirmed(uuid: string, recipient: string): Signed {
  return { purpose: CONFIRM, subject: (time) => `${uuid} ${time} ${recipient}` };
}
