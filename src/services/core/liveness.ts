import { LEASE_SPAN } from '../../domain/alert/delivery.ts';
import { TOLERATED_AHEAD } from '../../domain/check/status.ts';
import { bringBack, isAhead } from '../../domain/ping/transition.ts';
import { MAX_SNOOZE } from '../../domain/policy/outage.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { BlindSpan, HeldCheck, Reads, Writes } from '../../storage/store.ts';
import type { Deps } from './deps.ts';
import { ofProgram, valueRead } from './reads.ts';

/** The interval at which a node records that it is watching. */
export const BEAT_SPAN = seconds(5);
/** When no node has beaten for this long, pings may have been missed. */
export const BLIND_AFTER = seconds(30);
/** After a blind span, checks get at least this long to ping again. */
const MIN_EXCUSE = seconds(300);
const FORGET_NODES_AFTER = seconds(86_400);
/** Checks read at once after the clock was set back. */
const PAGE = 500;

type LivenessDeps = Pick<Deps, 'store' | 'reads' | 'clock'>;

export interface Blindness extends BlindSpan {
  /** The number of checks that would have gone down in that time. */
  readonly excused: number;
}

export interface BeatResult {
  /** The blind span that this beat ended, if there was one. */
  readonly blindness: Blindness | null;
  /** The clock was set back: there were beats dated in the future. */
  readonly wasAhead: boolean;
}

/**
 * Records that this node is watching. Usually another beat was recorded just before. If there was none for BLIND_AFTER,
 * nobody was watching: the nodes were stopped, the database was away, the machine slept, or its clock jumped. Then
 * deadlines of that time prove nothing. They are put off, counted from now, and the blind span is recorded.
 * `hasWatched` says that this node was watching, even if the clocks say otherwise. `version` is the release of its program.
 */
export async function recordBeat(
  deps: LivenessDeps,
  node: string,
  hasWatched: boolean,
  version: string | null = null,
): Promise<BeatResult> {
  const last = await deps.store.liveness.lastBeatAt();
  // This comes before the beats of the future are removed. If the node dies in between, they show the next node that
  // this is still to be done.
  if (last !== null && last - deps.clock.now() > TOLERATED_AHEAD) await bringAllBack(deps);
  return deps.store.transaction(async (tx) => {
    await tx.liveness.lock();
    const now = deps.clock.now();
    const wasAhead = (await tx.liveness.forgetAfter(now + TOLERATED_AHEAD)) > 0;
    const last = await tx.liveness.lastBeatAt();
    await tx.liveness.beat(node, now, now - FORGET_NODES_AFTER, version);
    if (last !== null && now - last > BLIND_AFTER) {
      return { blindness: await excuse(tx, last, now), wasAhead };
    }
    // All beats were in the future, so the last time at which anybody watched is unknown.
    const isUnknown = last === null && wasAhead && !hasWatched;
    return { blindness: isUnknown ? await excuse(tx, null, now) : null, wasAhead };
  });
}

/** Deadlines up to this time are reliable: now, or the last beat when a blind span has not been recorded yet. */
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
 * Repairs dates in the future after the clock was set back: they would delay deadlines and messages. Checks are changed
 * in small transactions, so that pings do not wait long for the locks.
 */
async function bringAllBack(deps: LivenessDeps): Promise<void> {
  const { store, reads, clock } = deps;
  for (let afterId: number | null = 0; afterId !== null; ) {
    const { head }: { head: ChecksAhead } = await reads.ask(checksAhead, afterId);
    if (head.uuids.length > 0) await bringChecksBack(deps, head.uuids);
    afterId = head.lastId;
  }
  for (let afterId: number | null = 0; afterId !== null; ) {
    const after: number = afterId;
    afterId = await store.transaction((tx) => tx.outages.bringBack(clock.now(), after, PAGE));
  }
  await store.transaction(async (tx) => {
    await tx.liveness.cutBlindSpans(clock.now());
    await tx.quietTimes.beginAnew(clock.now());
    await tx.checks.shortenSnoozes(clock.now() + MAX_SNOOZE);
    // Not sooner: a message that is being sent now is leased until then, and must not be sent twice.
    await tx.deliveries.bringForward(clock.now() + LEASE_SPAN);
    await tx.mails.bringForward(clock.now() + LEASE_SPAN);
    await tx.channelMessages.bringForward(clock.now() + LEASE_SPAN);
    await tx.channels.forgetReportDates(clock.now());
  });
}

/** Some of the checks that have dates in the future. */
interface ChecksAhead {
  readonly uuids: readonly string[];
  /** The last check that was looked at. Null when no check is left to look at. */
  readonly lastId: number | null;
}

/** Looks at a page of all checks after that id. */
export const checksAhead = valueRead(
  ofProgram,
  async ({ store, clock }: Pick<Deps, 'store' | 'clock'>, afterId: number): Promise<ChecksAhead> => {
    const page = await store.checks.pageOfAll(afterId, PAGE);
    return {
      uuids: page.filter((check) => isAhead(check, clock.now())).map(({ uuid }) => uuid),
      lastId: page.length < PAGE ? null : (page.at(-1)?.id ?? null),
    };
  },
);

async function bringChecksBack({ store, clock }: LivenessDeps, uuids: readonly string[]): Promise<void> {
  await store.transaction(async (tx) => {
    const held = await tx.checks.lockMany(uuids);
    const now = clock.now();
    await tx.checks.saveStates(
      held.filter((check) => isAhead(check, now)).map((check) => backed(check, now)),
    );
  });
}

function backed(check: HeldCheck, now: Instant): HeldCheck {
  try {
    return bringBack(check, now, excuseOf(check));
  } catch {
    // This deadline makes the deadline loop look at the check, and put it off as one that cannot be evaluated.
    return { ...check, deadlineAt: now };
  }
}

/** For how long a deadline that passed while nobody watched is put off. */
export function excuseOf({ graceSeconds }: Pick<HeldCheck, 'graceSeconds'>): Micros {
  return Math.max(seconds(graceSeconds), MIN_EXCUSE);
}
