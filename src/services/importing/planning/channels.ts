import type { Channel } from '../../../domain/alert/channel.ts';
import { settingsOf } from '../../../integrations/registry.ts';
import { Fault } from '../../../lib/fields.ts';
import type { Deps } from '../../core/deps.ts';
import type { DeclaredChannel, DeclaredProject } from '../../provisioning/declaration.ts';
import type { ImportedChannel } from '../import.ts';
import { type Fields, fieldsOf, type Merged, merge } from './fields.ts';
import { asNew, differs, keepFields, type PlannedEntry, type Planning, staysDeleted } from './planning.ts';

export interface PlannedChannel extends PlannedEntry {
  readonly off: ImportedChannel['off'];
  readonly lastAttempt: ImportedChannel['lastAttempt'];
  /** Whether it is switched on or off again, as it is in the source by now. */
  readonly isSwitched: boolean;
}

/** `projectId` is undefined if the project is new. */
export async function planChannels(
  planning: Planning,
  project: DeclaredProject,
  projectId: number | undefined,
): Promise<{ declared: DeclaredChannel[]; channels: PlannedChannel[] }> {
  const { deps, tx, source, earlier, options } = planning;
  const declared: DeclaredChannel[] = [];
  const channels: PlannedChannel[] = [];
  const isThere = (uuid: string) => options.isAgain || earlier.find('channel', uuid)?.home !== null;
  for (const given of project.channels) {
    const { uuid = '' } = given;
    const label = `integration ${project.name}/${given.kind}/${given.name || uuid}`;
    const known = earlier.find('channel', uuid);
    if (staysDeleted(planning, known, label)) continue;
    const channel = given.kind === 'group' ? withMembers(given, isThere) : given;
    const here = await tx.channels.byUuid(uuid);
    if (here !== null && here.projectId !== projectId) {
      planning.reasons.push(`the UUID of the ${label} belongs to an integration of another project`);
      continue;
    }
    const written = known?.fields ?? {};
    const imported = source.channels.get(uuid);
    const off = options.isSilent ? silence(planning) : (imported?.off ?? null);
    const there = fieldsOf(deps, channelValues(channel, off));
    const merged = here === null ? asNew(there) : merge(written, fieldsHere(deps, here), there);
    keepFields(planning, label, merged.kept);
    channels.push({
      entry: uuid,
      isNew: here === null,
      fields: merged.fields,
      isNoted: differs(written, merged.fields),
      off,
      lastAttempt: here === null ? (imported?.lastAttempt ?? null) : null,
      isSwitched: here !== null && merged.taken.has('off'),
    });
    if (here === null) declared.push(channel);
    else if (['name', 'settings', 'verified'].some((field) => merged.taken.has(field)))
      declared.push(partOfChannel(deps, channel, here, merged));
  }
  return { declared, channels };
}

function silence({ now }: Planning): ImportedChannel['off'] {
  return { reason: 'switched_off', error: 'Imported with --alerts off', at: now };
}

function fieldsHere(deps: Deps, channel: Channel): Fields {
  const settings = settingsOf(channel, deps.vault);
  return fieldsOf(deps, channelValues({ ...channel, settings }, channel.off));
}

function channelValues(
  {
    name,
    settings,
    verified,
  }: { readonly name: string; readonly settings: unknown; readonly verified: boolean },
  off: ImportedChannel['off'],
): Readonly<Record<string, unknown>> {
  return { name, settings, verified, off: off === null ? undefined : true };
}

/** A group without the members that are gone. */
function withMembers(group: DeclaredChannel, isThere: (uuid: string) => boolean): DeclaredChannel {
  const { channels } = group.settings;
  if (!Array.isArray(channels)) return group;
  return { ...group, settings: { ...group.settings, channels: channels.filter(isThere) } };
}

/** The channel as it is here, with the fields that are taken from the source. */
function partOfChannel(
  { vault }: Pick<Deps, 'vault'>,
  there: DeclaredChannel,
  here: Channel,
  { taken }: Merged,
): DeclaredChannel {
  const settings = settingsOf(here, vault);
  const isReadable = !(settings instanceof Fault);
  return {
    ...there,
    name: taken.has('name') ? there.name : here.name,
    settings: taken.has('settings') || !isReadable ? there.settings : settings,
    verified: taken.has('verified') ? there.verified : here.verified,
  };
}
