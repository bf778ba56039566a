import type { CheckSummary } from '../check/check.ts';
import { splitTags } from '../check/tags.ts';

/** The status on a badge. With two states, grace counts as up. */
export type BadgeStatus = 'up' | 'late' | 'down';

export type BadgeStates = 2 | 3;

/** The statuses of a group of checks, counted. */
export interface BadgeCounts {
  readonly total: number;
  readonly grace: number;
  readonly down: number;
}

/** All statuses of a group of checks, counted. */
export interface StatusCounts extends BadgeCounts {
  readonly up: number;
  readonly paused: number;
  readonly new: number;
  /** Checks with an open run, in any status. */
  readonly started: number;
}

/** The tag that stands for all of a project's checks. */
export const ALL_CHECKS = '*';

/** A tag and the signature that opens its public badge. */
export interface SignedTag {
  readonly tag: string;
  readonly badgeKey: string;
  readonly signature: string;
}

export function badgeStatus({ grace, down }: BadgeCounts, states: BadgeStates): BadgeStatus {
  if (down > 0) return 'down';
  return grace > 0 && states === 3 ? 'late' : 'up';
}

/** Public badges never show a check's UUID: with it anybody can ping. */
export function badgeLabel(check: Pick<CheckSummary, 'name' | 'slug'>): string {
  return check.name || check.slug || 'check';
}

type Tagged = Pick<CheckSummary, 'tags'>;

/** Every tag that any of the checks carries, each once, sorted by code point. */
export function allTags(checks: readonly Tagged[]): string[] {
  return [...new Set(checks.flatMap((check) => splitTags(check.tags)))].sort(byCodePoint);
}

/** A plain comparison of texts compares halves of surrogate pairs, which sorts emoji before some other characters. */
function byCodePoint(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
