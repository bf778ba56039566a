import type { PingedCheck } from '../domain/check.ts';
import { LEASE_SPAN } from '../domain/delivery.ts';
import { TOLERATED_AHEAD } from '../domain/status.ts';
import { bringBack, isAhead } from '../domain/transition.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';
import type { BlindSpan, HeldCheck, Reads, Writes } from '../storage/store.ts';
import type { Deps } from './deps.ts';

/** How often a node says that it is watching. */
export const BEAT_SPAN = seconds(5);
/** After so long without a word from any node, pings may have been missed. */
export const BLIND_AFTER = seconds(30);
/** What checks are given at least to make themselves heard again. */
const MIN_EXCUSE = seconds(300);
const FORGET_NODES_AFTER = seconds(86_400);
/** Checks that are looked at in one go when the clock was set back. */
const PAGE = 500;

type LivenessDeps = Pick<Deps, 'store' | 'clock'>;

export interface Blindness extends BlindSpan {
  /** How many checks would have gone down meanwhile. */
  readonly excused: number;
}

/** What a node found out when it said that it is watching. */
export interface BeatResult {
  /** When no node was for a while. */
  readonly blindness: Blindness | null;
  /** The clock was set back: nodes have been watching at times that are still to come. */
  readonly wasAhead: boolean;
}

/**
 * Says that this node is watching. If no node was for a while (we were stopped, the database was away, the
 * machine slept, or its clock jumped), then what came due meanwhile proves nothing: those deadlines are put off
 * from now, and the time is recorded. `hasWatched` says that this node was, whatever clocks say.
 */
export async function recordBeat(deps: LivenessDeps, node: string, hasWatched: boolean): Promise<BeatResult> {
  const last = await deps.store.liveness.lastBeatAt();
  // First, so that whoever dies in the middle of it leaves the sign that there is something to do.
  if (last !== null && last - deps.clock.now() > TOLERATED_AHEAD) await bringAllBack(deps);
  return deps.store.transaction(async (tx) => {
    await tx.liveness.lock();
    const now = deps.clock.now();
    const wasAhead = (await tx.liveness.forgetAfter(now + TOLERATED_AHEAD)) > 0;
    const last = await tx.liveness.lastBeatAt();
    await tx.liveness.beat(node, now, now - FORGET_NODES_AFTER);
    if (last !== null && now - last > BLIND_AFTER) {
      return { blindness: await excuse(tx, last, now), wasAhead };
    }
    // When it was that somebody watched before the clock was set back, nobody knows.
    const isUnknown = last === null && wasAhead && !hasWatched;
    return { blindness: isUnknown ? await excuse(tx, null, now) : null, wasAhead };
  });
}

/** Until when deadlines mean something: now, unless we are blind and have not found out yet. */
export async function watchedUntil(tx: Reads, now: Instant): Promise<Instant> {
  const last = await tx.liveness.lastBeatAt();
  return last === null || now - last <= BLIND_AFTER ? now : last;
}

async function excuse(tx: Writes, since: Instant | null, until: Instant): Promise<Blindness> {
  const excused = await tx.checks.excuseOverdue(since ?? 0, until, MIN_EXCUSE);
  const span = { from: since ?? until, until };
  if (span.from < until) await tx.liveness.addBlindSpan(span);
  return { ...span, excused };
}

/**
 * The clock was ahead and is set back: what it dated into the future would put off deadlines and messages by as
 * much. Checks are done in small pieces, so that pings never wait long for their turn.
 */
async function bringAllBack({ store, clock }: LivenessDeps): Promise<void> {
  for (let page: PingedCheck[], after = 0; ; after = page.at(-1)?.id ?? 0) {
    page = await store.checks.pageOfAll(after, PAGE);
    const ahead = page.filter((check) => isAhead(check, clock.now()));
    if (ahead.length > 0) await bringChecksBack({ store, clock }, ahead);
    if (page.length < PAGE) break;
  }
  await store.transaction(async (tx) => {
    // Not sooner: whoever is sending something just now has it leased, and it must not be sent twice.
    await tx.deliveries.bringForward(clock.now() + LEASE_SPAN);
    await tx.mails.bringForward(clock.now() + LEASE_SPAN);
  });
}

async function bringChecksBack(
  { store, clock }: LivenessDeps,
  checks: readonly PingedCheck[],
): Promise<void> {
  await store.transaction(async (tx) => {
    const held = await tx.checks.lockMany(checks.map(({ uuid }) => uuid));
    const now = clock.now();
    await tx.checks.saveStates(
      held.filter((check) => isAhead(check, now)).map((check) => backed(check, now)),
    );
  });
}

function backed(check: HeldCheck, now: Instant): HeldCheck {
  try {
    return bringBack(check, now, maxExcuse(check));
  } catch {
    // One that cannot be evaluated is put off by whoever looks at its deadline.
    return { ...check, deadlineAt: now };
  }
}

function maxExcuse({ graceSeconds }: HeldCheck): Micros {
  return Math.max(seconds(graceSeconds), MIN_EXCUSE);
}
