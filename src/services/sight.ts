import { type Instant, seconds } from '../lib/instant.ts';
import type { BlindSpan, Reads } from '../storage/store.ts';
import type { Deps } from './deps.ts';

/** How often a node says that it is watching. */
export const BEAT_SPAN = seconds(5);
/** After so long without a word from any node, pings may have been missed. */
export const BLIND_AFTER = seconds(30);
/** What checks are given at least to make themselves heard again. */
const LEAST_EXCUSE = seconds(300);
const FORGET_NODES_AFTER = seconds(86_400);

export interface Blindness extends BlindSpan {
  /** How many checks would have gone down meanwhile. */
  readonly excused: number;
}

/**
 * Says that this node is watching. If no node was for a while (we were stopped, the database was away, the
 * machine slept, or its clock jumped), then what came due meanwhile proves nothing: those deadlines are put off
 * from now, and the time is recorded. Returns it when there was such a time.
 */
export async function keepWatch(
  deps: Pick<Deps, 'store' | 'clock'>,
  node: string,
): Promise<Blindness | null> {
  return deps.store.transaction(async (tx) => {
    const now = deps.clock.now();
    const last = await tx.watch.lastBeatAt();
    await tx.watch.beat(node, now, now - FORGET_NODES_AFTER);
    if (last === null || now - last <= BLIND_AFTER) return null;
    return excuse(tx, last, now);
  });
}

/** Until when deadlines mean something: now, unless we are blind and have not found out yet. */
export async function watchedUntil(tx: Reads, now: Instant): Promise<Instant> {
  const last = await tx.watch.lastBeatAt();
  return last === null || now - last <= BLIND_AFTER ? now : last;
}

type Tx = Parameters<Parameters<Deps['store']['transaction']>[0]>[0];

async function excuse(tx: Tx, from: Instant, until: Instant): Promise<Blindness> {
  await tx.watch.addBlindSpan({ from, until });
  const excused = await tx.checks.excuseOverdue(from, until, LEAST_EXCUSE);
  return { from, until, excused };
}
