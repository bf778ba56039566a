import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../domain/alert/channel.ts';
import { selectChannels } from '../../domain/alert/channel-selection.ts';
import {
  type Check,
  type CheckMatch,
  type CheckRef,
  type NewCheck,
  newCheck,
} from '../../domain/check/check.ts';
import { type Arrival, arrived } from '../../domain/check/check-arrival.ts';
import { type CheckEdit, editCheck, editConfig } from '../../domain/check/check-edit.ts';
import { listed } from '../../domain/check/check-links.ts';
import { DEFAULT_CONFIG } from '../../domain/check/settings.ts';
import {
  changedFields,
  markBy,
  type SourcedField,
  type SourceMark,
  setFields,
  withMark,
} from '../../domain/check/sources.ts';
import { splitTags } from '../../domain/check/tags.ts';
import { AppError } from '../../domain/errors.ts';
import { differences } from '../../domain/people/audit.ts';
import {
  editQuietly,
  pause,
  resume,
  resumeExpecting,
  type Transition,
  undoPause,
} from '../../domain/ping/transition.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import type { Instant } from '../../lib/instant.ts';
import type { CheckRevision, Writes } from '../../storage/store.ts';
import { type Actor, ownCheck, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { recordFlips, updateReminderDates } from '../core/flips.ts';
import { watchedUntil } from '../core/liveness.ts';
import { withPolicyName } from '../core/policies.ts';
import {
  changedSettings,
  chosenSettings,
  recordOnCheck,
  recordOnChecks,
  settingsVersion,
} from './check-acts.ts';
import { saveLinks, withLinks } from './check-links.ts';
import { besideChecks, type CheckWithChannels, type RevisedCheckWithChannels } from './check-list.ts';
import { cover, coverChecks, recoverTagged } from './quiet-coverage.ts';

export async function findCheck(deps: Pick<Deps, 'store'>, actor: Actor, ref: CheckRef): Promise<Check> {
  requirePermission(actor, 'checks.view');
  if ('uuid' in ref) return ownCheck(actor, await deps.store.checks.byUuid(ref.uuid));
  return ownCheck(actor, await deps.store.checks.byUniqueKey(actor.projectId, ref.uniqueKey));
}

/** Reads the check that a path has named. */
export async function findById(deps: Pick<Deps, 'store'>, actor: Actor, id: number): Promise<Check> {
  requirePermission(actor, 'checks.view');
  return ownCheck(actor, await deps.store.checks.byId(id));
}

export async function findWithChannels(
  deps: Pick<Deps, 'store'>,
  actor: Actor,
  id: number,
): Promise<CheckWithChannels> {
  const check = await findById(deps, actor, id);
  return { check, channelUuids: await deps.store.checks.channelsOf(id) };
}

/** Tells which check it is and in which form, without reading it. */
export async function findRevision(
  deps: Pick<Deps, 'store'>,
  actor: Actor,
  ref: CheckRef,
): Promise<CheckRevision> {
  requirePermission(actor, 'checks.view');
  if ('uuid' in ref) return ownCheck(actor, await deps.store.checks.revisionByUuid(ref.uuid));
  return ownCheck(actor, await deps.store.checks.revisionByUniqueKey(actor.projectId, ref.uniqueKey));
}

/** Reads the check that `findRevision` has found. */
export async function readCheck(
  deps: Deps,
  actor: Actor,
  { id }: Pick<CheckRevision, 'id'>,
): Promise<RevisedCheckWithChannels> {
  requirePermission(actor, 'checks.view');
  const check = ownCheck(actor, await deps.store.checks.revisedById(id));
  // The rest is read after it, as in `readChecks`.
  const channelUuids = await deps.store.checks.channelsOf(id);
  const besideOf = await besideChecks(deps, [check], deps.clock.now());
  return { check, channelUuids, ...besideOf(check) };
}

export type CheckDeps = Pick<Deps, 'store' | 'clock' | 'random'>;

/** Locks the check until the transaction ends. It may have been deleted since it was found. */
export async function lockOwnCheck(tx: Writes, actor: Actor, id: number): Promise<Check> {
  return ownCheck(actor, await tx.checks.lock(id));
}

export interface CreateCheck {
  readonly edit: CheckEdit;
  /** The `channels` value as sent; absent means none for a new check, and unchanged for a matched one. */
  readonly channels?: string;
  /** An existing check that equals these values is updated instead; null always creates. */
  readonly match: CheckMatch | null;
}

export interface CreatedCheck extends CheckWithChannels {
  readonly isNew: boolean;
}

export async function createCheck(deps: CheckDeps, actor: Actor, input: CreateCheck): Promise<CreatedCheck> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const given = await withPolicyName(deps, tx, actor, input.edit);
    // A check that is created is no parent yet, so its own parents make no circle.
    const links = await withLinks(tx, actor.projectId, null, given);
    const existing = await matchOrClaim(tx, actor.projectId, input.match);
    if (existing !== null) {
      const edit = await withLinks(tx, actor.projectId, existing.id, given);
      const edited = { check: editCheck(existing, edit, deps.clock.now()), flips: [] };
      const wanted = await namedChannels(tx, actor.projectId, input.channels);
      const fields = setFields(markOf(deps, actor), existing, edit);
      return {
        ...(await saveEdited(deps, tx, actor, existing, { ...edited, fields }, wanted)),
        isNew: false,
      };
    }
    const channels = (await namedChannels(tx, actor.projectId, input.channels)) ?? [];
    const created = await addCheck(deps, tx, actor, links, channels);
    return { ...created, isNew: true };
  });
}

/** Adds all of these checks, with every channel of the project, or none of them. */
export async function createChecks(
  deps: CheckDeps,
  actor: Actor,
  edits: readonly CheckEdit[],
): Promise<CheckWithChannels[]> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const ownerId = await tx.projects.lockOwner(actor.projectId);
    const channels = await tx.channels.ofProject(actor.projectId);
    const created: CheckWithChannels[] = [];
    for (const edit of edits) {
      const isClaimed = ownerId !== null && (await tx.accounts.claimCheckSlot(ownerId));
      if (!isClaimed) throw tooManyChecks(edits.length, created.length);
      created.push(await addCheck(deps, tx, actor, edit, channels));
    }
    return created;
  });
}

function tooManyChecks(count: number, room: number): AppError {
  const left =
    room === 0 ? 'no room for more checks' : `room for ${room} more ${room === 1 ? 'check' : 'checks'}`;
  return new AppError('check_quota_too_small', `There is ${left}, and these are ${count}. None was added.`);
}

/** A check to add, and its channels. */
export interface CheckToAdd extends GivenCheck {
  readonly edit: CheckEdit;
  readonly channels: readonly Channel[];
}

/** Adds checks, for which slots are claimed. */
export async function addChecks(
  deps: Pick<CheckDeps, 'clock' | 'random'>,
  tx: Writes,
  actor: Actor,
  toAdd: readonly CheckToAdd[],
): Promise<CheckWithChannels[]> {
  requirePermission(actor, 'checks.edit');
  const rows = toAdd.map(({ edit, channels, setBy: mark = markOf(deps, actor), ...given }) => {
    const fields = setFields(mark, DEFAULT_CONFIG, edit);
    const sources = withMark(null, channels.length > 0 ? [...fields, 'integrations'] : fields, mark);
    return newCheckIn(deps, actor.projectId, edit, { ...given, sources });
  });
  const inserted = await coverChecks(deps, tx, actor.projectId, await tx.checks.insertAll(rows));
  const added = inserted.map((check, index) => ({ check, ...toAdd[index] }));
  await tx.checks.assignNew(
    added.map(({ check, channels = [] }) => ({ check, channelIds: channels.map(({ id }) => id) })),
  );
  const created = added.map(({ check, channels = [] }) => ({ check, channelUuids: uuidsOf(channels) }));
  await recordOnChecks(
    deps,
    tx,
    actor,
    created.map((one, index) => {
      const status = toAdd[index]?.arrival && { status: one.check.status };
      return [
        one.check,
        { action: 'check.created', details: { after: { ...chosenSettings(one), ...status } } },
      ];
    }),
  );
  return created;
}

/** Adds a check with these channels, for which a slot is claimed. */
export async function addCheck(
  deps: Pick<CheckDeps, 'clock' | 'random'>,
  tx: Writes,
  actor: Actor,
  edit: CheckEdit,
  channels: readonly Channel[],
): Promise<CheckWithChannels> {
  const [created] = await addChecks(deps, tx, actor, [{ edit, channels }]);
  if (created === undefined) throw new Error('unreachable: a check was added');
  return created;
}

/** Returns the matching check. Returns null when there is none; then a slot for a new one is claimed. */
async function matchOrClaim(tx: Writes, projectId: number, match: CheckMatch | null): Promise<Check | null> {
  if (match === null) {
    await claimCheckSlot(tx, projectId);
    return null;
  }
  const existing = await tx.checks.lockMatching(projectId, match);
  if (existing !== null) return existing;
  const ownerId = await tx.projects.lockOwner(projectId);
  const isClaimed = ownerId !== null && (await tx.accounts.claimCheckSlot(ownerId));
  // The claim waited for other requests that were creating a check. One of them may have created the matching check.
  const late = await tx.checks.lockMatching(projectId, match);
  if (late === null && !isClaimed) throw new AppError('check_limit_reached');
  if (late !== null && isClaimed) await tx.accounts.releaseCheckSlot(ownerId);
  return late;
}

export interface UpdateCheck {
  readonly edit: CheckEdit;
  /** Absent leaves the assignment as it is. */
  readonly channels?: string;
  /** Whether a check that the edit makes overdue goes down at once and without alerts. */
  readonly isQuiet?: boolean;
  /** The version of the settings that the editor saw. Other settings are not overwritten. Absent overwrites any. */
  readonly seen?: string;
}

export async function updateCheck(
  deps: CheckDeps,
  actor: Actor,
  id: number,
  input: UpdateCheck,
): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const given = await withPolicyName(deps, tx, actor, input.edit);
    const edit = await withLinks(tx, actor.projectId, id, given);
    const before = await lockOwnCheck(tx, actor, id);
    if (input.seen !== undefined) await requireSeen(tx, before, input.seen);
    const wanted = await namedChannels(tx, actor.projectId, input.channels);
    const fields = setFields(markOf(deps, actor), before, edit);
    return saveEdited(
      deps,
      tx,
      actor,
      before,
      { ...(await edited(deps, tx, before, { ...input, edit })), fields },
      wanted,
    );
  });
}

/** Refuses to overwrite settings that the editor has not seen. */
async function requireSeen(tx: Writes, check: Check, seen: string): Promise<void> {
  const channelUuids = await tx.checks.channelsOf(check.id);
  if (settingsVersion(check, channelUuids) !== seen)
    throw new AppError('check_changed', 'Somebody else has changed this check meanwhile.');
}

/** Tags and channels to add to a check, and to take from it. */
export interface AdjustCheck {
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
  readonly addChannels: readonly string[];
  readonly removeChannels: readonly string[];
  /** Channels that are told of each success from now on, and those that are not any more. */
  readonly addDone?: readonly string[];
  readonly removeDone?: readonly string[];
}

export async function adjustCheck(
  deps: CheckDeps,
  actor: Actor,
  id: number,
  adjustment: AdjustCheck,
): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const before = await lockOwnCheck(tx, actor, id);
    const tags = adjustedTags(before, adjustment);
    if ([...tags].length > TEXT_LIMITS.checkTags)
      throw new AppError('invalid_field', 'These are too many tags for one check.', { field: 'tags' });
    const { addDone = [], removeDone = [] } = adjustment;
    const named = adjusted(listed(before.doneChannels), addDone, removeDone).join(',');
    const { doneChannels = before.doneChannels } =
      addDone.length + removeDone.length === 0
        ? {}
        : await withLinks(tx, actor.projectId, id, { doneChannels: named });
    const after = { ...before, tags, doneChannels };
    const edited = { check: after, flips: [], fields: changedFields(before, after) };
    const channels = adjustsChannels(adjustment)
      ? adjustedChannels(await tx.checks.channelsOf(id), adjustment).join(',')
      : undefined;
    const wanted = await namedChannels(tx, actor.projectId, channels);
    return saveEdited(deps, tx, actor, before, edited, wanted);
  });
}

/** The tags of the check after the adjustment. They are the same text if it changes none. */
export function adjustedTags({ tags }: Pick<Check, 'tags'>, { addTags, removeTags }: AdjustCheck): string {
  if (addTags.length === 0 && removeTags.length === 0) return tags;
  return adjusted(splitTags(tags), addTags, removeTags).join(' ');
}

export function adjustsChannels({ addChannels, removeChannels }: AdjustCheck): boolean {
  return addChannels.length > 0 || removeChannels.length > 0;
}

/** The UUIDs of the channels after the adjustment. */
export function adjustedChannels(
  assigned: readonly string[],
  { addChannels, removeChannels }: AdjustCheck,
): string[] {
  return adjusted(assigned, addChannels, removeChannels);
}

function adjusted(
  present: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): string[] {
  return [...new Set([...present, ...added])].filter((one) => !removed.includes(one));
}

/** An edit, and the fields that are the actor's from then on. */
type Edited = Transition & { readonly fields: readonly SourcedField[] };

/** The mark of the actor on fields that are set now. */
export function markOf({ clock }: Pick<CheckDeps, 'clock'>, { by }: Actor): SourceMark | null {
  return markBy(by, clock.now());
}

/** Saves the edit and the channels that are wanted, and records what changed. Null leaves the channels as they are. */
async function saveEdited(
  deps: CheckDeps,
  tx: Writes,
  actor: Actor,
  before: Check,
  { check: unmarked, flips, fields }: Edited,
  wanted: readonly Channel[] | null,
): Promise<CheckWithChannels> {
  const assigned = await tx.checks.channelsOf(before.id);
  const mark = markOf(deps, actor);
  const isAssignedBy = wanted !== null && setsChannels(mark, assigned, wanted);
  const set = isAssignedBy ? [...fields, 'integrations' as const] : fields;
  const edited = { ...unmarked, sources: withMark(before.sources, set, mark) };
  await tx.checks.saveConfig(edited);
  await saveLinks(deps, tx, before, edited);
  if (flips.length > 0) await tx.checks.saveState(edited);
  const check = await recoverTagged(deps, tx, before, edited);
  await recordFlips(deps, tx, flips, deps.clock.now());
  await decideAnew(deps, tx, before, check);
  if (wanted !== null) await assign(tx, check, wanted);
  const after = { check, channelUuids: wanted === null ? assigned : uuidsOf(wanted) };
  await recordOnCheck(deps, tx, actor, check, {
    action: 'check.updated',
    details: changedSettings({ check: before, channelUuids: assigned }, after),
  });
  return after;
}

/** Of these depends who is told of an outage: by the policy that counts, or by the times at which runs are missed. */
const DECISIVE = ['policy', 'tags', 'timedAt', 'graceSeconds', 'runRules'] as const;

/** If another policy counts for the check now, or runs are expected at other times, its open outage is decided about within a second. */
export async function decideAnew(
  { clock }: Pick<CheckDeps, 'clock'>,
  tx: Writes,
  before: Check,
  after: Check,
): Promise<void> {
  const isOther = DECISIVE.some((field) => before[field] !== after[field]);
  if (before.isHeard && isOther) await tx.outages.wake([after.id], clock.now());
}

/** Whether the assignment becomes the writer's: forms on pages send it also where nobody has touched it. */
function setsChannels(
  mark: SourceMark | null,
  assigned: readonly string[],
  wanted: readonly Channel[],
): boolean {
  return mark?.by !== 'person' || !isDeepStrictEqual(assigned, uuidsOf(wanted));
}

async function edited(
  deps: CheckDeps,
  tx: Writes,
  before: Check,
  { edit, isQuiet = false }: UpdateCheck,
): Promise<Transition> {
  const now = deps.clock.now();
  if (!isQuiet) return { check: editCheck(before, edit, now), flips: [] };
  return editQuietly(before, edit, now, await watchedUntil(tx, now));
}

export async function pauseCheck(deps: CheckDeps, actor: Actor, id: number): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) =>
    pauseLocked(deps, tx, actor, await lockOwnCheck(tx, actor, id)),
  );
}

/** Does the same in the caller's transaction, which has locked the check. */
export async function pauseLocked(
  deps: CheckDeps,
  tx: Writes,
  actor: Actor,
  locked: Check,
): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  const own = ownCheck(actor, locked);
  if (own.snoozedUntilAt !== null) await tx.checks.snooze(own, null);
  const before = { ...own, snoozedUntilAt: null, snoozedBy: null };
  const now = deps.clock.now();
  const paused = pause(before, now, await watchedUntil(tx, now));
  if (paused.before !== null) await tx.pauses.save(before.id, paused.check.lastFlipAt ?? now, paused.before);
  return record(deps, tx, actor, 'check.paused', before, paused);
}

/** Takes a pause back: the outage, the open run and the deadline are as they were before. */
export async function undoPauseOfCheck(
  deps: CheckDeps,
  actor: Actor,
  id: number,
): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const paused = await lockOwnCheck(tx, actor, id);
    const before =
      paused.status === 'paused' && paused.lastFlipAt !== null
        ? await tx.pauses.remove(id, paused.lastFlipAt)
        : null;
    if (before === null) throw new AppError('check_not_paused');
    const undone = await record(deps, tx, actor, 'check.pause_undone', paused, {
      check: undoPause(paused, before),
      flips: [],
    });
    if (before.status === 'down') {
      await tx.outages.reopen(id, paused.lastFlipAt ?? 0, deps.clock.now());
      await updateReminderDates(tx, [id], deps.clock.now());
    }
    return undone;
  });
}

/** As the API knows it: the check waits for a ping as long as that takes. */
export async function resumeCheck(deps: CheckDeps, actor: Actor, id: number): Promise<CheckWithChannels> {
  return endPause(deps, actor, id, resume);
}

/** As the dashboard does it: the next run of the check is expected. */
export async function resumeCheckExpecting(
  deps: CheckDeps,
  actor: Actor,
  id: number,
): Promise<CheckWithChannels> {
  return endPause(deps, actor, id, resumeExpecting);
}

async function endPause(
  deps: CheckDeps,
  actor: Actor,
  id: number,
  transition: (check: Check, now: Instant) => Transition,
): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const before = await lockOwnCheck(tx, actor, id);
    if (before.status !== 'paused') throw new AppError('check_not_paused');
    return record(deps, tx, actor, 'check.resumed', before, transition(before, deps.clock.now()));
  });
}

/** Writes the new state, its flips and who changed it in one transaction. */
async function record(
  deps: CheckDeps,
  tx: Writes,
  actor: Actor,
  action: 'check.paused' | 'check.resumed' | 'check.pause_undone',
  before: Check,
  { check, flips }: Transition,
): Promise<CheckWithChannels> {
  await tx.checks.saveState(check);
  await recordFlips(deps, tx, flips, deps.clock.now());
  const details = differences({ status: before.status }, { status: check.status });
  await recordOnCheck(deps, tx, actor, check, { action, details });
  return { check, channelUuids: await tx.checks.channelsOf(check.id) };
}

/** Returns the check as it was before. */
export async function deleteCheck(deps: CheckDeps, actor: Actor, id: number): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    // The project comes before its checks: pings that create checks lock them in this order, too.
    const ownerId = await tx.projects.lockOwner(actor.projectId);
    const check = await lockOwnCheck(tx, actor, id);
    const channelUuids = await tx.checks.channelsOf(id);
    const reminded = check.status === 'down' ? await tx.mailPreferences.lockAccountsToRemind([id]) : [];
    await tx.checkParents.wakeChildren([id], deps.clock.now());
    await tx.checkParents.noteChildren([id]);
    await tx.checks.delete(check);
    await tx.mailPreferences.updateReminderDates(reminded, deps.clock.now());
    if (ownerId !== null) await tx.accounts.releaseCheckSlot(ownerId);
    const deleted = { check, channelUuids };
    await recordOnCheck(deps, tx, actor, check, {
      action: 'check.deleted',
      details: { before: chosenSettings(deleted) },
    });
    return deleted;
  });
}

/** Counts a new check, or several, for the owner of the project, who cannot hand the project over meanwhile. */
export async function claimCheckSlot(tx: Writes, projectId: number, count = 1): Promise<void> {
  const ownerId = await tx.projects.lockOwner(projectId);
  const claimed = ownerId !== null && (await tx.accounts.claimCheckSlot(ownerId, 1, count));
  if (!claimed) throw new AppError('check_limit_reached');
}

/** The identity and state of a check from another instance. */
export interface GivenCheck {
  /** Absent: a new one. The caller has made sure that no check has it. */
  readonly uuid?: string;
  /** Absent: it is new. */
  readonly arrival?: Arrival;
  /** Makes the new check what it was in another program. */
  readonly asItWas?: (check: NewCheck) => NewCheck;
  /** Who has set the fields. Absent: the actor. Null: nobody. */
  readonly setBy?: SourceMark | null;
}

interface InsertedCheck extends Omit<GivenCheck, 'setBy'> {
  /** Absent: nobody has set anything. */
  readonly sources?: string | null;
}

export async function insertCheck(
  deps: Pick<CheckDeps, 'clock' | 'random'>,
  tx: Writes,
  projectId: number,
  edit: CheckEdit,
  given: InsertedCheck = {},
): Promise<Check> {
  return cover(deps, tx, await tx.checks.insert(newCheckIn(deps, projectId, edit, given)));
}

function newCheckIn(
  { clock, random }: Pick<CheckDeps, 'clock' | 'random'>,
  projectId: number,
  edit: CheckEdit,
  { uuid = random.uuid(), arrival, asItWas = (check) => check, sources = null }: InsertedCheck = {},
): NewCheck {
  const identity = { uuid, badgeKey: random.uuid(), projectId, createdAt: clock.now() };
  const check = newCheck(editConfig(DEFAULT_CONFIG, edit), identity, sources);
  return arrival === undefined ? asItWas(check) : arrived(check, arrival);
}

/** The channels that a `channels` value names; null when it is absent. */
async function namedChannels(
  tx: Writes,
  projectId: number,
  value: string | undefined,
): Promise<Channel[] | null> {
  if (value === undefined) return null;
  return selectChannels(value, await tx.channels.ofProject(projectId));
}

export async function assign(tx: Writes, check: Check, channels: readonly Channel[]): Promise<void> {
  await tx.checks.setChannels(
    check,
    channels.map((channel) => channel.id),
  );
}

export function uuidsOf(channels: readonly Channel[]): string[] {
  return channels.map((channel) => channel.uuid).sort();
}
