import type { Check } from '../../src/domain/check/check.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import { RUN_RESULTS } from '../../src/domain/history/run.ts';
import type { ListedRun } from '../../src/domain/history/run-list.ts';
import { nextOccurrence } from '../../src/domain/schedule/schedule.ts';
import { type Instant, type Micros, seconds, toIsoMicros } from '../../src/lib/instant.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { listCheckRuns } from '../../src/services/history/run-list.ts';
import type { Gap } from './installation.ts';
import { rulesIn } from './naive-rules.ts';
import type { Observed, PingRow } from './observed.ts';
import { Violation } from './violation.ts';

/** With more pings the list comes in pages. */
const MAX_PINGS = 3_000;
/** Longer gaps are passed over. */
const MAX_OCCURRENCES = 1_000;
const NO_SHOWS = ['missed', 'skipped', 'unknown'];

/** The end of a run that was told in time. */
interface End {
  readonly at: Instant;
  readonly run: ListedRun;
}

interface RunsOfCheck {
  readonly check: Check;
  readonly pings: readonly PingRow[];
  readonly flips: readonly Flip[];
  readonly blindSpans: readonly Gap[];
  readonly end: Instant;
}

/**
 * Between two ends every time of the schedule is accounted for: the later end has the last one that is not after its beginning, and
 * each other one is listed as one at which no run came.
 */
export async function judgeRuns(observed: Observed, of: RunsOfCheck): Promise<void> {
  const { check, pings, flips, end } = of;
  const isPlain = check.quietFromAt === null && rulesIn(check).early === undefined;
  if (!isPlain || pings.length > MAX_PINGS) return;
  const { runs } = await listCheckRuns(
    { store: observed.store, clock: { now: () => end } },
    systemActor(check.projectId),
    check,
    { filter: { results: RUN_RESULTS, from: null, until: null }, limit: 1_000_000, cursor: null },
  );
  const byPing = new Map(runs.map((run) => [run.endedAt === null ? null : run.n, run]));
  const ends = pings.flatMap(({ n, signal, occurredAt, createdAt }): End[] => {
    const run = byPing.get(n);
    const isEnd = (signal === 'success' || signal === 'fail') && occurredAt === null;
    return isEnd && run !== undefined ? [{ at: createdAt, run }] : [];
  });
  const late = pings.flatMap(({ occurredAt }) => occurredAt ?? []);
  const breaks = flips.filter(({ newStatus }) => newStatus === 'paused' || newStatus === 'new');
  const noShows = runs.filter(({ result }) => NO_SHOWS.includes(result));
  for (const [index, next] of ends.entries()) {
    const before = ends[index - 1];
    if (before === undefined || before.at < (check.timedAt ?? 0)) continue;
    const isWithin = (at: Instant) => at >= before.at && at <= next.at;
    if (late.some(isWithin) || breaks.some(({ createdAt }) => isWithin(createdAt))) continue;
    judgeGap(of, before, next, noShows);
  }
}

function judgeGap(
  { check, blindSpans }: RunsOfCheck,
  before: End,
  { at, run }: End,
  noShows: readonly ListedRun[],
): void {
  const due = occurrences(check, before.at, at);
  if (due === null) return;
  const begun = Math.min(run.startedAt ?? at, at);
  const claimed = due.findLast((one) => one <= begun) ?? due.at(-1) ?? null;
  const name = `the run that ended at ${toIsoMicros(at)}`;
  if (run.expectedAt !== claimed)
    throw new Violation(
      `${name} stands for ${toIsoMicros(run.expectedAt)}, not for ${toIsoMicros(claimed)}`,
      check.uuid,
    );
  const own = noShows.filter(({ expectedAt }) => (expectedAt ?? 0) > before.at && (expectedAt ?? 0) <= at);
  const isUnknown = (one: Instant) =>
    blindSpans.some(({ from, until }) => one + limitOf(check) >= from && one + limitOf(check) < until);
  const others = due.filter((one) => one !== claimed);
  // What a run was in the way of is skipped. Without a known start it was in the way of nothing.
  const count = (results: readonly string[]) =>
    own.reduce((sum, one) => sum + (results.includes(one.result) ? one.count : 0), 0);
  const listed = run.startedAt === null ? [count(['missed']), count(['unknown'])] : [count(NO_SHOWS)];
  const unknown = others.filter(isUnknown).length;
  const expected = run.startedAt === null ? [others.length - unknown, unknown] : [others.length];
  if (String(listed) !== String(expected))
    throw new Violation(`before ${name} [${listed}] runs are missing, not [${expected}]`, check.uuid);
}

function limitOf(check: Check): Micros {
  return seconds(rulesIn(check).begin_within ?? check.graceSeconds);
}

/** The times after the first and until the second at which a run was due. Null: very many. */
function occurrences(check: Check, from: Instant, until: Instant): Instant[] | null {
  const found: Instant[] = [];
  for (let at = following(check, from); at !== null && at <= until; at = following(check, at)) {
    if (found.length === MAX_OCCURRENCES) return null;
    found.push(at);
  }
  return found;
}

function following({ kind, timeoutSeconds, schedule, tz }: Check, at: Instant): Instant | null {
  return kind === 'simple' ? at + seconds(timeoutSeconds) : nextOccurrence(schedule, tz, at);
}
