import type { Channel } from '../domain/channel.ts';
import { selectChannels } from '../domain/channel-selection.ts';
import { type Check, type CheckMatch, type CheckRef, DEFAULT_CONFIG, newCheck } from '../domain/check.ts';
import { type CheckEdit, editCheck, editConfig } from '../domain/check-edit.ts';
import { AppError } from '../domain/errors.ts';
import { editQuietly, pause, resume, type Transition } from '../domain/transition.ts';
import type { CheckRevision, Writes } from '../storage/store.ts';
import { type Actor, ownCheck, requirePermission } from './actor.ts';
import type { CheckWithChannels, RevisedCheckWithChannels } from './check-list.ts';
import type { Deps } from './deps.ts';
import { recordFlips } from './flips.ts';
import { watchedUntil } from './liveness.ts';
import { holdReminded, reviewHeld } from './reminders.ts';

export async function findCheck(deps: Pick<Deps, 'store'>, actor: Actor, ref: CheckRef): Promise<Check> {
  requirePermission(actor, 'checks.view');
  if ('uuid' in ref) return ownCheck(actor, await deps.store.checks.byUuid(ref.uuid));
  return ownCheck(actor, await deps.store.checks.byUniqueKey(actor.projectId, ref.uniqueKey));
}

/** Tells which check it is and in which form, without reading it. */
export async function findRevision(deps: Deps, actor: Actor, ref: CheckRef): Promise<CheckRevision> {
  requirePermission(actor, 'checks.view');
  if ('uuid' in ref) return ownCheck(actor, await deps.store.checks.revisionByUuid(ref.uuid));
  return ownCheck(actor, await deps.store.checks.revisionByUniqueKey(actor.projectId, ref.uniqueKey));
}

/** Reads the check that `findRevision` has found. */
export async function readCheck(
  deps: Deps,
  actor: Actor,
  { id }: CheckRevision,
): Promise<RevisedCheckWithChannels> {
  requirePermission(actor, 'checks.view');
  const check = ownCheck(actor, await deps.store.checks.revisedById(id));
  // They are read last, as in `readChecks`.
  return { check, channelUuids: await deps.store.checks.channelsOf(id) };
}

/** What the verbs that write checks need. */
export type CheckDeps = Pick<Deps, 'store' | 'clock' | 'random'>;

/** Locks the check until the transaction ends. It may have been deleted since it was found. */
async function lockOwnCheck(tx: Writes, actor: Actor, id: number): Promise<Check> {
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
    const existing = await matchOrClaim(tx, actor.projectId, input.match);
    const isNew = existing === null;
    const channels = await namedChannels(tx, actor.projectId, input.channels);
    const check = isNew
      ? await insertCheck(deps, tx, actor.projectId, input.edit)
      : editCheck(existing, input.edit);
    if (!isNew) await tx.checks.saveConfig(check);
    return { ...(await withChannels(tx, check, channels)), isNew };
  });
}

/** Returns the matching check. Returns null when there is none; then a slot for a new one is claimed. */
async function matchOrClaim(tx: Writes, projectId: number, match: CheckMatch | null): Promise<Check | null> {
  if (match === null) {
    await claimCheckSlot(tx, projectId);
    return null;
  }
  const existing = await tx.checks.lockMatching(projectId, match);
  if (existing !== null) return existing;
  const ownerId = await tx.projects.holdOwner(projectId);
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
}

export async function updateCheck(
  deps: CheckDeps,
  actor: Actor,
  id: number,
  input: UpdateCheck,
): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const { check, flips } = await edited(deps, tx, await lockOwnCheck(tx, actor, id), input);
    const channels = await namedChannels(tx, actor.projectId, input.channels);
    await tx.checks.saveConfig(check);
    if (flips.length > 0) await tx.checks.saveState(check);
    await recordFlips(deps, tx, flips, deps.clock.now());
    return withChannels(tx, check, channels);
  });
}

async function edited(
  deps: CheckDeps,
  tx: Writes,
  before: Check,
  { edit, isQuiet = false }: UpdateCheck,
): Promise<Transition> {
  if (!isQuiet) return { check: editCheck(before, edit), flips: [] };
  const now = deps.clock.now();
  return editQuietly(before, edit, now, await watchedUntil(tx, now));
}

export async function pauseCheck(deps: CheckDeps, actor: Actor, id: number): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const before = await lockOwnCheck(tx, actor, id);
    const now = deps.clock.now();
    return record(deps, tx, pause(before, now, await watchedUntil(tx, now)));
  });
}

export async function resumeCheck(deps: CheckDeps, actor: Actor, id: number): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const before = await lockOwnCheck(tx, actor, id);
    if (before.status !== 'paused') throw new AppError('check_not_paused');
    return record(deps, tx, resume(before, deps.clock.now()));
  });
}

/** Writes the new state and its flips in one transaction. */
async function record(deps: CheckDeps, tx: Writes, { check, flips }: Transition): Promise<CheckWithChannels> {
  await tx.checks.saveState(check);
  await recordFlips(deps, tx, flips, deps.clock.now());
  return { check, channelUuids: await tx.checks.channelsOf(check.id) };
}

/** Returns the check as it was before. */
export async function deleteCheck(deps: CheckDeps, actor: Actor, id: number): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    // The project comes before its checks: pings that create checks lock them in this order, too.
    const ownerId = await tx.projects.holdOwner(actor.projectId);
    const check = await lockOwnCheck(tx, actor, id);
    const channelUuids = await tx.checks.channelsOf(id);
    const reminded = check.status === 'down' ? await holdReminded(tx, [id]) : [];
    await tx.checks.delete(check);
    await reviewHeld(tx, reminded, deps.clock.now());
    if (ownerId !== null) await tx.accounts.releaseCheckSlot(ownerId);
    return { check, channelUuids };
  });
}

/** Counts a new check for the owner of the project, who cannot hand the project over meanwhile. */
export async function claimCheckSlot(tx: Writes, projectId: number): Promise<void> {
  const ownerId = await tx.projects.holdOwner(projectId);
  const claimed = ownerId !== null && (await tx.accounts.claimCheckSlot(ownerId));
  if (!claimed) throw new AppError('check_limit_reached');
}

export async function insertCheck(
  deps: Pick<CheckDeps, 'clock' | 'random'>,
  tx: Writes,
  projectId: number,
  edit: CheckEdit,
): Promise<Check> {
  return tx.checks.insert(
    newCheck(editConfig(DEFAULT_CONFIG, edit), {
      uuid: deps.random.uuid(),
      badgeKey: deps.random.uuid(),
      projectId,
      createdAt: deps.clock.now(),
    }),
  );
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

/** Assigns the named channels, if any, and returns the check with its present channels. */
async function withChannels(
  tx: Writes,
  check: Check,
  channels: Channel[] | null,
): Promise<CheckWithChannels> {
  if (channels === null) return { check, channelUuids: await tx.checks.channelsOf(check.id) };
  await tx.checks.setChannels(
    check,
    channels.map((channel) => channel.id),
  );
  return { check, channelUuids: channels.map((channel) => channel.uuid).sort() };
}
