import type { NewChannel } from '../../src/domain/alert/channel.ts';
import type { CheckEdit } from '../../src/domain/check/check-edit.ts';
import { storedSettings } from '../../src/integrations/registry.ts';
import type { Chance } from '../../src/lib/chance.ts';
import type { Instant } from '../../src/lib/instant.ts';
import { createVault } from '../../src/lib/vault.ts';

export const HOSTS = ['hooks.example', 'chat.example', 'pager.example', 'mail.example'] as const;

export const MAIL_HOST = 'mail.example';
const ZONES = [
  'UTC',
  'Europe/Riga',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Beirut',
  'Pacific/Apia',
];
const CRON = [
  '0 * * * *',
  '*/30 * * * *',
  '15 3 * * *',
  '30 1,2,3,4,5 * * *',
  '0 */6 * * *',
  '10 2 * * *',
  '0 9 * * 1-5',
];
const CALENDAR = ['hourly', 'daily', '*:0/30', '02:30', 'Mon..Fri 09:00', '00/4:15', '02:30\n14:30 UTC'];
const GRACES = [60, 300, 900, 3600];
const TIMEOUTS = [300, 900, 1800, 3600, 6 * 3600, 86_400];

/** A schedule of any kind, with its grace. */
export function anyTiming(chance: Chance): CheckEdit {
  const graceSeconds = chance.pick(GRACES);
  const tz = chance.pick(ZONES);
  switch (chance.pick(['simple', 'simple', 'cron', 'oncalendar'] as const)) {
    case 'simple':
      return { timeoutSeconds: chance.pick(TIMEOUTS), graceSeconds };
    case 'cron':
      return { schedule: { kind: 'cron', expression: chance.pick(CRON) }, tz, graceSeconds };
    case 'oncalendar':
      return { schedule: { kind: 'oncalendar', expression: chance.pick(CALENDAR) }, tz, graceSeconds };
  }
}

/** Shared by all nodes. */
export const SECRET = 'a secret for simulations only';

type Settings = Readonly<Record<string, unknown>>;

/** What people use. */
export interface Abilities {
  /** Policies, and buttons by which readers of messages answer. */
  readonly hasPolicies: boolean;
  /** Hours, parents, and messages that tell of several changes. */
  readonly hasSettings: boolean;
  /** Many checks go down at once. */
  readonly hasBreakdowns: boolean;
  /** Decides about groups. Null: there are none. */
  readonly groups: Chance | null;
}

/** Webhooks to three hosts, some to be told of one direction only, and mail. Perhaps groups of them. */
export function anyChannels(
  chance: Chance,
  projectId: number,
  createdAt: Instant,
  { hasPolicies, hasSettings, hasBreakdowns, groups }: Abilities,
): NewChannel[] {
  const vault = createVault(SECRET, chance.fork('vault'));
  const channels = HOSTS.flatMap((host) =>
    ['a', 'b'].map((name) => ({
      uuid: chance.uuid(),
      projectId,
      kind: host === MAIL_HOST ? 'email' : 'webhook',
      name: `${host}/${name}`,
      settings:
        host === MAIL_HOST
          ? storedSettings('email', mailSettings(name, hasSettings, hasBreakdowns), vault)
          : storedSettings('webhook', webhookSettings(chance, host, name, hasPolicies), vault),
      verified: true,
      off: null,
      createdAt,
    })),
  );
  if (groups === null) return channels;
  const made = ['a', 'b'].map((name) => ({
    uuid: groups.uuid(),
    projectId,
    kind: 'group',
    name: `groups/${name}`,
    settings: storedSettings('group', { channels: anyMembers(groups, channels) }, vault),
    verified: true,
    off: null,
    createdAt,
  }));
  return [...channels, ...made];
}

/** The UUIDs of members of a group: at least one, and none a group. */
export function anyMembers(
  groups: Chance,
  channels: readonly { readonly uuid: string; readonly kind: string }[],
): string[] {
  const uuids = channels.flatMap(({ uuid, kind }) => (kind === 'group' ? [] : [uuid]));
  return [...new Set([groups.pick(uuids), ...groups.some(uuids, 0.25)])];
}

/** The host that the channel's messages go to. */
export function hostOf(channelName: string): string {
  return channelName.split('/')[0] ?? '';
}

function mailSettings(name: string, hasSettings: boolean, hasBreakdowns: boolean): Settings {
  const email = `${name}@${MAIL_HOST}`;
  if (hasSettings && name === 'a') return { email, together_above: 2, together_seconds: 30 };
  return hasBreakdowns ? { email, together_above: 3, together_seconds: 300 } : { email };
}

function webhookSettings(chance: Chance, host: string, name: string, haveButtons: boolean): Settings {
  const body = haveButtons ? '$CODE $STATUS $ACK_URL $SNOOZE_URL' : '$CODE $STATUS';
  const call = { method: 'POST', url: `https://${host}/${name}`, headers: {}, body };
  const settings = { down: call, up: chance.happens(0.8) ? call : null };
  return haveButtons ? { ...settings, buttons: 'pause' } : settings;
}
