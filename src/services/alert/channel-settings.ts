import { isDeepStrictEqual } from 'node:util';
import type { Channel, StoredSettings } from '../../domain/alert/channel.ts';
import { isChannelKind, settingsOf, storedSettings } from '../../integrations/registry.ts';
import { Fault } from '../../lib/fields.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { switchOffAndTell } from './channel-trouble.ts';

/** Channels read at once, and the most that are written in one transaction. */
const PAGE = 100;

/**
 * Replaces some of the settings. Returns null when the settings cannot be unsealed, or when this version does not know
 * the kind and hence not its secrets.
 */
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

/** Switches off a channel whose destination takes no more messages, and tells the owner. */
export async function switchOffFailed(
  deps: Pick<Deps, 'random'>,
  tx: Writes,
  sentTo: Channel,
  error: string,
  at: Instant,
): Promise<void> {
  const channel = await lockUnchanged(tx, sentTo);
  if (channel !== null) await switchOffAndTell(deps, tx, channel, { reason: 'failed', error, at });
}

/**
 * Seals settings of a fallback secret again. Returns the number of changed channels. Each one to change is read again
 * under its lock, so several nodes can do this at once. A run that was interrupted can be repeated.
 */
export async function resealSettings({ store, vault }: Pick<Deps, 'store' | 'vault'>): Promise<number> {
  const resealed = ({ settings }: Channel): StoredSettings | null => {
    const sealed = settings.sealed && vault.reseal(settings.sealed);
    return sealed === null || sealed === settings.sealed ? null : { ...settings, sealed };
  };
  let count = 0;
  for (let page = await store.channels.page(0, PAGE); page.length > 0; ) {
    const found = page.filter((channel) => resealed(channel) !== null);
    if (found.length > 0) {
      count += await store.transaction(async (tx) => {
        let written = 0;
        for (const { id } of found) {
          const channel = await tx.channels.lock(id);
          const settings = channel && resealed(channel);
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
