import type { StoredStatus } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { expectedAt } from '../../domain/check/status.ts';
import type { TimeSpan } from '../../domain/history/downtime.ts';
import { exceptIn, type History, historyOf, joined, NO_HISTORY } from '../../domain/history/uptime.ts';
import { addCounts, NO_CHECKS, type SteadyCounts } from '../../domain/public/kept-counts.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reads, TimedCheck } from '../../storage/store.ts';
import { pastQuietTimes } from '../core/quiet-spans.ts';

export const CHECKS_AT_ONCE = 200;
export const FLIPS_AT_ONCE = 5_000;

/** A check, as a status page sees it. */
export interface SeenCheck {
  readonly id: number;
  readonly counts: SteadyCounts;
  /** Since when it is late. Null if it is not. */
  readonly lateSince: Instant | null;
  /** Since when it is down. Null if it is not, or nobody knows. */
  readonly downSince: Instant | null;
  readonly today: History;
  /** The days before today. Empty if they were not asked for. */
  readonly before: History;
}

/** The days that a page tells of. */
export interface Days {
  readonly first: Instant;
  readonly today: Instant;
  readonly now: Instant;
}

type LookingReads = Pick<Reads, 'checks' | 'flips' | 'quietTimes'>;

/**
 * Reads each of the checks once, with its flips. It yields after each portion, so that no portion takes long however often
 * a check has changed. `needsPast` tells for which checks the days before today are wanted.
 */
export async function* lookAtChecks(
  reads: LookingReads,
  ids: readonly number[],
  days: Days,
  needsPast: (id: number) => boolean,
): AsyncGenerator<readonly SeenCheck[]> {
  for (let first = 0; first < ids.length; first += CHECKS_AT_ONCE) {
    const checks = await reads.checks.timedByIds(ids.slice(first, first + CHECKS_AT_ONCE));
    const [whole, recent] = parted(checks, ({ id }) => needsPast(id));
    const quietOf = await pastQuietTimes(reads, checks, days.first);
    for await (const seen of inTurn(
      lookAtFlips(reads, whole, days.first, days),
      lookAtFlips(reads, recent, days.today, days),
    ))
      yield seen.map((one) => ({
        ...one,
        today: exceptIn(one.today, quietOf(one)),
        before: exceptIn(one.before, quietOf(one)),
      }));
  }
}

async function* inTurn<T>(...all: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  for (const each of all) yield* each;
}

function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/** Takes fewer checks at once if they have very many flips. */
async function* lookAtFlips(
  reads: LookingReads,
  checks: readonly TimedCheck[],
  from: Instant,
  days: Days,
): AsyncGenerator<readonly SeenCheck[]> {
  const [first, ...others] = checks;
  if (first === undefined) return;
  const ids = checks.map(({ id }) => id);
  const since = await reads.flips.ofChecks(ids, from, FLIPS_AT_ONCE + 1);
  if (since.length <= FLIPS_AT_ONCE) {
    const last = await reads.flips.lastBefore(ids, from);
    const byCheck = Map.groupBy([...last, ...since], ({ checkId }) => checkId);
    yield checks.map((check) => seenCheck(check, byCheck.get(check.id) ?? [], from, days));
    return;
  }
  yield [];
  if (others.length === 0) {
    yield* lookAtBusy(reads, first, from, days);
    return;
  }
  const half = Math.ceil(checks.length / 2);
  yield* lookAtFlips(reads, checks.slice(0, half), from, days);
  yield* lookAtFlips(reads, checks.slice(half), from, days);
}

function seenCheck(check: TimedCheck, found: readonly Flip[], from: Instant, days: Days): SeenCheck {
  const flips = found.toSorted(byTime);
  const last = flips.findLast(({ createdAt }) => createdAt <= days.now) ?? null;
  return { ...stateOf(check, last, days), ...inDays(flips, check.status, { from, until: days.now }, days) };
}

/** Reads the flips of one check from the newest on. The history of each portion ends where the one before began. */
async function* lookAtBusy(
  { flips }: LookingReads,
  check: TimedCheck,
  from: Instant,
  days: Days,
): AsyncGenerator<readonly SeenCheck[]> {
  const span = { from, before: days.now + 1 };
  const parts: Pick<SeenCheck, 'today' | 'before'>[] = [];
  let state: ReturnType<typeof stateOf> | null = null;
  let after: Flip | null = null;
  for (;;) {
    const page = await flips.ofCheck(check.id, span, { after, limit: FLIPS_AT_ONCE });
    state ??= stateOf(check, page[0] ?? null, days);
    const isLast = page.length < FLIPS_AT_ONCE;
    const older = isLast ? await flips.lastBefore([check.id], from) : [];
    const until: Instant = after?.createdAt ?? days.now;
    const oldest: Flip | null = page.at(-1) ?? null;
    const begin = isLast || oldest === null ? from : oldest.createdAt;
    const known = [...older, ...page].toSorted(byTime);
    parts.push(inDays(known, after?.oldStatus ?? check.status, { from: begin, until }, days));
    if (isLast) break;
    after = oldest;
    yield [];
  }
  const today = joined(parts.map((part) => part.today));
  const before = joined(parts.map((part) => part.before));
  yield [{ ...state, today, before }];
}

function byTime(one: Flip, other: Flip): number {
  return one.createdAt - other.createdAt || one.id - other.id;
}

function stateOf(
  check: TimedCheck,
  lastFlip: Flip | null,
  { now }: Days,
): Omit<SeenCheck, 'today' | 'before'> {
  const isDown = check.status === 'down' && lastFlip?.newStatus === 'down';
  const counts = addCounts(NO_CHECKS, [check], now);
  return {
    id: check.id,
    counts,
    lateSince: counts.counts.grace > 0 ? expectedAt(check) : null,
    downSince: isDown ? lastFlip.createdAt : null,
  };
}

/** The history of the span, parted at the start of today. `flips` are in order of time. */
function inDays(
  flips: readonly Flip[],
  statusAtEnd: StoredStatus,
  { from, until }: TimeSpan,
  { today }: Days,
): Pick<SeenCheck, 'today' | 'before'> {
  const known = flips.filter(({ createdAt }) => createdAt < until);
  const firstToday = known.findIndex(({ createdAt }) => createdAt >= today);
  const cut = firstToday === -1 ? known.length : firstToday;
  const statusAtCut = known[cut]?.oldStatus ?? known[cut - 1]?.newStatus ?? statusAtEnd;
  return {
    today:
      until <= today
        ? NO_HISTORY
        : historyOf(known.slice(Math.max(0, cut - 1)), statusAtEnd, { from: Math.max(from, today), until }),
    before:
      from >= today
        ? NO_HISTORY
        : historyOf(known.slice(0, cut), statusAtCut, { from, until: Math.min(until, today) }),
  };
}
