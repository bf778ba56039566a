import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { type InstanceOffer, readSettings } from '../../integrations/registry.ts';
import { Fault } from '../../lib/fields.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { ImportedChannel } from '../../services/importing/import.ts';
import type { DeclaredChannel } from '../../services/provisioning/declaration.ts';
import type { RemarkList } from '../remarks.ts';
import { NotificationConfig } from './config.ts';
import type { Notification } from './database.ts';
import { KNOWN_TO_APPRISE, NOTIFICATION_TYPES, type Target } from './notification-types.ts';
import { AssumedServer } from './server.ts';

export interface KumaChannels {
  readonly declared: readonly (DeclaredChannel & { readonly uuid: string })[];
  readonly imported: ReadonlyMap<string, ImportedChannel>;
  /** The UUIDs of the integrations that each notification has become. */
  readonly ofNotification: ReadonlyMap<number, readonly string[]>;
  /** Settings of the server that it has not set, and that the source knows. */
  readonly settings: ReadonlyMap<string, string>;
}

interface ChannelOptions {
  readonly project: string;
  readonly instance: InstanceOffer;
  uuidOf(entry: string): string;
}

/** Makes integrations of notifications. What the field table of the kind refuses is left out. */
export function channelsOf(
  notifications: readonly Notification[],
  { project, instance, uuidOf }: ChannelOptions,
  remarks: RemarkList,
): KumaChannels {
  const server = new AssumedServer(instance);
  const declared: (DeclaredChannel & { readonly uuid: string })[] = [];
  const imported = new Map<string, ImportedChannel>();
  const ofNotification = new Map<number, string[]>();
  for (const notification of notifications) {
    const left = (reason: string, hint: string | null = null, what = 'integration') =>
      remarks.leaveOut({ what, name: notification.name, project, reason, hint });
    const targets = targetsOf(notification, server, left);
    const uuids: string[] = [];
    for (const { kind, settings: given, recipient, off, notes = [] } of targets) {
      const settings = readSettings(kind, given);
      if (settings instanceof Fault) {
        left(
          `${settings.reason}${recipient === undefined ? '' : `, of ${oneLine(firstCharacters(recipient, 60))}`}`,
        );
        continue;
      }
      // Neither a recipient more nor another kind changes the others.
      const uuid = uuidOf(`notification ${notification.id} ${kind} ${recipient ?? ''}`);
      uuids.push(uuid);
      const name = nameOf(notification, targets.length > 1 ? recipient : undefined);
      declared.push({ line: 0, uuid, kind, name, settings, verified: true });
      const entry = `integration ${project}/${kind}/${name}`;
      for (const note of notes) remarks.change({ entry, ...note });
      if (off === undefined) continue;
      imported.set(uuid, { lastAttempt: null, off: { reason: 'switched_off', error: off, at: null } });
      remarks.change({ entry, field: 'on', was: true, became: false, reason: off });
    }
    ofNotification.set(notification.id, uuids);
  }
  return { declared, imported, ofNotification, settings: server.assumed };
}

function nameOf({ name }: Notification, recipient: string | undefined): string {
  const text = oneLine(recipient === undefined ? name : `${name} (${recipient})`);
  return firstCharacters(text, TEXT_LIMITS.channelName);
}

function targetsOf(
  { config: json }: Notification,
  server: AssumedServer,
  left: (reason: string, hint?: string, what?: string) => void,
): readonly Target[] {
  const config = NotificationConfig.parse(json);
  if (config === null) {
    left('its settings are not the JSON of an object');
    return [];
  }
  const type = config.text('type');
  const mapping = Object.hasOwn(NOTIFICATION_TYPES, type) ? NOTIFICATION_TYPES[type] : undefined;
  if (mapping === undefined) {
    const isKnown = KNOWN_TO_APPRISE.some((known) => known.toLowerCase() === type.toLowerCase());
    const hint = 'Apprise knows the service: make an integration of the kind Apprise';
    left(
      `there is no kind for ${oneLine(firstCharacters(type, 40)) || 'it'} here`,
      isKnown ? hint : undefined,
    );
    return [];
  }
  const targets = mapping(config, server);
  if ('reason' in targets) {
    left(targets.reason);
    return [];
  }
  if (targets.length === 0) left('it has no recipient');
  const unread = config.unread().slice(0, MOST_NAMED);
  if (unread.length > 0)
    left(`there is no such setting here: ${unread.join(', ')}`, undefined, 'settings of an integration');
  return targets;
}

/** Settings that a remark names. */
const MOST_NAMED = 10;
