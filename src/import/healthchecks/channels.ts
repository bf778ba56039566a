import type { Channel } from '../../domain/alert/channel.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import {
  type ChannelKind,
  isChannelKind,
  labelOf,
  readSettings,
  settingNames,
} from '../../integrations/registry.ts';
import { Fault } from '../../lib/fields.ts';
import type { Instant } from '../../lib/instant.ts';
import type { ImportedChannel } from '../../services/importing/import.ts';
import type { DeclaredChannel } from '../../services/provisioning/declaration.ts';
import type { RemarkList } from '../remarks.ts';
import { GONE_KINDS, type Settings, UnreadableValue, VALUES } from './channel-kinds.ts';
import { storableText } from './foreign-text.ts';
import type { ProjectFound } from './projects.ts';
import { everyColumn, type HealthchecksSource } from './source.ts';
import type { Row } from './tables.ts';

/** Characters of an error that are kept. */
const MAX_ERROR = 200;

export interface ChannelsFound {
  readonly imported: ReadonlyMap<string, ImportedChannel>;
  /** The UUIDs of carried ones, by their id in the source. */
  readonly uuids: ReadonlyMap<number, string>;
}

type Found = Row<'api_channel'> & { readonly id: number; readonly code: string };

/** Reads all integrations of the projects, and adds them to these. */
export async function readChannels(
  source: HealthchecksSource,
  projects: ReadonlyMap<number, ProjectFound>,
  now: Instant,
  remarks: RemarkList,
): Promise<ChannelsFound> {
  const imported = new Map<string, ImportedChannel>();
  const uuids = new Map<number, string>();
  const add = (project: ProjectFound, row: Found, read: () => Settings) => {
    const channel = channelOf(project, row, read, remarks);
    if (channel === null || imported.has(row.code)) return;
    project.channels.push(channel);
    uuids.set(row.id, row.code);
    imported.set(row.code, historyOf(row, { entry: entryOf(project, row), remarks, now }));
  };
  const groups: (readonly [ProjectFound, Found])[] = [];
  for await (const row of source.rows('api_channel', everyColumn('api_channel'))) {
    const project = projects.get(row.project_id ?? 0);
    const { id, code } = row;
    // It belongs to a project that does not come.
    if (project === undefined) continue;
    if (id === null || code === null) leave(project, row, remarks, 'its UUID cannot be read');
    else if (row.kind === 'group') groups.push([project, { ...row, id, code }]);
    else add(project, { ...row, id, code }, () => readValue(row.kind, row.value));
  }
  for (const [project, row] of groups) add(project, row, () => membersOf(project, row, remarks));
  return { imported, uuids };
}

function channelOf(
  project: ProjectFound,
  row: Found,
  read: () => Settings,
  remarks: RemarkList,
): DeclaredChannel | null {
  const { code, kind, email_verified } = row;
  const gone = Object.hasOwn(GONE_KINDS, kind) ? GONE_KINDS[kind] : undefined;
  if (gone !== undefined) return leave(project, row, remarks, gone.reason, gone.hint);
  if (!isChannelKind(kind) || (kind !== 'group' && !Object.hasOwn(VALUES, kind)))
    return leave(project, row, remarks, 'there is no such kind here', 'add another integration');
  const settings = settingsOf(kind, read);
  if (settings instanceof Fault) return leave(project, row, remarks, settings.reason, 'add it again by hand');
  const about = { entry: entryOf(project, row), remarks };
  return {
    line: 0,
    uuid: code,
    kind,
    name: storableText('name', row.name, TEXT_LIMITS.channelName, about),
    settings,
    verified: kind === 'email' ? email_verified : true,
  };
}

/** Returns the settings as our table of the kind reads them. */
function settingsOf(kind: ChannelKind, read: () => Settings): Settings | Fault {
  try {
    const given = read();
    const known = settingNames(kind).filter((name) => Object.hasOwn(given, name));
    return readSettings(kind, Object.fromEntries(known.map((name) => [name, given[name]])));
  } catch (error) {
    if (error instanceof UnreadableValue) return new Fault(error.message);
    throw error;
  }
}

function readValue(kind: string, value: string): Settings {
  return VALUES[kind]?.(value) ?? {};
}

/** The UUIDs of members that exist. */
function membersOf(project: ProjectFound, row: Found, remarks: RemarkList): Settings {
  const known = new Set(project.channels.filter(({ kind }) => kind !== 'group').map(({ uuid }) => uuid));
  const written = [...new Set(row.value.split(',').map((member) => member.trim().toLowerCase()))].filter(
    Boolean,
  );
  const channels = written.filter((member) => known.has(member));
  if (channels.length < written.length)
    remarks.change({
      entry: entryOf(project, row),
      field: 'channels',
      was: `${written.length} integrations`,
      became: `${channels.length} integrations`,
      reason: 'the others do not exist here',
    });
  return { channels };
}

function historyOf(
  row: Found,
  { now, ...about }: { readonly entry: string; readonly remarks: RemarkList; readonly now: Instant },
): ImportedChannel {
  const error = storableText('last_error', row.last_error, MAX_ERROR, about);
  const at = row.last_notify === null ? null : Math.min(row.last_notify, now);
  const lastAttempt: Channel['lastAttempt'] =
    at === null ? null : { startedAt: at, duration: Math.max(row.last_notify_duration ?? 0, 0), error };
  return { lastAttempt, off: row.disabled ? { reason: 'failed', error, at } : null };
}

function leave(
  { name: project }: ProjectFound,
  { kind, name }: Row<'api_channel'>,
  remarks: RemarkList,
  reason: string,
  hint: string | null = null,
): null {
  remarks.leaveOut({ what: 'integration', name: `${labelOf(kind)} ${name}`.trim(), project, reason, hint });
  return null;
}

function entryOf({ name: project }: ProjectFound, { kind, name, code }: Row<'api_channel'>): string {
  return `integration ${project}/${kind}/${name || code}`;
}
