import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { Flip } from '../check/flip.ts';
import { beginLimit, deadlineOf, expectedAt, statusAt, type Timed } from '../check/status.ts';
import { nextDue, type Run, type RunResult, usualDuration } from './run.ts';

/** Runs of a lane that are drawn one by one. More of them become a band. */
export const MAX_LANE_RUNS = 200;
/** Problems that began within this time of each other are told together. */
export const TOGETHER: Micros = seconds(15 * 60);

/** The time that a timeline shows. */
export interface Window {
  readonly from: Instant;
  readonly until: Instant;
}

/** A run on the axis. One that did not come lasts from when it was expected until it was too late, or the first of several. */
export interface LaneRun {
  readonly result: RunResult;
  readonly from: Instant;
  readonly until: Instant;
  /** The number of runs one after the other that did not come. Zero for a run that came. */
  readonly count: number;
}

/** The part of a timeline for one check. */
export interface Lane {
  /** If there is a band, only runs that did not go well. */
  readonly runs: readonly LaneRun[];
  /** The span with so many runs that they are drawn as one. */
  readonly band: Window | null;
  /** When runs are expected, from now on. */
  readonly expected: readonly Instant[];
  readonly expectedBand: Window | null;
  readonly usual: Micros | null;
  /** The grace time that runs now. */
  readonly grace: Window | null;
  readonly down: readonly Window[];
}

export interface LaneFacts {
  readonly check: Timed;
  /** Oldest first. */
  readonly runs: readonly Run[];
  /** Whether earlier runs of the window are left out, because there are too many. */
  readonly isCut: boolean;
  /** In any order, with the last one before the window. */
  readonly flips: readonly Pick<Flip, 'createdAt' | 'newStatus'>[];
  readonly window: Window;
  readonly now: Instant;
}

export function laneOf({ check, runs, isCut, flips, window, now }: LaneFacts): Lane {
  const placed = runs.map((run) => placedRun(check, run, now)).filter((run) => overlaps(run, window));
  const isBand = isCut || placed.length > MAX_LANE_RUNS;
  const { expected, expectedBand } = expectedIn(check, window, now);
  const first = placed[0];
  return {
    runs: isBand ? placed.filter(({ result }) => result !== 'ok').slice(-MAX_LANE_RUNS) : placed,
    band:
      isBand && first !== undefined
        ? { from: isCut ? window.from : first.from, until: Math.min(placed.at(-1)?.until ?? now, now) }
        : null,
    expected,
    expectedBand,
    usual: usualDuration(runs),
    grace: graceOf(check, now),
    down: downSpans(flips, window, now),
  };
}

function placedRun(check: Timed, { result, at, startedAt, endedAt, count }: Run, now: Instant): LaneRun {
  if (count > 0) return { result, count, from: at - beginLimit(check), until: at };
  if (result === 'running') return { result, count, from: startedAt ?? at, until: now };
  return { result, count, from: startedAt ?? at, until: endedAt ?? at };
}

function overlaps({ from, until }: Window, window: Window): boolean {
  return from < window.until && until >= window.from;
}

/** Runs to come, by the schedule. A check that is paused or new expects none. */
function expectedIn(check: Timed, window: Window, now: Instant): Pick<Lane, 'expected' | 'expectedBand'> {
  const planned = expectedAt(check);
  const first = planned !== null && planned > now ? planned : planned === null ? null : nextDue(check, now);
  const expected: Instant[] = [];
  for (let next = first; next !== null && next < window.until; next = nextDue(check, next)) {
    if (expected.length === MAX_LANE_RUNS) {
      const from = Math.max(now, window.from);
      return { expected: [], expectedBand: { from, until: window.until } };
    }
    expected.push(next);
  }
  return { expected: expected.filter((at) => at >= window.from), expectedBand: null };
}

/** A run that is late has until its deadline, and so has one that is open. */
function graceOf(check: Timed, now: Instant): Window | null {
  const deadline = deadlineOf(check);
  if (deadline === null || deadline <= now) return null;
  const expected = expectedAt(check);
  if (statusAt(check, now, expected) === 'grace' && expected !== null)
    return { from: expected, until: deadline };
  return check.lastStartAt !== null && !check.runReported ? { from: now, until: deadline } : null;
}

function downSpans(flips: LaneFacts['flips'], window: Window, now: Instant): Window[] {
  const spans: Window[] = [];
  let since: Instant | null = null;
  for (const { createdAt, newStatus } of flips.toSorted((a, b) => a.createdAt - b.createdAt)) {
    if (newStatus === 'down') since ??= createdAt;
    else if (since !== null) {
      spans.push({ from: since, until: createdAt });
      since = null;
    }
  }
  if (since !== null) spans.push({ from: since, until: now });
  return spans.filter((span) => overlaps(span, window));
}

/** When the trouble of a check began. */
export interface Onset<Name> {
  readonly of: Name;
  readonly at: Instant;
}

/**
 * The largest number of checks whose trouble began within a quarter of an hour, in order. The later ones if there are
 * several. Empty if there are not two.
 */
export function togetherOf<Name>(onsets: readonly Onset<Name>[]): Onset<Name>[] {
  const sorted = onsets.toSorted((a, b) => a.at - b.at);
  /** How often each occurs between `start` and `end`. */
  const inside = new Map<Name, number>();
  let best = { size: 2, from: 0, until: 0 };
  for (let start = 0, end = 0; end < sorted.length; end++) {
    const last = sorted[end] as Onset<Name>;
    inside.set(last.of, (inside.get(last.of) ?? 0) + 1);
    for (; last.at - (sorted[start] as Onset<Name>).at > TOGETHER; start++) {
      const { of } = sorted[start] as Onset<Name>;
      const count = (inside.get(of) ?? 0) - 1;
      if (count > 0) inside.set(of, count);
      else inside.delete(of);
    }
    if (inside.size >= best.size) best = { size: inside.size, from: start, until: end + 1 };
  }
  return firstOfEach(sorted.slice(best.from, best.until));
}

function firstOfEach<Name>(onsets: readonly Onset<Name>[]): Onset<Name>[] {
  const seen = new Map<Name, Onset<Name>>();
  for (const onset of onsets) if (!seen.has(onset.of)) seen.set(onset.of, onset);
  return [...seen.values()];
}
