import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { deadlineOf, expectedAt, type Span, statusAt, steadySpan } from '../check/status.ts';
import { firstDue, isSlow, nextDue, slowAt } from './run.ts';
import { type StatusFacts, tellStatus } from './status-sentence.ts';

/** The status of a check in a list. An open run is shown beside it. */
export type RowStatus = 'up' | 'late' | 'down' | 'paused' | 'new';

/**
 * The next event. `due`: a run is expected then. `late`, `overdue`: it was expected then. `limit`: the open run has to
 * end by then.
 */
export interface NextEvent {
  readonly kind: 'due' | 'late' | 'overdue' | 'limit';
  readonly at: Instant;
}

/** A check in a list, as far as it can be told from the check alone. */
export interface CheckRow {
  readonly status: RowStatus;
  readonly isRunning: boolean;
  readonly isSlow: boolean;
  /** It was never pinged, and its first run was expected before its grace time. */
  readonly neverCame: boolean;
  readonly since: Instant;
  /** Null if nothing is expected. */
  readonly next: NextEvent | null;
  /** When the check goes down if nothing happens. */
  readonly deadline: Instant | null;
  /** The time in which all of this stays as it is, unless the check is written. */
  readonly span: Span;
}

type ListedCheck = StatusFacts['check'];

/** `usual` is the usual duration, which matters only while a run is open. */
export function checkRow(check: ListedCheck, usual: Micros | null, now: Instant): CheckRow {
  const expected = expectedAt(check);
  const status = statusAt(check, now, expected);
  const isRunning = check.lastStartAt !== null;
  const slowFrom = status === 'up' ? slowAt(check, usual) : null;
  const first = firstDue(check);
  const firstEnd = first === null ? null : first + seconds(check.graceSeconds);
  const neverCame = firstEnd !== null && now >= firstEnd;
  // The boundaries in time that the status of the check does not know.
  const turns = [firstEnd, slowFrom === null ? null : slowFrom + 1].filter((at) => at !== null);
  return {
    status: status === 'grace' ? 'late' : status,
    isRunning,
    isSlow: status === 'up' && isSlow(check, usual, now),
    since: tellStatus({ check, flip: null, runs: [], now }).since,
    neverCame,
    next: first === null ? nextOf(check, expected, now) : { kind: neverCame ? 'overdue' : 'due', at: first },
    deadline: deadlineOf(check),
    span: turns.reduce((span, at) => divided(span, at, now), steadySpan(check, now, expected)),
  };
}

/** The part of the span around `now` that does not contain the boundary. */
function divided({ from, until }: Span, boundary: Instant, now: Instant): Span {
  return boundary <= now
    ? { from: Math.max(from, boundary), until }
    : { from, until: Math.min(until, boundary) };
}

function nextOf(check: ListedCheck, expected: Instant | null, now: Instant): NextEvent | null {
  const status = statusAt(check, now, expected);
  const isOpen = check.lastStartAt !== null && !check.runReported;
  const deadline = deadlineOf(check);
  if (isOpen && status !== 'down' && deadline !== null) return { kind: 'limit', at: deadline };
  if (status === 'up' || status === 'new') return expected === null ? null : { kind: 'due', at: expected };
  if (status === 'grace') return expected === null ? null : { kind: 'late', at: expected };
  if (status !== 'down' || check.lastPingAt === null) return null;
  const due = nextDue(check, check.lastPingAt);
  return due === null ? null : { kind: due > now ? 'due' : 'overdue', at: due };
}

/** Kinds of trouble, the worst first. `never_came`: the first run. `slow`: the open run takes unusually long. */
export const TROUBLES = ['down', 'late', 'never_came', 'slow'] as const;

export type Trouble = (typeof TROUBLES)[number];

/** Why the check needs attention. Null if it does not. */
export function troubleOf({
  status,
  isSlow,
  neverCame,
}: Pick<CheckRow, 'status' | 'isSlow' | 'neverCame'>): Trouble | null {
  if (status === 'down' || status === 'late') return status;
  if (neverCame) return 'never_came';
  return isSlow ? 'slow' : null;
}

/** Checks that turned bad within this time of each other are shown as one, from this number on. */
const SAME_TROUBLE: Micros = seconds(120);
const MIN_GROUP = 5;

/** Trouble of one check, or of many that began together. */
export interface Lane<Troubled> {
  readonly since: Instant;
  readonly until: Instant;
  readonly members: readonly Troubled[];
}

/** The worst first: down, the newest before; then late, then slow. Checks that turned bad together are one lane. */
export function lanesOf<Troubled extends Pick<CheckRow, 'status' | 'since' | 'deadline'>>(
  troubled: readonly Troubled[],
): Lane<Troubled>[] {
  const lanes: Lane<Troubled>[] = [];
  for (const status of ['down', 'late', 'new', 'up'] as const) {
    const same = troubled.filter((one) => one.status === status).toSorted((a, b) => b.since - a.since);
    const ordered = status === 'late' ? same.toSorted(bySoonestDeadline) : same;
    lanes.push(...grouped(ordered));
  }
  return lanes;
}

function bySoonestDeadline(
  one: { readonly deadline: Instant | null },
  other: { readonly deadline: Instant | null },
): number {
  return (one.deadline ?? Number.POSITIVE_INFINITY) - (other.deadline ?? Number.POSITIVE_INFINITY);
}

function grouped<Troubled extends { readonly since: Instant }>(
  ordered: readonly Troubled[],
): Lane<Troubled>[] {
  const lanes: Lane<Troubled>[] = [];
  for (let from = 0; from < ordered.length; ) {
    const first = ordered[from] as Troubled;
    let end = from + 1;
    while (end < ordered.length && Math.abs((ordered[end] as Troubled).since - first.since) <= SAME_TROUBLE)
      end++;
    const members = ordered.slice(from, end);
    if (members.length >= MIN_GROUP) lanes.push(laneOf(members));
    else lanes.push(...members.map((one) => laneOf([one])));
    from = end;
  }
  return lanes;
}

function laneOf<Troubled extends { readonly since: Instant }>(members: readonly Troubled[]): Lane<Troubled> {
  const times = members.map(({ since }) => since);
  return { since: Math.min(...times), until: Math.max(...times), members };
}
