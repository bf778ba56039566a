import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../domain/alert/channel.ts';
import { selectChannels } from '../../domain/alert/channel-selection.ts';
import type { OwnedRow } from '../../domain/change.ts';
import type { Check } from '../../domain/check/check.ts';
import { isFromFuture } from '../../domain/check/check-arrival.ts';
import { MAX_RESTORABLE_CHECKS } from '../../domain/check/check-deletion.ts';
import { type CheckEdit, editCheck } from '../../domain/check/check-edit.ts';
import { SETTING_NAMES } from '../../domain/check/settings.ts';
import {
  decodeSources,
  editMark,
  editMarkOf,
  fieldsOf,
  mayOverwrite,
  type SourcedField,
  type SourceMark,
  withMark,
  withoutKept,
} from '../../domain/check/sources.ts';
import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/people/project.ts';
import { groupsOf } from '../../lib/groups.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import type { DeclaredEntry, DeletedCheck, Writes } from '../../storage/store.ts';
import { changedSettings, recordOnCheck } from '../check/check-acts.ts';
import { restoreCheckIn } from '../check/check-deletion.ts';
import { addChecks, claimCheckSlot, decideAnew } from '../check/checks.ts';
import { recoverTagged } from '../check/quiet-coverage.ts';
import type { Actor } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { withPolicyName } from '../core/policies.ts';
import { actorIn, type ProvisionDeps } from './acts.ts';
import {
  type Change,
  chosen,
  created,
  type DeclaredCheck,
  type FieldChange,
  identityOf,
  kept,
  ProvisionError,
  updated,
} from './declaration.ts';
import { orRefused } from './entries.ts';
import { claim, DeclaredEntries, requireSource, type Source } from './source.ts';

/** Checks that are read and written at once, with their descriptions. */
export const CHECKS_AT_ONCE = 500;

/** The project before its checks are applied. */
interface Before {
  readonly channels: readonly Channel[];
  /** Ids of the channels that were declared by a file. */
  readonly declaredChannels: ReadonlySet<number>;
  /** Checks that can be restored, the last deleted first. */
  readonly deleted: readonly DeletedCheck[];
}

/** Some checks of the project before they are applied. */
interface ChecksBefore extends Before {
  /** UUIDs of the channels of each check, sorted. */
  readonly assigned: ReadonlyMap<number, readonly string[]>;
  readonly declaredChecks: DeclaredEntries;
}

/** A declared check that has to be created or changed. */
interface PlannedCheck {
  readonly declared: DeclaredCheck;
  /** The existing check; null when it has to be created. */
  readonly id: number | null;
  /** The deleted check that the file means. Undefined if there is none. */
  readonly deleted?: DeletedCheck | undefined;
  /** The check that was declared under this identity before. */
  readonly formerId: number | undefined;
  /** How files have declared the existing check until now. */
  readonly entry: DeclaredEntry | undefined;
  readonly assigned: readonly Channel[];
  /** The channels to assign; null keeps the assignment. */
  readonly wanted: readonly Channel[] | null;
}

/** The checks of a project that have to be created or changed. */
export interface ChecksPlan {
  readonly project: Project;
  readonly source: Source;
  readonly checks: readonly PlannedCheck[];
}

/** Compares without locks of checks. The first use of a well-known policy makes it a policy of the project. */
export async function planChecks(
  deps: ProvisionDeps,
  tx: Writes,
  source: Source,
  project: Project,
  given: readonly DeclaredCheck[],
): Promise<ChecksPlan> {
  if (given.length === 0) return { project, source, checks: [] };
  const declared = await withPolicyNames(deps, tx, project, given);
  const uuids = new Set(declared.flatMap(({ uuid }) => uuid ?? []));
  const compare = await checksComparison(deps, tx, source, project, (uuid) => uuids.has(uuid));
  const checks: PlannedCheck[] = [];
  for (const some of groupsOf(declared, CHECKS_AT_ONCE)) checks.push(...(await compare(some)).checks);
  return { project, source, checks };
}

async function withPolicyNames(
  deps: ProvisionDeps,
  tx: Writes,
  project: Project,
  declared: readonly DeclaredCheck[],
): Promise<readonly DeclaredCheck[]> {
  const names = new Map<string, string>();
  for (const { line, edit } of declared) {
    const { policy = '' } = edit;
    if (policy === '' || names.has(policy)) continue;
    const named = await orRefused(line, () => withPolicyName(deps, tx, actorIn(deps, project), { policy }));
    names.set(policy, named.policy);
  }
  if (names.size === 0) return declared;
  return declared.map((one) => {
    const policy = names.get(one.edit.policy ?? '');
    return policy === undefined ? one : { ...one, edit: { ...one.edit, policy } };
  });
}

/**
 * Compares declared checks of the project with existing ones, some at a time, without locks. `isDeclared` tells whether any
 * declared check has the UUID.
 */
export async function checksComparison(
  { clock }: Pick<Deps, 'clock'>,
  tx: Writes,
  source: Source,
  project: Project,
  isDeclared: (uuid: string) => boolean,
): Promise<(declared: readonly DeclaredCheck[]) => Promise<ChecksPlan>> {
  const before: Before = {
    channels: await tx.channels.ofProject(project.id),
    declaredChannels: new Set((await tx.declarations.entriesOf('channel', project.id)).map(({ id }) => id)),
    deleted: await tx.deletedChecks.ofProject(project.id, clock.now(), MAX_RESTORABLE_CHECKS),
  };
  return async (declared) => {
    const known = await tx.checks.namesIn(project.id, {
      uuids: declared.flatMap(({ uuid }) => uuid ?? []),
      slugs: declared.flatMap(({ slug }) => slug || []),
    });
    const bySlug = Map.groupBy(known, ({ slug }) => slug);
    const byUuid = new Map(known.map(({ uuid, id }) => [uuid, id]));
    const arriving = declared.filter(({ uuid }) => uuid !== undefined && !byUuid.has(uuid));
    const taken = await tx.checks.knownUuids(arriving.flatMap(({ uuid }) => uuid ?? []));
    for (const one of arriving)
      requireFree(
        one,
        taken,
        (bySlug.get(one.slug) ?? []).filter(({ uuid }) => !isDeclared(uuid)),
      );
    const ids = known.map(({ id }) => id);
    const entries = await tx.declarations.checksAmong(project.id, { names: declared.map(identityOf), ids });
    const declaredChecks = new DeclaredEntries(entries);
    const idOf = ({ uuid, slug }: DeclaredCheck) =>
      (uuid === undefined
        ? chosen(bySlug.get(slug) ?? [], declaredChecks.named(slug)?.id)?.id
        : byUuid.get(uuid)) ?? 0;
    const found = new Map((await tx.checks.byIds(declared.map(idOf))).map((check) => [check.id, check]));
    const assigned = await tx.checks.channelsOfMany([...found.keys()]);
    const all = { ...before, assigned, declaredChecks };
    const checks = declared.flatMap((one) => planCheck(source, all, one, found.get(idOf(one)) ?? null));
    return { project, source, checks };
  };
}

/** Refuses a UUID or slug that another check already has: the file may mean that one. */
function requireFree(
  { line, uuid = '', slug }: DeclaredCheck,
  taken: ReadonlySet<string>,
  others: readonly unknown[],
): void {
  if (taken.has(uuid))
    throw new ProvisionError(line, `the UUID ${uuid} belongs to a check of another project`);
  if (slug !== '' && others.length > 0)
    throw new ProvisionError(line, `the slug ${slug} belongs to another check, with another UUID`);
}

function planCheck(
  source: Source,
  before: ChecksBefore,
  declared: DeclaredCheck,
  existing: Check | null,
): PlannedCheck[] {
  const wanted = wantedChannels(declared, before);
  const formerId = before.declaredChecks.named(identityOf(declared))?.id;
  const entry = before.declaredChecks.of(existing?.id ?? 0);
  requireSource(source, declared.line, `the check ${declared.slug || identityOf(declared)}`, entry);
  const planned = { declared, formerId, entry, wanted };
  if (existing === null) return [{ ...planned, ...UNKNOWN_CHECK, deleted: deletedAs(before, declared) }];
  const { id } = existing;
  const uuidsBefore = before.assigned.get(id) ?? [];
  const assigned = before.channels.filter(({ uuid }) => uuidsBefore.includes(uuid));
  const own = ownPart(source, existing, assigned, planned);
  const isEdited = changedFields(existing, editCheck(existing, own.edit)).length > 0;
  const isReassigned = own.wanted !== null && !isDeepStrictEqual(uuidsBefore, uuids(own.wanted));
  const isClaimed = source.claims && (formerId !== id || entry?.source !== source.name);
  const isTouched = isEdited || isReassigned || isClaimed || own.unmarked.length > 0 || own.kept.length > 0;
  return isTouched ? [{ ...planned, id, assigned }] : [];
}

/** The part of a declaration that its source may apply to an existing check. */
interface OwnPart {
  readonly edit: CheckEdit;
  readonly wanted: readonly Channel[] | null;
  /** The named fields that do not yet tell that the source has set them. */
  readonly unmarked: readonly SourcedField[];
  /** What it would change if it did not keep edits. */
  readonly kept: readonly FieldChange[];
}

function ownPart(
  { name, writer }: Source,
  check: Check,
  assigned: readonly Channel[],
  { declared, wanted: declaredChannels }: Pick<PlannedCheck, 'declared' | 'wanted'>,
): OwnPart {
  const sources = decodeSources(check.sources);
  const { edit } = withoutKept(check, declared.edit, writer);
  const wanted = mayOverwrite(writer, sources, 'integrations') ? declaredChannels : null;
  const named = wanted === null ? fieldsOf(edit) : [...fieldsOf(edit), 'integrations' as const];
  const isMarked = (field: SourcedField) => sources[field]?.by === writer.by && sources[field].name === name;
  const unmarked = named.filter((field) => !isMarked(field));
  if (writer.keepsEdits !== true) return { edit, wanted, unmarked, kept: [] };
  const own = new Set(changedFields(check, editCheck(check, edit)).map((field) => field.name));
  const others = changedFields(check, editCheck(check, declared.edit)).filter(
    (field) => !own.has(field.name),
  );
  const channels = wanted === null ? reassigned(check, assigned, declaredChannels) : [];
  return { edit, wanted, unmarked, kept: [...others, ...channels] };
}

function markOf({ clock }: Pick<Deps, 'clock'>, { name, writer }: Source): SourceMark {
  return { by: writer.by, at: clock.now(), name };
}

function deletedAs({ deleted }: Before, declared: DeclaredCheck): DeletedCheck | undefined {
  const identity = identityOf(declared);
  return deleted.find(({ uuid, declaration }) => declaration?.name === identity || uuid === identity);
}

const UNKNOWN_CHECK = { id: null, assigned: [] } as const;

/**
 * Locks the checks of all plans and returns the ids of those that still exist. It locks all at once: pings lock several
 * checks too, in the same order, so this prevents deadlocks.
 */
export function lockPlanned(tx: Writes, plans: readonly ChecksPlan[]): Promise<Set<number>> {
  const ids = plans.flatMap(({ checks }) => checks.flatMap(({ id, formerId }) => [id ?? 0, formerId ?? 0]));
  return tx.checks.lockByIds(ids);
}

export async function applyChecks(
  deps: ProvisionDeps,
  tx: Writes,
  { project, source, checks }: ChecksPlan,
  held: ReadonlySet<number>,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const some of groupsOf(checks, CHECKS_AT_ONCE)) {
    // A check may have been deleted since it was compared.
    const isHeld = ({ id }: PlannedCheck) => id !== null && held.has(id);
    const isNew = (planned: PlannedCheck) => !isHeld(planned) && planned.deleted === undefined;
    await addDeclared(deps, tx, source, project, some.filter(isNew));
    const found = await tx.checks.byIds(some.filter(isHeld).map(({ id }) => id ?? 0));
    const byId = new Map(found.map((check) => [check.id, check]));
    for (const planned of some) {
      const label = `${project.name}/${planned.declared.slug || identityOf(planned.declared)}`;
      if (isNew(planned)) changes.push(created('check', label));
      else {
        const applied = await applyCheck(deps, tx, source, project, planned, byId.get(planned.id ?? 0));
        changes.push(
          ...updated('check', label, applied.fields, planned.declared),
          ...kept('check', label, applied.kept, planned.declared),
        );
      }
    }
  }
  return changes;
}

/** Applies a check that exists, or brings it back. */
async function applyCheck(
  deps: ProvisionDeps,
  tx: Writes,
  source: Source,
  project: Project,
  planned: PlannedCheck,
  existing: Check | undefined,
): Promise<AppliedFields> {
  const { declared, assigned, entry } = planned;
  const actor = actorIn(deps, project);
  const found =
    existing === undefined
      ? await restoreDeclared(deps, tx, actor, planned)
      : { check: existing, assigned, entry };
  const { check } = found;
  const saved = await saveEdit(deps, tx, source, actor, found, planned);
  const taken = await claim(deps, tx, source, project.id, {
    kind: 'check',
    ownerId: project.id,
    id: check.id,
    name: identityOf(declared),
    line: declared.line,
    isNew: false,
    before: found.entry,
    subject: { kind: 'check', id: check.uniqueKey, name: check.name || check.slug },
  });
  const restored = existing === undefined ? [{ name: 'restored' }] : [];
  return { ...saved, fields: [...restored, ...saved.fields, ...taken] };
}

interface AppliedFields {
  /** Those that have changed. */
  readonly fields: readonly FieldChange[];
  /** Those that have not, since somebody has edited them. */
  readonly kept: readonly FieldChange[];
}

/** A check that exists, locked. */
interface FoundCheck {
  readonly check: Check;
  readonly assigned: readonly Channel[];
  /** How files have declared it until now. */
  readonly entry: DeclaredEntry | undefined;
}

/** Brings back a check that was deleted, if the file means it. */
async function restoreDeclared(
  deps: Deps,
  tx: Writes,
  actor: Actor,
  { declared, deleted }: PlannedCheck,
): Promise<FoundCheck> {
  if (deleted === undefined) throw new Error('unreachable: the check is in the bin');
  const { check, channelUuids } = await orTooMany(declared, () =>
    restoreCheckIn(deps, tx, actor, deleted.uuid),
  );
  const channels = await tx.channels.ofProject(actor.projectId);
  const { declaration } = deleted;
  return {
    check,
    assigned: channels.filter(({ uuid }) => channelUuids.includes(uuid)),
    // It has lost the name with which a file means it.
    entry: declaration === null ? undefined : { ...declaration, name: '', id: check.id },
  };
}

/**
 * Saves the fields that differ. A ping may have come since the comparison, so the deadline is
 * computed from both.
 */
async function saveEdit(
  deps: Deps,
  tx: Writes,
  source: Source,
  actor: Actor,
  { check, assigned }: FoundCheck,
  planned: PlannedCheck,
): Promise<AppliedFields> {
  const { edit, wanted, unmarked, kept } = ownPart(source, check, assigned, planned);
  const sources = withMark(check.sources, unmarked, markOf(deps, source));
  const edited = { ...editCheck(check, edit, deps.clock.now()), sources };
  const fields = changedFields(check, edited);
  if (fields.length > 0 || unmarked.length > 0) await tx.checks.saveConfig(edited);
  await recoverTagged(deps, tx, check, edited);
  await decideAnew(deps, tx, check, edited);
  const reassignment = reassigned(check, assigned, wanted);
  const channels = reassignment.length === 0 ? null : wanted;
  if (channels !== null) await assign(tx, check, channels);
  const details = changedSettings(
    { check, channelUuids: uuids(assigned) },
    { check: edited, channelUuids: uuids(channels ?? assigned) },
  );
  await recordOnCheck(deps, tx, actor, edited, { action: 'check.updated', details });
  return { fields: [...fields, ...reassignment], kept };
}

/** The change of the assignment. Empty if there is none. */
function reassigned(
  check: Check,
  assigned: readonly Channel[],
  wanted: readonly Channel[] | null,
): FieldChange[] {
  if (wanted === null || isDeepStrictEqual(uuids(assigned), uuids(wanted))) return [];
  const setBy = editMarkOf(decodeSources(check.sources), 'integrations');
  const [was, became] = [assigned.map(nameOf), wanted.map(nameOf)];
  return [{ name: 'integrations', was, became, ...(setBy !== null && { setBy }) }];
}

const nameOf = ({ name, kind }: Channel): string => name || kind;

async function addDeclared(
  deps: ProvisionDeps,
  tx: Writes,
  source: Source,
  project: Project,
  planned: readonly PlannedCheck[],
): Promise<void> {
  if (planned.length === 0) return;
  const names = planned.map(({ declared }) => identityOf(declared));
  await claimSlots(tx, project, planned);
  for (const { declared } of planned) requirePast(declared, deps.clock.now());
  const added = await addChecks(
    deps,
    tx,
    actorIn(deps, project),
    planned.map(({ declared, wanted }) => ({
      ...declared,
      channels: wanted ?? [],
      setBy: markOf(deps, source),
    })),
  );
  const checks = added.map(({ check: { id } }, index) => ({ id, name: names[index] ?? '' }));
  if (source.claims) await tx.declarations.declareNewChecks(project.id, source.name, checks);
}

/** Counts all of these checks for the owner. The fault names the first for which there is no room. */
async function claimSlots(tx: Writes, { id }: Project, planned: readonly PlannedCheck[]): Promise<void> {
  try {
    await claimCheckSlot(tx, id, planned.length);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { declared } of planned) await orTooMany(declared, () => claimCheckSlot(tx, id));
  }
}

/** Work that needs a slot for one more check. */
async function orTooMany<T>({ line }: DeclaredCheck, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw new ProvisionError(line, "the owner's check limit is reached");
    throw error;
  }
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
  const names = SETTING_NAMES.filter((field) => after[field] !== before[field]);
  if (names.length === 0) return [];
  const sources = decodeSources(before.sources);
  return names.map((name) => {
    const setBy = editMark(sources, name);
    return { name, was: before[name], became: after[name], ...(setBy !== null && { setBy }) };
  });
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
