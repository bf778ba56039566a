import type { Check } from '../../domain/check/check.ts';
import { type Micros, seconds } from '../../lib/instant.ts';
import { checkPrefix, objectKey, pingNumberOf } from '../../objects/object-key.ts';
import { MAX_OPERATION_SECONDS, type ObjectStore } from '../../objects/object-store.ts';
import type { BodyMove, ObjectDeletion } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

/**
 * An upload begins within this time after its claim, and lasts at most MAX_OPERATION_SECONDS. A claim lasts for both.
 */
const BEGIN_WITHIN: Micros = seconds(300);
const CLAIM: Micros = BEGIN_WITHIN + seconds(MAX_OPERATION_SECONDS);
/** Slow object storage can make a tick take this long. The loop has not failed then. */
export const MAX_BODIES_TICK: Micros = CLAIM;
const MIN_PAUSE: Micros = seconds(10);
const MAX_PAUSE: Micros = seconds(900);
/** Bodies that share the two transactions of a tick. */
const MAX_MOVES_AT_ONCE = 32;
/** Requests to object storage that are open at the same time. */
const MAX_CONCURRENT_REQUESTS = 8;

type Workers = Pick<Deps, 'store' | 'clock' | 'objects'>;

/** `failures` of the object storage. The work that failed is tried again later. */
export interface TickResult {
  readonly done: number;
  readonly failures: readonly unknown[];
}

const NOTHING: TickResult = { done: 0, failures: [] };

/** The pause after this many attempts: 10 seconds, doubled each time, at most 15 minutes. */
export function pauseAfter(attempts: number): Micros {
  return Math.min(MIN_PAUSE * 2 ** Math.max(0, attempts - 1), MAX_PAUSE);
}

/**
 * Returns the body of a ping from the database or from object storage. Returns null when there is none, when its object
 * is missing, or when no object storage is configured.
 */
export async function readBody(
  deps: Pick<Deps, 'store' | 'objects'>,
  check: Pick<Check, 'id'>,
  n: number,
): Promise<Uint8Array | null> {
  const stored = await deps.store.pings.body(check.id, n);
  if (stored !== null || deps.objects === null) return stored;
  // The body may have been moved, perhaps a moment ago.
  const object = await deps.store.pings.objectOf(check.id, n);
  return object === null ? null : deps.objects.get(objectKey(object.checkUuid, n), object.size);
}

/**
 * Moves some bodies to object storage in three steps. A transaction claims them, so that several nodes can do this at
 * once. They are uploaded outside of any transaction. A second transaction removes them from the database. At every
 * moment a body is in at least one of the two places. The claim of a node that dies expires.
 */
export async function moveBodies(deps: Workers): Promise<TickResult> {
  const { objects } = deps;
  if (objects === null) return NOTHING;
  const beginUntil = deps.clock.now() + BEGIN_WITHIN;
  const moves = await claimMoves(deps);
  const uploaded: BodyMove[] = [];
  const postponed: BodyMove[] = [];
  const failures: unknown[] = [];
  await workConcurrently(moves, async (move) => {
    // After one failure the other uploads are postponed: they would most likely fail as well.
    if (failures.length > 0 || deps.clock.now() > beginUntil) {
      postponed.push(move);
      return;
    }
    try {
      await upload(deps, objects, move);
      uploaded.push(move);
    } catch (failure) {
      failures.push(failure);
      postponed.push(move);
    }
  });
  if (moves.length > 0) await settleMoves(deps, uploaded, postponed);
  return { done: uploaded.length, failures };
}

async function claimMoves({ store, clock }: Workers): Promise<BodyMove[]> {
  const until = clock.now() + CLAIM;
  const due = await store.bodies.dueMoves(clock.now(), MAX_MOVES_AT_ONCE);
  if (due.length === 0) return [];
  return store.transaction(async (tx) => {
    const claimed: BodyMove[] = [];
    for (const move of due.sort(byPing)) {
      const mine = await tx.bodies.claimMove(move, until);
      if (mine !== null) claimed.push(mine);
    }
    return claimed;
  });
}

/** Does nothing when the ping was deleted or its body has already moved. */
async function upload({ store }: Workers, objects: ObjectStore, move: BodyMove): Promise<void> {
  const body = await store.pings.body(move.checkId, move.n);
  if (body !== null) await objects.put(objectKey(move.checkUuid, move.n), body);
}

async function settleMoves(
  { store, clock }: Workers,
  uploaded: BodyMove[],
  postponed: BodyMove[],
): Promise<void> {
  await store.transaction(async (tx) => {
    for (const move of uploaded.sort(byPing)) await tx.bodies.finishMove(move);
    for (const move of postponed.sort(byPing)) {
      await tx.bodies.postponeMove(move, clock.now() + pauseAfter(move.attempts));
    }
  });
}

/** Everybody who locks rows of several pings uses this order. It prevents deadlocks. */
function byPing(one: BodyMove, two: BodyMove): number {
  return one.checkId - two.checkId || one.n - two.n;
}

/**
 * Deletes objects whose pings are deleted, of one check, one page of the listing at a time. Deletes only objects whose
 * keys name a ping that is to be deleted.
 */
export async function deleteObjects(deps: Workers): Promise<TickResult> {
  const { store, clock, objects } = deps;
  if (objects === null) return NOTHING;
  const due = await store.bodies.dueDeletion(clock.now());
  const deletion =
    due && (await store.transaction((tx) => tx.bodies.claimDeletion(due, clock.now() + CLAIM)));
  if (deletion === null) return NOTHING;
  try {
    const { removed, hasMore } = await deletePage(objects, deletion);
    await store.transaction((tx) =>
      hasMore ? tx.bodies.postponeDeletion(deletion, clock.now()) : tx.bodies.finishDeletion(deletion),
    );
    return { done: Math.max(1, removed), failures: [] };
  } catch (failure) {
    const until = clock.now() + pauseAfter(deletion.attempts);
    await store.transaction((tx) => tx.bodies.postponeDeletion(deletion, until));
    return { done: 0, failures: [failure] };
  }
}

async function deletePage(
  objects: ObjectStore,
  { checkUuid, upTo }: ObjectDeletion,
): Promise<{ removed: number; hasMore: boolean }> {
  const isWhole = upTo === Number.MAX_SAFE_INTEGER;
  // Keys sort later pings first.
  const after = isWhole ? checkPrefix(checkUuid) : objectKey(checkUuid, upTo + 1);
  const { keys, hasMore } = await objects.list(checkPrefix(checkUuid), after);
  const doomed = keys.filter((key) => {
    const n = pingNumberOf(key, checkUuid);
    return n !== null && n <= upTo;
  });
  await workConcurrently(doomed, (key) => objects.delete(key));
  // A page with only foreign keys would be the same the next time, so it ends the deletion.
  return { removed: doomed.length, hasMore: hasMore && doomed.length > 0 };
}

/**
 * Does the work for all items, MAX_CONCURRENT_REQUESTS at a time. Waits until all started work has ended, and then
 * throws the first failure.
 */
async function workConcurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT_REQUESTS }, worker));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
