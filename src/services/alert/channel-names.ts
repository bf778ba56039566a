import type { Channel } from '../../domain/alert/channel.ts';
import { labelOf, settingsOf, targetOf } from '../../integrations/registry.ts';
import { Fault } from '../../lib/fields.ts';
import type { Deps } from '../core/deps.ts';

type Named = Pick<Channel, 'kind' | 'name' | 'settings'>;

/** The channel's name, or its kind and its destination. An address of mail says it all. */
export function calledName(channel: Named, vault: Deps['vault']): string {
  return nameOrAddress(channel, vault) ?? `${labelOf(channel.kind)} ${targetIn(channel, vault)}`.trim();
}

/**
 * The channel's name for all readers of an alert, who need not be able to see the project. Phone numbers, topics and
 * hosts are hidden from them.
 */
export function publicName(channel: Named, vault: Deps['vault']): string {
  return nameOrAddress(channel, vault) ?? labelOf(channel.kind);
}

function nameOrAddress(channel: Named, vault: Deps['vault']): string | null {
  if (channel.name !== '') return channel.name;
  const address = channel.kind === 'email' ? targetIn(channel, vault) : '';
  return address === '' ? null : address;
}

function targetIn(channel: Named, vault: Deps['vault']): string {
  const settings = settingsOf(channel, vault);
  return settings instanceof Fault ? '' : targetOf(channel.kind, settings);
}
