import { type Check, uniqueKeyOf } from '../../domain/check/check.ts';
import { hasPingedLately, MAX_RESTORABLE_CHECKS, nameToType } from '../../domain/check/check-deletion.ts';
import { asList, circleOf, listed } from '../../domain/check/check-links.ts';
import { changedFields } from '../../domain/check/sources.ts';
import { AppError } from '../../domain/errors.ts';
import { RESTORABLE_FOR } from '../../domain/people/project.ts';
import { deleted, restored } from '../../domain/ping/transition.ts';
import { AT_ONCE_NAME } from '../../domain/policy/presets.ts';
import { HourlyPieces } from '../../lib/hourly-pieces.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import type { ListedDeletion, Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { deleteHistory, MAX_PIECE_ROWS } from '../project/project-deletion.ts';
import { chosenSettings, recordOnCheck } from './check-acts.ts';
import type { CheckWithChannels } from './check-list.ts';
import { assign, type CheckDeps, claimCheckSlot, lockOwnCheck, uuidsOf } from './checks.ts';
import { cover } from './quiet-coverage.ts';

/** The reason in the log of deliveries that were still open. */
const DELETED = 'The check was deleted';
/** It deletes many rows. Nobody's answer waits for that. */
const ALONE = { sharesCommit: false };

/** The person's confirmation: the typed name of the check, or one for several checks at once. Null: none. */
export type Assurance = { readonly typedName: string } | 'given' | null;

/**
 * Deletes the check so that it can be restored for a while. It moves, with its history, to a project that nobody can
 * enter, and is pinged by another UUID there, which nobody knows. So no look-up of the project's checks finds it.
 */
export async function removeCheck(
  deps: CheckDeps,
  actor: Actor,
  id: number,
  assurance: Assurance,
): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const ownerId = await tx.projects.lockOwner(actor.projectId);
    const check = await lockOwnCheck(tx, actor, id);
    const now = deps.clock.now();
    requireAssurance(check, assurance, now);
    const channels = await tx.channels.ofProject(actor.projectId);
    const channelUuids = await tx.checks.channelsOf(id);
    const assigned = channels.filter(({ uuid }) => channelUuids.includes(uuid));
    const reminded = check.status === 'down' ? await tx.mailPreferences.lockAccountsToRemind([id]) : [];
    await tx.deliveries.withholdOfCheck(id, DELETED, now);
    await tx.outages.endOf(id, now);
    await tx.checkParents.wakeChildren([id], now);
    await tx.checkParents.noteChildren([id]);
    await assign(tx, check, []);
    const declaration = await tx.declarations.ofCheck(id);
    await putIntoBin(deps, tx, check);
    const deletesAt = now + RESTORABLE_FOR;
    await tx.deletedChecks.insert({
      id,
      projectId: actor.projectId,
      uuid: check.uuid,
      channelIds: assigned.map((channel) => channel.id),
      deletesAt,
      declaration,
    });
    await tx.deletedChecks.expireBeyond(actor.projectId, MAX_RESTORABLE_CHECKS, now);
    await tx.mailPreferences.updateReminderDates(reminded, now);
    if (ownerId !== null) await tx.accounts.releaseCheckSlot(ownerId);
    await recordOnCheck(deps, tx, actor, check, {
      action: 'check.deleted',
      details: {
        before: chosenSettings({ check, channelUuids }),
        restorableUntil: toIsoSeconds(deletesAt),
      },
    });
    return { check, channelUuids };
  });
}

/** Jobs may still use the address of a check that was pinged lately, so its name is asked for. */
function requireAssurance(check: Check, assurance: Assurance, now: Instant): void {
  if (assurance === 'given' || !hasPingedLately(check, now)) return;
  if (assurance === null)
    throw new AppError('name_required', 'Type the name of the check.', { field: 'name' });
  if (assurance.typedName !== nameToType(check))
    throw new AppError('invalid_field', 'This is not the name of the check.', { field: 'name' });
}

async function putIntoBin(deps: CheckDeps, tx: Writes, check: Check): Promise<void> {
  const { projectId } = check;
  await tx.projects.addBin(projectId, {
    uuid: deps.random.uuid(),
    badgeKey: deps.random.uuid(),
    createdAt: deps.clock.now(),
  });
  const bin = await tx.projects.binOf(projectId);
  if (bin === null) throw new AppError('project_not_found');
  const uuid = deps.random.uuid();
  const hidden = { ...deleted(check), projectId: bin, uuid, uniqueKey: uniqueKeyOf(uuid) };
  await tx.checks.saveIdentity(check, hidden);
}

/** Brings back a check that was deleted, with its address, its history, and the channels that still exist. */
export async function restoreCheck(deps: CheckDeps, actor: Actor, uuid: string): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction((tx) => restoreCheckIn(deps, tx, actor, uuid));
}

/** Does the same in the caller's transaction. */
export async function restoreCheckIn(
  deps: Pick<CheckDeps, 'clock' | 'random'>,
  tx: Writes,
  actor: Actor,
  uuid: string,
): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  const now = deps.clock.now();
  await claimCheckSlot(tx, actor.projectId);
  const found = await tx.deletedChecks.lock(actor.projectId, uuid, now);
  if (found === null) throw new AppError('check_not_found');
  const known = await tx.channels.ofProject(actor.projectId);
  const named: Check = {
    ...restored(found.check, now),
    ...{ projectId: actor.projectId, uuid, uniqueKey: uniqueKeyOf(uuid) },
  };
  await tx.checks.saveIdentity(found.check, named);
  const back: Check = {
    ...named,
    policy: await knownPolicy(tx, actor.projectId, found.check.policy),
    doneChannels: asList(
      listed(found.check.doneChannels).filter((one) => known.some((channel) => channel.uuid === one)),
    ),
    parents: await knownParents(tx, actor.projectId, found.check),
  };
  if (changedFields(found.check, back).length > 0) await tx.checks.saveConfig(back);
  if (back.parents !== found.check.parents) await tx.checkParents.save(back);
  const check = await cover(deps, tx, back);
  const channels = known.filter((channel) => found.deleted.channelIds.includes(channel.id));
  await assign(tx, check, channels);
  await tx.deletedChecks.delete(check.id);
  if (check.status === 'down')
    await tx.mailPreferences.updateReminderDates(
      await tx.mailPreferences.lockAccountsToRemind([check.id]),
      now,
    );
  await recordOnCheck(deps, tx, actor, check, { action: 'check.restored', details: {} });
  return { check, channelUuids: uuidsOf(channels) };
}

/** The name of the policy, unless it was deleted or renamed meanwhile. */
async function knownPolicy(tx: Writes, projectId: number, name: string): Promise<string> {
  if (name === '' || name === AT_ONCE_NAME) return name;
  const policies = await tx.policies.ofProject(projectId);
  return policies.some((policy) => policy.name === name) ? name : '';
}

/** The parents of a check that is back in the project. None if one of them has come to depend on it. */
async function knownParents(tx: Writes, projectId: number, { id, parents }: Check): Promise<string> {
  if (parents === '') return '';
  const found = await tx.checkParents.ofChecks([id]);
  const ids = found.map((parent) => parent.id);
  return circleOf(id, ids, await tx.checkParents.ofProject(projectId)) === null ? parents : '';
}

/** The checks of the project that can be restored, the last deleted first. */
export async function listDeleted(
  { store, clock }: Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> },
  actor: Actor,
): Promise<ListedDeletion[]> {
  requirePermission(actor, 'checks.edit');
  return store.deletedChecks.ofProject(actor.projectId, clock.now(), MAX_RESTORABLE_CHECKS);
}

type DeletionDeps = Pick<Deps, 'store' | 'clock'>;

/** Deletes checks that nobody can restore any more. */
export function checkDeletions(deps: DeletionDeps): HourlyPieces {
  return new HourlyPieces(deps.clock, (now) => purgeDuePiece(deps, now));
}

/** Deletes a bounded number of rows of a check whose time was over at `now`. Returns whether there was one. */
export async function purgeDuePiece({ store }: DeletionDeps, now: Instant): Promise<boolean> {
  const work = async (tx: Writes) => {
    const check = await tx.deletedChecks.lockDue(now);
    if (check === null) return false;
    const rows = await deleteHistory(tx, check, MAX_PIECE_ROWS);
    if (rows < MAX_PIECE_ROWS) await tx.checks.delete(check);
    return true;
  };
  return store.transaction(work, ALONE);
}
