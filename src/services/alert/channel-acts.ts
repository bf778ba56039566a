import type { Channel } from '../../domain/alert/channel.ts';
import {
  type ActDetails,
  type ActedBy,
  changedNames,
  differences,
  logged,
} from '../../domain/people/audit.ts';
import { type ChannelKind, isChannelKind, maskedSettings, settingsOf } from '../../integrations/registry.ts';
import { Fault } from '../../lib/fields.ts';
import type { Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';

type ActDeps = Pick<Deps, 'clock' | 'vault'>;
type Settings = Readonly<Record<string, unknown>>;

/**
 * Records an act on the channel. Without details nothing has changed, and there is nothing to record. The program's own
 * changes are part of another act, and have no entry of their own.
 */
export async function recordOnChannel(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  by: ActedBy,
  { uuid, name, kind, projectId }: Pick<Channel, 'uuid' | 'name' | 'kind' | 'projectId'>,
  { action, details }: { readonly action: `channel.${string}`; readonly details: ActDetails | null },
): Promise<void> {
  if (details === null || by.means === 'program') return;
  const subject = { kind: 'channel', id: uuid, name: name || kind };
  await recordAct(deps, tx, by, { action, subject, projectId, details });
}

/** Everything about the channel that somebody has set. Secrets are masked. */
export function channelSettings(deps: ActDeps, channel: Channel): Settings {
  const { kind, name, verified } = channel;
  const settings = isChannelKind(kind) ? maskedSettings(kind, openSettings(deps, channel)) : {};
  return logged({ kind, name, verified, settings });
}

/** The changed values, before and after. A secret that changed is masked on both sides. Null if nothing changed. */
export function channelChanges(
  deps: ActDeps,
  before: Channel,
  after: Channel,
): { readonly before: Settings; readonly after: Settings } | null {
  const [was, is] = [openSettings(deps, before), openSettings(deps, after)];
  const names = changedNames(was, is);
  const changes = differences(stateOf(before), stateOf(after));
  if (names.length === 0 || !isChannelKind(after.kind)) return changes;
  const masked = (values: Settings, kind: ChannelKind) => ({
    settings: logged(maskedSettings(kind, values), names),
  });
  return {
    before: { ...changes?.before, ...masked(was, after.kind) },
    after: { ...changes?.after, ...masked(is, after.kind) },
  };
}

function stateOf({ name, verified, off }: Channel): Settings {
  return { name, verified, off: off?.reason ?? null };
}

/** Settings that cannot be unsealed count as not set. */
function openSettings({ vault }: ActDeps, channel: Channel): Settings {
  const values = settingsOf(channel, vault);
  return values instanceof Fault ? {} : values;
}
