import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../domain/channel.ts';
import { selectChannels } from '../../domain/channel-selection.ts';
import { type Check, type CheckConfig, DEFAULT_CONFIG } from '../../domain/check.ts';
import { editCheck } from '../../domain/check-edit.ts';
import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/project.ts';
import type { Writes } from '../../storage/store.ts';
import { claimCheckSlot, insertCheck } from '../checks.ts';
import type { Deps } from '../deps.ts';
import { type Change, chosen, created, type DeclaredCheck, ProvisionError, updated } from './declaration.ts';

/** Declared checks whose descriptions and all are in memory at the same time. */
const CHECKS_AT_ONCE = 100;

/** A project as it is before its checks are applied. */
interface Before {
  readonly project: Project;
  readonly channels: readonly Channel[];
  /** Ids of the channels that a file has declared. */
  readonly declaredChannels: ReadonlySet<number>;
  /** UUIDs of the channels of each check, sorted. */
  readonly assigned: ReadonlyMap<number, readonly string[]>;
  /** Ids of the checks that a file has declared, by slug. */
  readonly declaredChecks: ReadonlyMap<string, number>;
}

/** Writes only what differs, and reads nothing but the slugs of checks that the file does not declare. */
export async function applyChecks(
  deps: Deps,
  tx: Writes,
  project: Project,
  declared: readonly DeclaredCheck[],
): Promise<Change[]> {
  if (declared.length === 0) return [];
  const before: Before = {
    project,
    channels: await tx.channels.ofProject(project.id),
    declaredChannels: new Set((await tx.declarations.idsOf('channel', project.id)).values()),
    assigned: await tx.checks.channelsOfProject(project.id),
    declaredChecks: await tx.declarations.idsOf('check', project.id),
  };
  const bySlug = Map.groupBy(await tx.checks.outlinesOf(project.id), ({ slug }) => slug);
  const idOf = ({ slug }: DeclaredCheck) =>
    chosen(bySlug.get(slug) ?? [], before.declaredChecks.get(slug))?.id ?? 0;
  const changes: Change[] = [];
  for (let first = 0; first < declared.length; first += CHECKS_AT_ONCE) {
    const some = declared.slice(first, first + CHECKS_AT_ONCE);
    const found = new Map((await tx.checks.byIds(some.map(idOf))).map((check) => [check.id, check]));
    for (const one of some)
      changes.push(...(await applyCheck(deps, tx, before, one, found.get(idOf(one)) ?? null)));
  }
  return changes;
}

async function applyCheck(
  deps: Deps,
  tx: Writes,
  before: Before,
  declared: DeclaredCheck,
  existing: Check | null,
): Promise<Change[]> {
  const { project } = before;
  const label = `${project.name}/${declared.slug}`;
  const wanted = wantedChannels(declared, before);
  const fields = existing && (await saveEdit(tx, before, declared, existing, wanted));
  if (fields !== null) return updated('check', label, fields);
  const check = await addCheck(deps, tx, project, declared);
  if (wanted !== null) await assign(tx, check, wanted);
  await tx.declarations.declare('check', project.id, declared.slug, check.id);
  return [created('check', label)];
}

/** Which fields differ, and are saved; null where the check was deleted since it was read. */
async function saveEdit(
  tx: Writes,
  { project, assigned, declaredChecks }: Before,
  { slug, edit }: DeclaredCheck,
  check: Check,
  wanted: readonly Channel[] | null,
): Promise<string[] | null> {
  const fields = changedFields(check, editCheck(check, edit));
  const isReassigned = wanted !== null && !isDeepStrictEqual(assigned.get(check.id) ?? [], uuids(wanted));
  const isDeclared = declaredChecks.get(slug) === check.id;
  if (fields.length === 0 && !isReassigned && isDeclared) return [];
  // As it is now: a ping may have come since it was read, and the deadline follows from both.
  const held = await tx.checks.lock(check.id);
  if (held === null) return null;
  if (fields.length > 0) await tx.checks.saveConfig(editCheck(held, edit));
  if (isReassigned) await assign(tx, check, wanted);
  if (!isDeclared) await tx.declarations.declare('check', project.id, slug, check.id);
  return isReassigned ? [...fields, 'integrations'] : fields;
}

async function addCheck(deps: Deps, tx: Writes, project: Project, declared: DeclaredCheck): Promise<Check> {
  try {
    await claimCheckSlot(tx, project.id);
  } catch (error) {
    if (error instanceof AppError)
      throw new ProvisionError(declared.line, "the owner's check limit is reached");
    throw error;
  }
  return insertCheck(deps, tx, project.id, declared.edit);
}

function changedFields(before: Check, after: Check): string[] {
  // The keys of the defaults are those of a configuration.
  const fields = Object.keys(DEFAULT_CONFIG) as (keyof CheckConfig)[];
  return fields.filter((field) => after[field] !== before[field]);
}

/** By its name a check gets the channel that a file has declared, whatever else has that name. */
function wantedChannels(
  { line, channels: value }: DeclaredCheck,
  { channels, declaredChannels }: Before,
): Channel[] | null {
  if (value === undefined) return null;
  const isDeclared = ({ id }: Channel) => declaredChannels.has(id);
  const names = new Set(channels.filter(isDeclared).map(({ name }) => name));
  const isMeant = (channel: Channel) =>
    value === '*' || isDeclared(channel) || !names.has(channel.name) || value.includes(channel.uuid);
  try {
    return selectChannels(value, channels.filter(isMeant));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ProvisionError(line, error.message.replace('channel identifier', 'integration'));
  }
}

async function assign(tx: Writes, check: Check, channels: readonly Channel[]): Promise<void> {
  await tx.checks.setChannels(
    check.id,
    channels.map((channel) => channel.id),
  );
}

function uuids(channels: readonly Channel[]): string[] {
  return channels.map((channel) => channel.uuid).sort();
}
