import type { CheckSummary } from '../../domain/check/check.ts';
import { type Lane, laneOf, MAX_LANE_RUNS, type Window } from '../../domain/history/timeline.ts';
import { MAX_RUN, type Ping } from '../../domain/ping/ping.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Deps } from '../core/deps.ts';
import { flipsOf, readRunsOf } from './watched-runs.ts';

/** Lanes that are read at once. */
export const MAX_LANES = 60;
/** Pings of a lane that are read: three for each run, a start, a log and an end. */
export const MAX_LANE_PINGS = 3 * MAX_LANE_RUNS;
const MAX_LANE_FLIPS = 2 * MAX_LANE_RUNS;
const LATEST = Number.MAX_SAFE_INTEGER - 1;
/** A run that has begun before the window has its first pings there. */
const PINGS_BEFORE = 2;

export async function readLane(
  { store }: Pick<Deps, 'store'>,
  check: CheckSummary,
  window: Window,
  now: Instant,
): Promise<Lane> {
  const before = await store.pings.lastUntil(check.id, window.from);
  const isPast = window.until < now;
  const lastN = isPast ? ((await store.pings.lastUntil(check.id, window.until))?.n ?? 0) : LATEST;
  // The first ping after the window tells what did not come in it.
  const span = { above: Math.max(0, (before?.n ?? 0) - PINGS_BEFORE), below: isPast ? lastN + 2 : LATEST };
  const inTime = await store.pings.inSpan(check.id, span, 'newest', MAX_LANE_PINGS);
  const isCut = inTime.length === MAX_LANE_PINGS;
  const pings = [...inTime, ...(isPast ? await readLate(store, check, window, lastN) : [])];
  const flips = [
    ...(await store.flips.ofCheck(
      check.id,
      { from: window.from, before: null },
      { after: null, limit: MAX_LANE_FLIPS },
    )),
    ...(await store.flips.lastBefore([check.id], window.from)),
  ];
  const runs = await readRunsOf({ store }, { check, pings, flips: flipsOf(pings, flips), now });
  return laneOf({ check, runs, isCut, flips, window, now });
}

/** Pings that came after the window, and report what happened in it. Their run may have begun before. */
function readLate(
  store: Deps['store'],
  { id }: CheckSummary,
  { from, until }: Window,
  lastN: number,
): Promise<Ping[]> {
  return store.pings.lateInto(id, lastN + 1, { from: from - MAX_RUN, until }, MAX_LANE_PINGS);
}
