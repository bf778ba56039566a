import type { Check } from '../../domain/check/check.ts';
import { uniqueKeyOf } from '../../domain/check/check.ts';
import { copyOf } from '../../domain/check/check-copy.ts';
import { AppError } from '../../domain/errors.ts';
import { withoutHistory } from '../../domain/ping/transition.ts';
import type { Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordOnCheck } from './check-acts.ts';
import type { CheckWithChannels } from './check-list.ts';
import { addCheck, assign, type CheckDeps, claimCheckSlot, lockOwnCheck, uuidsOf } from './checks.ts';
import { cover } from './quiet-coverage.ts';

/** More rows than a check has. */
const ALL_ROWS = Number.MAX_SAFE_INTEGER;

/**
 * Makes a check with the same settings in the project of `target`. In the same project it has the same channels, in
 * another one all of that project's.
 */
export async function copyCheck(
  deps: CheckDeps,
  actor: Actor,
  id: number,
  target: Actor,
): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  requirePermission(target, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    await claimCheckSlot(tx, target.projectId);
    const original = await lockOwnCheck(tx, actor, id);
    const channels = await tx.channels.ofProject(target.projectId);
    const assigned = new Set(await tx.checks.channelsOf(id));
    const wanted =
      target.projectId === actor.projectId ? channels.filter(({ uuid }) => assigned.has(uuid)) : channels;
    const edit = copyOf(original);
    // What it is linked with stays behind, and another project does not know the policy.
    const kept =
      target.projectId === actor.projectId ? edit : { ...edit, parents: '', doneChannels: '', policy: '' };
    return addCheck(deps, tx, target, kept, wanted);
  });
}

/**
 * Moves a check to the project of `target`, where it gets all channels. Its ping address stays. Deliveries do not move
 * with it, because they name channels of the project that it leaves.
 */
export async function moveCheck(
  deps: CheckDeps,
  actor: Actor,
  id: number,
  target: Actor,
): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  requirePermission(target, 'checks.edit');
  if (target.projectId === actor.projectId)
    throw new AppError('invalid_field', 'The check is in this project already.', { field: 'project' });
  return deps.store.transaction(async (tx) => {
    await moveSlot(tx, actor.projectId, target.projectId);
    const before = await lockOwnCheck(tx, actor, id);
    const channels = await tx.channels.ofProject(target.projectId);
    const reminded = before.status === 'down' ? await tx.mailPreferences.lockAccountsToRemind([id]) : [];
    const moved = {
      ...before,
      projectId: target.projectId,
      policy: '',
      parents: '',
      doneChannels: '',
      snoozedUntilAt: null,
      snoozedBy: null,
      isHeard: false,
    };
    await tx.deliveries.deleteOfCheck(id, ALL_ROWS);
    await tx.outages.deleteOf(id);
    if (before.snoozedUntilAt !== null) await tx.checks.snooze(before, null);
    await tx.checkParents.wakeChildren([id], deps.clock.now());
    await tx.checkParents.noteChildren([id]);
    await tx.checkParents.forget(before);
    await tx.checks.saveIdentity(before, moved);
    if (before.policy !== '') await tx.checks.setPolicies([moved]);
    const check = await cover(deps, tx, moved);
    await assign(tx, check, channels);
    const welcomed = before.status === 'down' ? await tx.mailPreferences.lockAccountsToRemind([id]) : [];
    await tx.mailPreferences.updateReminderDates([...new Set([...reminded, ...welcomed])], deps.clock.now());
    await recordOnCheck(deps, tx, actor, check, { action: 'check.moved_out', details: {} });
    await recordOnCheck(deps, tx, target, check, { action: 'check.moved_in', details: {} });
    return { check, channelUuids: uuidsOf(channels) };
  });
}

/** Counts the check for the owner of the other project. Accounts are locked in the order of their ids. */
async function moveSlot(tx: Writes, fromId: number, toId: number): Promise<void> {
  const [from, to] = [await tx.projects.lockOwner(fromId), await tx.projects.lockOwner(toId)];
  if (to === null) throw new AppError('project_not_found');
  if (from === to) return;
  if (from !== null && from < to) await tx.accounts.releaseCheckSlot(from);
  if (!(await tx.accounts.claimCheckSlot(to))) throw new AppError('check_limit_reached');
  if (from !== null && from > to) await tx.accounts.releaseCheckSlot(from);
}

/** Gives the check another ping address. The former one is unknown from now on. */
export async function replaceAddress(deps: CheckDeps, actor: Actor, id: number): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const before = await lockOwnCheck(tx, actor, id);
    const uuid = deps.random.uuid();
    const check: Check = { ...before, uuid, uniqueKey: uniqueKeyOf(uuid) };
    await tx.checks.saveIdentity(before, check);
    await recordOnCheck(deps, tx, actor, check, { action: 'check.address_replaced', details: {} });
    return { check, channelUuids: await tx.checks.channelsOf(id) };
  });
}

/** Deletes pings, kept runs, flips and deliveries of the check, which is then as if it were new. Its ping numbers continue. */
export async function clearEvents(deps: CheckDeps, actor: Actor, id: number): Promise<CheckWithChannels> {
  requirePermission(actor, 'checks.edit');
  return deps.store.transaction(async (tx) => {
    const before = await lockOwnCheck(tx, actor, id);
    const reminded = before.status === 'down' ? await tx.mailPreferences.lockAccountsToRemind([id]) : [];
    await tx.pings.prune(id, before.pingCount, ALL_ROWS);
    await tx.deliveries.deleteOfCheck(id, ALL_ROWS);
    await tx.outages.deleteOf(id);
    await tx.flips.deleteOfCheck(id, ALL_ROWS);
    await tx.keptRuns.deleteOfCheck(id, ALL_ROWS);
    const check = withoutHistory(before);
    await tx.checks.saveState(check);
    await tx.mailPreferences.updateReminderDates(reminded, deps.clock.now());
    await recordOnCheck(deps, tx, actor, check, {
      action: 'check.cleared',
      details: { pings: before.pingCount },
    });
    return { check, channelUuids: await tx.checks.channelsOf(id) };
  });
}
