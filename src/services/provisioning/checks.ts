import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../domain/alert/channel.ts';
import { selectChannels } from '../../domain/alert/channel-selection.ts';
import type { OwnedRow } from '../../domain/change.ts';
import type { Check } from '../../domain/check/check.ts';
import { isFromFuture } from '../../domain/check/check-arrival.ts';
import { editCheck } from '../../domain/check/check-edit.ts';
import { SETTING_NAMES } from '../../domain/check/settings.ts';
import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/people/project.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import type { Writes } from '../../storage/store.ts';
import { changedSettings, recordOnCheck } from '../check/check-acts.ts';
import { addCheck, claimCheckSlot } from '../check/checks.ts';
import type { Actor } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { fileActor } from './acts.ts';
import {
  type Change,
  chosen,
  created,
  type DeclaredCheck,
  type FieldChange,
  identityOf,
  ProvisionError,
  updated,
} from './declaration.ts';

/** Declared checks read at once, with their descriptions. */
const CHECKS_AT_ONCE = 100;

/** The project before its checks are applied. */
interface Before {
  readonly channels: readonly Channel[];
  /** Ids of the channels that were declared by a file. */
  readonly declaredChannels: ReadonlySet<number>;
  /** UUIDs of the channels of each check, sorted. */
  readonly assigned: ReadonlyMap<number, readonly string[]>;
  /** Ids of the checks that were declared by a file, by their identity. */
  readonly declaredChecks: ReadonlyMap<string, number>;
}

/** A declared check that has to be created or changed. */
interface PlannedCheck {
  readonly declared: DeclaredCheck;
  /** The existing check; null when it has to be created. */
  readonly id: number | null;
  /** The check that was declared under this identity before. */
  readonly formerId: number | undefined;
  readonly isEdited: boolean;
  readonly isReassigned: boolean;
  readonly assigned: readonly Channel[];
  /** The channels to assign; null keeps the assignment. */
  readonly wanted: readonly Channel[] | null;
}

/** The checks of a project that have to be created or changed. */
export interface ChecksPlan {
  readonly project: Project;
  readonly checks: readonly PlannedCheck[];
}

/** Compares without locks. Reads only the names of checks that the file does not declare. */
export async function planChecks(
  tx: Writes,
  project: Project,
  declared: readonly DeclaredCheck[],
): Promise<ChecksPlan> {
  if (declared.length === 0) return { project, checks: [] };
  const before: Before = {
    channels: await tx.channels.ofProject(project.id),
    declaredChannels: new Set((await tx.declarations.idsOf('channel', project.id)).values()),
    assigned: await tx.checks.channelsOfProject(project.id),
    declaredChecks: await tx.declarations.idsOf('check', project.id),
  };
  const known = await tx.checks.namesOfProject(project.id);
  const bySlug = Map.groupBy(known, ({ slug }) => slug);
  const byUuid = new Map(known.map(({ uuid, id }) => [uuid, id]));
  const idOf = ({ uuid, slug }: DeclaredCheck) =>
    (uuid === undefined
      ? chosen(bySlug.get(slug) ?? [], before.declaredChecks.get(slug))?.id
      : byUuid.get(uuid)) ?? 0;
  const named = new Set(declared.flatMap(({ uuid }) => byUuid.get(uuid ?? '') ?? []));
  for (const one of declared.filter(({ uuid }) => uuid !== undefined && !byUuid.has(uuid)))
    await requireFree(
      tx,
      one,
      (bySlug.get(one.slug) ?? []).filter(({ id }) => !named.has(id)),
    );
  const checks: PlannedCheck[] = [];
  for (let first = 0; first < declared.length; first += CHECKS_AT_ONCE) {
    const some = declared.slice(first, first + CHECKS_AT_ONCE);
    const found = new Map((await tx.checks.byIds(some.map(idOf))).map((check) => [check.id, check]));
    for (const one of some) checks.push(...planCheck(before, one, found.get(idOf(one)) ?? null));
  }
  return { project, checks };
}

/** Refuses a UUID or slug that another check already has: the file may mean that one. */
async function requireFree(
  tx: Writes,
  { line, uuid = '', slug }: DeclaredCheck,
  others: readonly unknown[],
): Promise<void> {
  if ((await tx.checks.byUuid(uuid)) !== null)
    throw new ProvisionError(line, `the UUID ${uuid} belongs to a check of another project`);
  if (slug !== '' && others.length > 0)
    throw new ProvisionError(line, `the slug ${slug} belongs to another check, with another UUID`);
}

function planCheck(before: Before, declared: DeclaredCheck, existing: Check | null): PlannedCheck[] {
  const wanted = wantedChannels(declared, before);
  const formerId = before.declaredChecks.get(identityOf(declared));
  const planned = { declared, formerId, wanted };
  if (existing === null) return [{ ...planned, ...UNKNOWN_CHECK }];
  const { id } = existing;
  const uuidsBefore = before.assigned.get(id) ?? [];
  const assigned = before.channels.filter(({ uuid }) => uuidsBefore.includes(uuid));
  const isEdited = changedFields(existing, editCheck(existing, declared.edit)).length > 0;
  const isReassigned = wanted !== null && !isDeepStrictEqual(uuidsBefore, uuids(wanted));
  const isTouched = isEdited || isReassigned || formerId !== id;
  return isTouched ? [{ ...planned, id, isEdited, isReassigned, assigned }] : [];
}

const UNKNOWN_CHECK = { id: null, isEdited: false, isReassigned: false, assigned: [] } as const;

/**
 * Locks the checks of all plans and returns the ids of those that still exist. It locks all at once: pings lock several
 * checks too, in the same order, so this prevents deadlocks.
 */
export function lockPlanned(tx: Writes, plans: readonly ChecksPlan[]): Promise<Set<number>> {
  const ids = plans.flatMap(({ checks }) => checks.flatMap(({ id, formerId }) => [id ?? 0, formerId ?? 0]));
  return tx.checks.lockByIds(ids);
}

export async function applyChecks(
  deps: Deps,
  tx: Writes,
  { project, checks }: ChecksPlan,
  held: ReadonlySet<number>,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const planned of checks) changes.push(...(await applyCheck(deps, tx, project, planned, held)));
  return changes;
}

async function applyCheck(
  deps: Deps,
  tx: Writes,
  project: Project,
  planned: PlannedCheck,
  held: ReadonlySet<number>,
): Promise<Change[]> {
  const { declared, id, formerId } = planned;
  const label = `${project.name}/${declared.slug || identityOf(declared)}`;
  const actor = fileActor(project);
  // The check may have been deleted since it was compared.
  const existing = id !== null && held.has(id) ? id : null;
  const fields = existing === null ? [] : await saveEdit(deps, tx, actor, existing, planned);
  const checkId = existing ?? (await addDeclared(deps, tx, actor, planned)).id;
  if (checkId !== formerId) await tx.declarations.declare('check', project.id, identityOf(declared), checkId);
  if (existing === null) return [created('check', label)];
  return updated('check', label, fields);
}

/**
 * Saves the fields that differ and returns them. A ping may have come since the comparison, so the deadline is
 * computed from both.
 */
async function saveEdit(
  deps: Deps,
  tx: Writes,
  actor: Actor,
  id: number,
  { declared, isEdited, isReassigned, assigned, wanted }: PlannedCheck,
): Promise<FieldChange[]> {
  if (!isEdited && !isReassigned) return [];
  const check = await tx.checks.lock(id);
  if (check === null) throw new Error(`unreachable: check ${id} is held`);
  const edited = isEdited ? editCheck(check, declared.edit) : check;
  if (isEdited) await tx.checks.saveConfig(edited);
  const channels = isReassigned ? wanted : null;
  if (channels !== null) await assign(tx, check, channels);
  const details = changedSettings(
    { check, channelUuids: uuids(assigned) },
    { check: edited, channelUuids: uuids(channels ?? assigned) },
  );
  await recordOnCheck(deps, tx, actor, edited, { action: 'check.updated', details });
  return [
    ...changedFields(check, edited),
    ...(channels === null
      ? []
      : [{ name: 'integrations', was: assigned.map(nameOf), became: channels.map(nameOf) }]),
  ];
}

const nameOf = ({ name, kind }: Channel): string => name || kind;

async function addDeclared(
  deps: Deps,
  tx: Writes,
  actor: Actor,
  { declared, wanted }: PlannedCheck,
): Promise<Check> {
  try {
    await claimCheckSlot(tx, actor.projectId);
  } catch (error) {
    if (error instanceof AppError)
      throw new ProvisionError(declared.line, "the owner's check limit is reached");
    throw error;
  }
  requirePast(declared, deps.clock.now());
  const { check } = await addCheck(deps, tx, actor, declared.edit, wanted ?? [], declared);
  return check;
}

function requirePast({ line, arrival }: DeclaredCheck, now: Instant): void {
  const lastPingAt = arrival?.lastPingAt ?? null;
  if (lastPingAt === null || !isFromFuture(lastPingAt, now)) return;
  const [written, here] = [toIsoSeconds(lastPingAt), toIsoSeconds(now)];
  throw new ProvisionError(line, `last_ping is in the future: ${written}. Here it is ${here}`);
}

/** Reminds people about checks that arrived down. No change of status does it. */
export async function remindOfArrived(
  deps: Deps,
  tx: Writes,
  { project, checks }: ChecksPlan,
): Promise<void> {
  const isConcerned = checks.some(({ id, declared }) => id === null && declared.arrival?.status === 'down');
  if (isConcerned)
    await tx.mailPreferences.updateReminderDates(
      await tx.mailPreferences.lockProjectAccountsToRemind(project.id),
      deps.clock.now(),
    );
}

function changedFields(before: Check, after: Check): FieldChange[] {
  return SETTING_NAMES.filter((field) => after[field] !== before[field]).map((name) => ({
    name,
    was: before[name],
    became: after[name],
  }));
}

/** A name means the channel that a file declared, even if other channels have the same name. */
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

async function assign(tx: Writes, check: OwnedRow, channels: readonly Channel[]): Promise<void> {
  await tx.checks.setChannels(
    check,
    channels.map((channel) => channel.id),
  );
}

function uuids(channels: readonly Channel[]): string[] {
  return channels.map((channel) => channel.uuid).sort();
}
