import { AppError } from '../../domain/errors.ts';
import type { Actor } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import type { CheckCommand, CheckResult } from './check-commands.ts';
import { findRevision } from './checks.ts';

/** Commands that wait at the same time. Other requests of the project find room in the queue beside them. */
const AT_ONCE = 25;

interface Performer {
  perform(command: CheckCommand): Promise<CheckResult>;
}

/** The UUIDs of the changed checks, and the others by the reason. */
export interface BulkResult {
  readonly done: readonly string[];
  readonly refused: ReadonlyMap<AppError['code'], { readonly error: AppError; readonly uuids: string[] }>;
}

/** A command for the check with this id, or the reason why there is none. */
export type CommandFor = (id: number) => CheckCommand;

/** Performs a command on many checks of the project. A check that fails does not concern the others. */
export async function performOnMany(
  deps: Pick<Deps, 'store'>,
  performer: Performer,
  actor: Actor,
  uuids: readonly string[],
  commandFor: CommandFor,
): Promise<BulkResult> {
  return onMany(deps, actor, uuids, (id) => performer.perform(commandFor(id)));
}

/** Does something to many checks of the project, by their ids. */
export async function onMany(
  deps: Pick<Deps, 'store'>,
  actor: Actor,
  uuids: readonly string[],
  act: (id: number) => Promise<unknown>,
): Promise<BulkResult> {
  return inChunks(uuids, async (uuid) => {
    const { id } = await findRevision(deps, actor, { uuid });
    await act(id);
  });
}

/** Restores many checks that were deleted. */
export async function restoreMany(
  performer: Performer,
  actor: Actor,
  uuids: readonly string[],
): Promise<BulkResult> {
  return inChunks(uuids, async (uuid) => {
    await performer.perform({ verb: 'restore', actor, uuid });
  });
}

async function inChunks(uuids: readonly string[], act: (uuid: string) => Promise<void>): Promise<BulkResult> {
  const done: string[] = [];
  const refused = new Map<AppError['code'], { error: AppError; uuids: string[] }>();
  for (let start = 0; start < uuids.length; start += AT_ONCE) {
    const chunk = uuids.slice(start, start + AT_ONCE);
    const ended = await Promise.allSettled(chunk.map(act));
    for (const [index, outcome] of ended.entries()) {
      const uuid = chunk[index] ?? '';
      if (outcome.status === 'fulfilled') done.push(uuid);
      else note(refused, outcome.reason, uuid);
    }
  }
  return { done, refused };
}

/** A check of another project is as unknown as one that does not exist. */
function note(
  refused: Map<AppError['code'], { error: AppError; uuids: string[] }>,
  reason: unknown,
  uuid: string,
): void {
  if (!(reason instanceof AppError)) throw reason;
  const error = reason.code === 'check_of_other_project' ? new AppError('check_not_found') : reason;
  refused.getOrInsertComputed(error.code, () => ({ error, uuids: [] })).uuids.push(uuid);
}
