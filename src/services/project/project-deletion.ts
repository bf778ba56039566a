import type { Check } from '../../domain/check/check.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import type { Project } from '../../domain/people/project.ts';
import { HourlyPieces } from '../../lib/hourly-pieces.ts';
import type { Writes } from '../../storage/store.ts';
import { PROGRAM_ITSELF } from '../core/actor.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { markDeleted, projectSubject } from './projects.ts';

/** Rows of pings, deliveries, flips and the like that are deleted in one transaction, so that pings do not wait long. */
export const MAX_PIECE_ROWS = 500;
/** Checks that are deleted in one transaction, if they have few rows. */
const MAX_PIECE_CHECKS = 20;
/** It deletes many rows. Nobody's answer waits for that. */
const ALONE = { sharesCommit: false };

type DeletionDeps = Pick<Deps, 'store' | 'clock'>;

/** Deletes projects that nobody can restore any more. */
export function projectDeletions(deps: DeletionDeps): HourlyPieces {
  return new HourlyPieces(deps.clock, (now) => deleteDuePiece(deps, now));
}

/**
 * Deletes a piece of a project whose time was over at `now`, in one transaction. Returns whether there was one. A piece
 * begins with the remaining rows, so a process that is killed between two pieces loses nothing.
 */
export async function deleteDuePiece(deps: DeletionDeps, now = deps.clock.now()): Promise<boolean> {
  const work = async (tx: Writes) => {
    const project = await tx.projects.lockDueDeletion(now);
    if (project === null) return false;
    await deletePiece(deps, tx, project, PROGRAM_ITSELF);
    return true;
  };
  return deps.store.transaction(work, ALONE);
}

/**
 * Deletes the project for good, piece by piece. Nobody can restore it from the first piece on. If it has another owner by
 * now, it stays.
 */
export async function deleteForGood(
  deps: DeletionDeps,
  { id, ownerId }: Pick<Project, 'id' | 'ownerId'>,
  by: ActedBy,
): Promise<void> {
  const work = async (tx: Writes) => {
    const project = await tx.projects.lock(id);
    if (project?.ownerId !== ownerId) return false;
    const now = deps.clock.now();
    if (project.deletesAt === null || project.deletesAt > now) await markDeleted(tx, project, now, now);
    await deletePiece(deps, tx, project, by);
    return true;
  };
  while (await deps.store.transaction(work, ALONE));
}

/** Deletes a bounded number of rows. The project itself goes last. */
async function deletePiece(deps: DeletionDeps, tx: Writes, project: Project, by: ActedBy): Promise<void> {
  // Keys and the name in a file are free at once, also if it takes long until the project is gone.
  await tx.projects.dropNames(project.id);
  const checks = await tx.checks.pageOfProject(project.id, 0, MAX_PIECE_CHECKS);
  if (checks.length > 0) return deleteChecks(tx, project, checks);
  const bin = await tx.projects.binOf(project.id);
  const binned = bin === null ? [] : await tx.checks.pageOfProject(bin, 0, MAX_PIECE_CHECKS);
  if (binned.length > 0) {
    await deletePage(tx, binned);
    return;
  }
  const channels = await tx.channels.deleteOfProject(project.id, MAX_PIECE_ROWS);
  if (channels === MAX_PIECE_ROWS) return;
  const room = MAX_PIECE_ROWS - channels;
  if ((await tx.auditLog.forgetProject(project.id, room)) === room) return;
  await tx.projects.delete(project.id);
  await recordAct(deps, tx, by, { action: 'project.purged', subject: projectSubject(project) });
}

/** Reminders need no review: a deleted project reminds nobody. */
async function deleteChecks(tx: Writes, project: Project, checks: readonly { id: number }[]): Promise<void> {
  const deleted = await deletePage(tx, checks);
  if (deleted > 0) await tx.accounts.releaseCheckSlot(project.ownerId, deleted);
}

/** Deletes these checks as far as there is room in a piece. Returns how many are gone. */
async function deletePage(tx: Writes, checks: readonly { id: number }[]): Promise<number> {
  let room = MAX_PIECE_ROWS;
  let deleted = 0;
  for (const { id } of checks) {
    const check = await tx.checks.lock(id);
    if (check === null) continue;
    room -= await deleteHistory(tx, check, room);
    // The rest of this check comes with the next piece.
    if (room === 0) break;
    await tx.checks.delete(check);
    deleted++;
  }
  return deleted;
}

/** Deletes the history of the check. Returns the number of rows: `room` if there may be more. */
export async function deleteHistory(tx: Writes, { id, pingCount }: Check, room: number): Promise<number> {
  let left = room - (await tx.pings.prune(id, pingCount, room));
  if (left > 0) left -= await tx.deliveries.deleteOfCheck(id, left);
  if (left > 0) left -= await tx.flips.deleteOfCheck(id, left);
  if (left > 0) left -= await tx.keptRuns.deleteOfCheck(id, left);
  return room - left;
}
