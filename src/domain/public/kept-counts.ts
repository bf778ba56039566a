import type { Instant } from '../../lib/instant.ts';
import type { ProjectMarks } from '../change-marks.ts';
import type { CheckState } from '../check/check.ts';
import { ALWAYS, isWithin, overlap, type Span, statusInTime, type Timed } from '../check/status.ts';
import type { StatusCounts } from './badge.ts';

/** The counts of some checks of a project, with what tells how long they stay true. */
export interface KeptCounts {
  readonly counts: StatusCounts;
  /** Within this span time alone changes no status. */
  readonly span: Span;
  /** Whether time alone has taken a check into grace or down. A ping that only moves `lastPingAt` on may bring it back. */
  readonly isAnyLate: boolean;
  /** The marks of the project, read before its checks. */
  readonly marks: ProjectMarks;
}

/** Counts of the checks with a tag. The marks of the project tell whether they are still true. */
export interface TagCounts extends KeptCounts {
  readonly projectId: number;
}

export type SteadyCounts = Omit<KeptCounts, 'marks'>;

export const NO_CHECKS: SteadyCounts = {
  counts: { total: 0, new: 0, up: 0, grace: 0, down: 0, paused: 0, started: 0 },
  span: ALWAYS,
  isAnyLate: false,
};

/** Adds these checks to the counts. */
export function addCounts(
  { counts, span, isAnyLate }: SteadyCounts,
  checks: readonly Timed[],
  now: Instant,
): SteadyCounts {
  const added = { ...counts };
  let whole = span;
  let isLate = isAnyLate;
  for (const check of checks) {
    const { status, span: ofCheck } = statusInTime(check, now);
    added.total++;
    added[status]++;
    if (check.lastStartAt !== null) added.started++;
    isLate ||= status !== check.status;
    whole = overlap(whole, ofCheck);
  }
  return { counts: added, span: whole, isAnyLate: isLate };
}

const COUNTED = Object.keys(NO_CHECKS.counts) as (keyof StatusCounts)[];

/** The counts of all these together. */
export function joinCounts(all: readonly SteadyCounts[]): SteadyCounts {
  const counts = { ...NO_CHECKS.counts };
  let span = ALWAYS;
  let isAnyLate = false;
  for (const one of all) {
    for (const counted of COUNTED) counts[counted] += one.counts[counted];
    span = overlap(span, one.span);
    isAnyLate ||= one.isAnyLate;
  }
  return { counts, span, isAnyLate };
}

/** The state of a check that its status depends on. */
type StatusState = Pick<
  CheckState,
  'status' | 'lastPingAt' | 'lastStartAt' | 'runReported' | 'excusedUntilAt'
>;

/**
 * Whether a ping may have changed the status of a check, other than one that time alone has changed. Most pings only move
 * `lastPingAt` on: the next one is expected later, so a check that was up stays up at least as long as was known. A ping
 * that comes in time and is committed after the deadline does the same, and flips nothing.
 */
export function mayChangeStatus(before: StatusState, after: StatusState): boolean {
  return (
    after.status !== before.status ||
    after.lastStartAt !== before.lastStartAt ||
    after.runReported !== before.runReported ||
    after.excusedUntilAt !== before.excusedUntilAt ||
    isEarlier(after.lastPingAt, before.lastPingAt)
  );
}

/** Without a last ping a check expects none, as if that were the latest time there is. */
function isEarlier(after: Instant | null, before: Instant | null): boolean {
  return after !== null && (before === null || after < before);
}

/**
 * Whether the counts are what counting now would give. Pings that only move `lastPingAt` on do not matter, unless time
 * alone has taken a check into grace or down: they may have brought it back.
 */
export function areCountsTrue(
  { span, isAnyLate, marks }: KeptCounts,
  now: Instant,
  marksNow: ProjectMarks,
): boolean {
  if (!isWithin(span, now) || marks.statuses !== marksNow.statuses) return false;
  return !isAnyLate || marks.checks === marksNow.checks;
}
