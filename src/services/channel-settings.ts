import { isDeepStrictEqual } from 'node:util';
import type { Channel, StoredSettings } from '../domain/channel.ts';
import { isChannelKind, sealedSettings, settingsOf, storedSettings } from '../integrations/registry.ts';
import { Fault } from '../lib/fields.ts';
import type { Instant } from '../lib/instant.ts';
import type { Writes } from '../storage/store.ts';
import type { Deps } from './deps.ts';

type Sealing = Pick<Deps, 'store' | 'vault'>;

/** Channels that are read at once, and at most so many are written in a transaction. */
const PAGE = 100;

/** The settings with some of them replaced; null where they cannot be read, or nobody here knows which are secret. */
export function reconfigured(
  { vault }: Pick<Deps, 'vault'>,
  channel: Pick<Channel, 'kind' | 'settings'>,
  changed: Readonly<Record<string, unknown>>,
): StoredSettings | null {
  const values = settingsOf(channel, vault);
  if (values instanceof Fault || !isChannelKind(channel.kind)) return null;
  return storedSettings(channel.kind, { ...values, ...changed }, vault);
}

/**
 * The channel, locked; null where its settings were replaced since it was read. A destination's verdict is on the settings
 * that the message was sent with, and says nothing about others.
 */
export async function lockUnchanged(tx: Writes, { id, settings }: Channel): Promise<Channel | null> {
  const channel = await tx.channels.lock(id);
  return channel !== null && isDeepStrictEqual(channel.settings, settings) ? channel : null;
}

/** Switches off a channel whose destination takes no more messages. */
export async function switchOffFailed(
  tx: Writes,
  sentTo: Channel,
  error: string,
  at: Instant,
): Promise<void> {
  const channel = await lockUnchanged(tx, sentTo);
  if (channel !== null) await tx.channels.switchOff(channel, { reason: 'failed', error, at });
}

/** Seals the secrets that older programs have stored in the clear; says in how many channels. */
export async function sealStoredSettings(deps: Sealing): Promise<number> {
  return rewriteSettings(deps, (channel) => sealedSettings(channel, deps.vault));
}

/** Seals anew what was sealed under a fallback of the secret key; says in how many channels. */
export async function resealSettings(deps: Sealing): Promise<number> {
  return rewriteSettings(deps, ({ settings }) => {
    const sealed = settings.sealed && deps.vault.reseal(settings.sealed);
    return sealed === null || sealed === settings.sealed ? null : { ...settings, sealed };
  });
}

/**
 * Goes through all channels. What is to be changed is looked at again under its lock, so that several nodes can do it at
 * once, and whoever is stopped begins anew.
 */
async function rewriteSettings(
  { store }: Sealing,
  change: (channel: Channel) => StoredSettings | null,
): Promise<number> {
  let count = 0;
  for (let page = await store.channels.page(0, PAGE); page.length > 0; ) {
    const found = page.filter((channel) => change(channel) !== null);
    if (found.length > 0) {
      count += await store.transaction(async (tx) => {
        let written = 0;
        for (const { id } of found) {
          const channel = await tx.channels.lock(id);
          const settings = channel && change(channel);
          if (channel === null || settings === null) continue;
          await tx.channels.setSettings(channel, settings);
          written++;
        }
        return written;
      });
    }
    page = await store.channels.page(page.at(-1)?.id ?? 0, PAGE);
  }
  return count;
}
