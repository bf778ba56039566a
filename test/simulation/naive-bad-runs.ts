import type { Check } from '../../src/domain/check/check.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import type { Span } from '../../src/domain/check/status.ts';
import { nextOccurrence } from '../../src/domain/schedule/schedule.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import { type Answer, sure } from './answer.ts';
import type { Gap } from './installation.ts';
import { rulesIn } from './naive-rules.ts';
import type { PingRow } from './observed.ts';

/** How many bad runs an outage takes before it is told. */
export interface Threshold {
  readonly bad_runs?: number;
  readonly counts?: string;
}

/** Runs that never came: surely so many, and perhaps so many. */
export interface Missed {
  readonly least: number;
  readonly most: number;
}

/** When nobody watched, as it is on record, and when perhaps nobody did. */
export interface Unwatched {
  readonly blindSpans: readonly Gap[];
  readonly gaps: readonly Gap[];
}

/** What has come to a check, and what kept its runs from being expected. */
interface Past extends Unwatched {
  readonly pings: readonly PingRow[];
  readonly flips: readonly Flip[];
  /** The longest delay in noticing anything. */
  readonly lag: Micros;
  /** Quiet times that may have covered the check. */
  quietIn(from: Instant, until: Instant): readonly Span[];
}

/** No more are counted before one failure. */
const MOST_COUNTED = 100;
/** A time in which nobody watched is not noticed if it is shorter. */
const PERHAPS_BLIND: Micros = seconds(20);
/** It is on record from the last sign of life on, and until somebody was ready. */
const EDGE: Micros = seconds(60);
/** So long nothing counts as missed afterwards, or longer by its grace. */
const MIN_EXCUSE: Micros = seconds(300);

const NONE: Missed = { least: 0, most: 0 };

/** Whether the check had one timing all the time, all of these being what it may have been. */
export function isSteadySince(checks: readonly Check[], from: Instant): boolean {
  const texts = checks.map(({ kind, timeoutSeconds, schedule, tz, graceSeconds, runRules, timedAt }) =>
    JSON.stringify([kind, timeoutSeconds, schedule, tz, graceSeconds, runRules, timedAt]),
  );
  return new Set(texts).size === 1 && checks.every((check) => (check.timedAt ?? 0) <= from);
}

/** Whether runs may come early, and count for a later time. */
export function mayBeEarly(check: Check): boolean {
  return check.kind !== 'simple' && rulesIn(check).early !== undefined;
}

/**
 * The runs that were missed between two ends, each of which came in time. The later one stands for the last time at which a run was
 * due before it began, or else before it ended. The check had this timing all the time.
 */
export function missedBetween(check: Check, before: PingRow, end: PingRow, unwatched: Unwatched): Missed {
  const due = dueBetween(check, before.createdAt, end.createdAt);
  const begun = Math.min(end.runStartedAt ?? end.createdAt, end.createdAt);
  const own = due.findLast((one) => one <= begun) ?? due.at(-1);
  // A time in which nobody watched is on record once it is over.
  const blindSpans = unwatched.blindSpans.filter(({ until }) => until <= end.createdAt);
  const others = due.filter((one) => one !== own && !isBlind(check, one, { ...unwatched, blindSpans }));
  // While a run is under way no other may be expected.
  const least = others.filter((one) => one <= begun && !mayBeBlind(check, one, unwatched)).length;
  return { least: Math.min(least, MOST_COUNTED), most: Math.min(others.length, MOST_COUNTED) };
}

/**
 * Those of which it is clear by that time that they were missed after the last end, with no run under way. What was due before the
 * timing was changed is not expected any more.
 */
function missedSince(check: Check, { createdAt }: PingRow, at: Instant, unwatched: Unwatched): Missed {
  const due = dueBetween(check, createdAt, at - limitOf(check)).filter((one) => one > (check.timedAt ?? 0));
  const missed = due.filter((one) => !isBlind(check, one, unwatched));
  const surely = missed.filter((one) => !mayBeBlind(check, one, unwatched));
  return { least: mayBeExcused(check, at, unwatched) ? 0 : surely.length, most: missed.length };
}

function isBlind(check: Check, due: Instant, { blindSpans }: Unwatched): boolean {
  const deadline = due + limitOf(check);
  return blindSpans.some(({ from, until }) => deadline >= from && deadline < until);
}

function mayBeBlind(check: Check, due: Instant, unwatched: Unwatched): boolean {
  const deadline = due + limitOf(check);
  return perhapsBlind(unwatched).some(
    ({ from, until }) => deadline >= from - EDGE && deadline <= until + EDGE,
  );
}

/** Whether a while after a time in which nobody watched nothing may count as missed. */
function mayBeExcused({ graceSeconds }: Check, at: Instant, unwatched: Unwatched): boolean {
  const excuse = Math.max(seconds(graceSeconds), MIN_EXCUSE) + EDGE;
  return perhapsBlind(unwatched).some(({ from, until }) => at >= from - EDGE && at <= until + excuse);
}

function perhapsBlind({ blindSpans, gaps }: Unwatched): Gap[] {
  return [...blindSpans, ...gaps.filter(({ from, until }) => until - from >= PERHAPS_BLIND)];
}

function limitOf(check: Check): Micros {
  return seconds(rulesIn(check).begin_within ?? check.graceSeconds);
}

/** Times at which runs are due after an end, as far as anybody has asked. They are asked for very often. */
const known = new WeakMap<Check, Map<Instant, Instant[]>>();

/** The times at which runs are due after an end at `from`, until then. */
function dueBetween(check: Check, from: Instant, until: Instant): Instant[] {
  const byEnd = known.get(check) ?? new Map<Instant, Instant[]>();
  known.set(check, byEnd);
  const due = byEnd.getOrInsertComputed(from, () => [dueAfter(check, from)]);
  for (let last = due.at(-1) ?? from; last <= until; due.push(last)) last = dueAfter(check, last);
  return due.filter((one) => one <= until);
}

function dueAfter({ kind, timeoutSeconds, schedule, tz }: Check, at: Instant): Instant {
  if (kind === 'simple') return at + seconds(timeoutSeconds);
  return nextOccurrence(schedule, tz, at) ?? Number.POSITIVE_INFINITY;
}

/** From that time on a run may be under way, or surely none is. */
interface Opening {
  readonly at: Instant;
  readonly mayBeOpen: boolean;
}

/** What comes late may count or not: it may open a run, and surely ends none. */
function openingsBy(pings: readonly PingRow[]): Opening[] {
  const open = new Set<string | null>();
  return pings.map(({ signal, rid, occurredAt, createdAt }) => {
    const isInTime = occurredAt === null;
    const isEnd = signal === 'success' || signal === 'fail';
    if (isInTime && (signal === 'start' || signal === 'fail' || (isEnd && rid === null))) open.clear();
    if (isInTime && isEnd) open.delete(rid);
    if (signal === 'start' || signal === 'progress') open.add(rid);
    return { at: createdAt, mayBeOpen: open.size > 0 };
  });
}

/** The bad runs of one outage. */
export class NaiveBadRuns {
  readonly #flip: Flip;
  /** The last good run. If there was none, the first failure. Null: no run has ended. */
  readonly #first: PingRow | null;
  readonly #failures: readonly PingRow[];
  readonly #unwatched: Unwatched;
  readonly #openings: readonly Opening[];
  readonly #quietSpans: readonly Span[];
  /** Whether something besides pings in time may have changed the count. */
  readonly #isUnsure: boolean;

  constructor(flip: Flip, until: Instant, { pings, flips, lag, quietIn, ...unwatched }: Past) {
    this.#flip = flip;
    this.#unwatched = unwatched;
    const good = pings.findLast(
      ({ signal, createdAt }) => signal === 'success' && createdAt <= flip.createdAt,
    );
    const from = good?.createdAt ?? 0;
    const since = pings.filter(({ n, createdAt }) => n > (good?.n ?? 0) && createdAt <= until);
    this.#failures = since.filter(({ signal }) => signal === 'fail');
    this.#openings = openingsBy(pings.filter(({ createdAt }) => createdAt <= until));
    this.#first = good ?? this.#failures[0] ?? null;
    this.#quietSpans = this.#first === null ? [] : quietIn(this.#first.createdAt - lag, until);
    const isOdd = ({ createdAt, newStatus }: Flip) =>
      createdAt > from && createdAt <= flip.createdAt && newStatus !== 'down';
    const isLate = [good, ...since].some((ping) => ping !== undefined && ping.occurredAt !== null);
    this.#isUnsure = isLate || flips.some(isOdd);
  }

  /** Whether there are too few of them at that time. `isSteady`: the check has had this schedule since the first of these runs. */
  hold({ bad_runs = 1, counts = 'all' }: Threshold, check: Check, isSteady: boolean, at: Instant): Answer {
    if (bad_runs <= 1 || (counts === 'failed' && this.#flip.reason !== 'fail')) return 'no';
    if (this.#isUnsure) return 'unsure';
    const ends = this.#failures.filter(({ createdAt }) => createdAt <= at);
    if (ends.length >= bad_runs) return 'no';
    const last = ends.at(-1) ?? this.#first;
    if (last === null || mayBeEarly(check) || (last !== this.#first && !isSteady)) return 'unsure';
    const earlier = this.#missedBefore(check, ends);
    const since = this.#missedSince(check, last, at);
    const count = (which: keyof Missed) => ends.length + earlier[which] + since[which];
    // A miss after a failure is told at once where failures count.
    const isReached = (which: keyof Missed) =>
      count(which) >= bad_runs || (counts === 'failed' && since[which] > 0);
    return isReached('least') === isReached('most') ? sure(!isReached('most')) : 'unsure';
  }

  /** Nothing was expected before the first run. */
  #missedBefore(check: Check, ends: readonly PingRow[]): Missed {
    return ends.reduce((sum, end, index) => {
      const before = ends[index - 1] ?? this.#first ?? end;
      const { least, most } = missedBetween(check, before, end, this.#unwatched);
      return { least: sum.least + (this.#wasQuietBy(end.createdAt) ? 0 : least), most: sum.most + most };
    }, NONE);
  }

  /** A run that is under way may be a bad one by taking too long, and others are not expected meanwhile. */
  #missedSince(check: Check, last: PingRow, at: Instant): Missed {
    const { least, most } = missedSince(check, last, at, this.#unwatched);
    const mayBeOpen = this.#openings.findLast((opening) => opening.at <= at)?.mayBeOpen === true;
    return { least: mayBeOpen || this.#wasQuietBy(at) ? 0 : least, most: most + (mayBeOpen ? 1 : 0) };
  }

  #wasQuietBy(at: Instant): boolean {
    return this.#quietSpans.some(({ from }) => from <= at);
  }

  /** When the last good run was, or else the first failure. */
  get firstAt(): Instant | null {
    return this.#first?.createdAt ?? null;
  }
}
