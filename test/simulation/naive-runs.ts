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
/** The end of a longer run is not taken for its own. */
const MAX_RUN: Micros = seconds(71 * 3600);
/** Longer gaps are passed over. */
const MAX_OCCURRENCES = 1_000;
/** So many times of a gap are listed one by one. */
const MAX_LISTED = 30;
const NO_SHOWS = ['missed', 'skipped', 'unknown'];
const RUN_SIGNALS = ['start', 'progress', 'success', 'fail'];

/** The end of a run that was told in time. */
interface End {
  readonly at: Instant;
  readonly run: ListedRun;
  readonly rid: string | null;
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
  const isPlain = check.quietFromAt === null;
  if (!isPlain || pings.length > MAX_PINGS) return;
  const { runs } = await listCheckRuns(
    { store: observed.store, clock: { now: () => end } },
    systemActor(check.projectId),
    check,
    { filter: { results: RUN_RESULTS, from: null, until: null }, limit: 1_000_000, cursor: null },
  );
  const byPing = new Map(runs.map((run) => [run.endedAt === null ? null : run.n, run]));
  const ends = pings.flatMap(({ n, signal, rid, occurredAt, createdAt }): End[] => {
    const isEnd = (signal === 'success' || signal === 'fail') && occurredAt === null;
    if (!isEnd) return [];
    const run = byPing.get(n);
    if (run === undefined) throw new Violation(`the end of ping ${n} is not listed`, check.uuid);
    return [{ at: createdAt, run, rid }];
  });
  const late = pings.filter(({ occurredAt }) => occurredAt !== null);
  const breaks = flips.filter(({ newStatus }) => newStatus === 'paused' || newStatus === 'new');
  const noShows = runs.filter(({ result }) => NO_SHOWS.includes(result));
  for (const [index, before] of ends.entries()) {
    if (before.at < (check.timedAt ?? 0)) continue;
    const next = ends[index + 1];
    const isWithin = (at: Instant) => at >= before.at && at <= (next?.at ?? end);
    const isLate = late.some(({ occurredAt }) => isWithin(occurredAt ?? 0));
    if (isLate || breaks.some(({ createdAt }) => isWithin(createdAt))) continue;
    if (next !== undefined) judgeGap(of, before, next, noShows);
    else if (!late.some(({ createdAt }) => isWithin(createdAt))) judgeRest(of, before, noShows);
  }
}

function judgeGap(of: RunsOfCheck, before: End, next: End, noShows: readonly ListedRun[]): void {
  const { check, pings } = of;
  const { at, run } = next;
  const [from, until] = [countedAt(check, before.at), countedAt(check, at)];
  const due = occurrences(check, from, until);
  // A run that began before the first ping that is there, or very long ago, is listed by its end alone.
  const known = Math.max(pings[0]?.createdAt ?? 0, at - MAX_RUN);
  if (due === null || (run.startedAt ?? at) < known) return;
  const begun = Math.min(begunAt(check, run.startedAt) ?? until, until);
  const claimed = due.findLast((one) => one <= begun) ?? due.at(-1) ?? null;
  const name = `the run that ended at ${toIsoMicros(at)}`;
  if (run.expectedAt !== claimed)
    throw new Violation(
      `${name} stands for ${toIsoMicros(run.expectedAt)}, not for ${toIsoMicros(claimed)}`,
      check.uuid,
    );
  const last = Math.max(at, claimed ?? 0);
  const busyUntil = busyUntilOf(of, next);
  const others = due
    .filter((one) => one !== claimed && one <= last)
    .map((one): NoShow => {
      if (run.startedAt === null || one <= run.startedAt) return noShow(of, one);
      if (busyUntil === null) return { at: one, result: null };
      return one < busyUntil ? { at: one, result: 'skipped' } : noShow(of, one);
    });
  requireListed(check, `before ${name}`, others, noShows, from, last);
}

/** After the last end nothing was claimed: what should have begun by now was missed, unless nobody watched. */
function judgeRest(of: RunsOfCheck, before: End, noShows: readonly ListedRun[]): void {
  const { check, end } = of;
  const isPutOff = (check.excusedUntilAt ?? 0) > end;
  if (check.status === 'paused' || check.lastStartAt !== null || isPutOff) return;
  const from = countedAt(check, before.at);
  const due = occurrences(check, from, end - limitOf(check));
  if (due === null) return;
  const others = due.map((one) => noShow(of, one));
  requireListed(check, `after the run that ended at ${toIsoMicros(before.at)}`, others, noShows, from, end);
}

/** A time of the schedule at which no run came, and what it is listed as. Null: that is not known. */
interface NoShow {
  readonly at: Instant;
  readonly result: string | null;
}

function noShow({ check, blindSpans }: RunsOfCheck, at: Instant): NoShow {
  const deadline = at + limitOf(check);
  const isUnknown = blindSpans.some(({ from, until }) => deadline >= from && deadline < until);
  return { at, result: isUnknown ? 'unknown' : 'missed' };
}

/** All of them are counted, and the newest listed one by one. */
function requireListed(
  { uuid }: Check,
  where: string,
  others: readonly NoShow[],
  noShows: readonly ListedRun[],
  from: Instant,
  until: Instant,
): void {
  const own = noShows.filter(({ expectedAt }) => (expectedAt ?? 0) > from && (expectedAt ?? 0) <= until);
  const isSure = others.every(({ result }) => result !== null);
  const groups = isSure ? NO_SHOWS.map((result) => [result]) : [NO_SHOWS];
  const listed = groups.map((results) =>
    own.reduce((sum, one) => sum + (results.includes(one.result) ? one.count : 0), 0),
  );
  const expected = isSure
    ? NO_SHOWS.map((result) => others.filter((one) => one.result === result).length)
    : [others.length];
  if (String(listed) !== String(expected))
    throw new Violation(`${where} [${listed}] runs are missing, not [${expected}]`, uuid);
  for (const { at, result } of others.slice(-MAX_LISTED)) {
    const found = own.filter((one) => one.expectedAt === at && one.count === 1);
    if (found.length !== 1 || (result !== null && found[0]?.result !== result))
      throw new Violation(
        `${where} ${toIsoMicros(at)} is listed as ${found.map((one) => one.result)}, not as ${result}`,
        uuid,
      );
  }
}

/** Until when the run of that end was within its limit, so that no other was awaited. Null: that is not known. */
function busyUntilOf({ check, pings }: RunsOfCheck, { at, run, rid }: End): Instant | null {
  const { startedAt } = run;
  const limit = rulesIn(check).end_within ?? check.graceSeconds;
  if (startedAt === null || limit === 0) return null;
  const signs = pings.filter(
    ({ createdAt, signal, occurredAt }) =>
      (createdAt >= startedAt && createdAt <= at && RUN_SIGNALS.includes(signal)) ||
      (occurredAt !== null && occurredAt >= startedAt && occurredAt <= at),
  );
  // Those of others may have been taken for signs of life of this one.
  if (signs.some((sign) => sign.rid !== rid || sign.occurredAt !== null)) return null;
  const begins = signs.filter(({ signal }) => signal === 'start');
  const alive = signs.findLast(({ signal }) => signal === 'start' || signal === 'progress');
  return begins.length > 1 || alive === undefined ? null : alive.createdAt + seconds(limit);
}

/** The time that a beginning counts for. With one limit a run counts by its end alone. */
function begunAt(check: Check, startedAt: Instant | null): Instant | null {
  const { begin_within: begin, end_within: end } = rulesIn(check);
  const hasTwoLimits = begin !== undefined || end !== undefined;
  return startedAt !== null && hasTwoLimits ? countedAt(check, startedAt) : startedAt;
}

/** What comes before a time of the schedule by little counts for it. */
function countedAt(check: Check, at: Instant): Instant {
  const early = seconds(rulesIn(check).early ?? 0);
  if (early === 0 || check.kind === 'simple') return at;
  const next = following(check, at);
  if (next === null || next - at > early) return at;
  const after = following(check, next);
  return after !== null && next - at > (after - next) / 2 ? at : next;
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
