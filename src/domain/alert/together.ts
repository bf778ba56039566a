import { type Instant, type Micros, seconds } from '../../lib/instant.ts';

/** Between two messages of the same kind about many. */
export const TOGETHER_PAUSE: Micros = seconds(300);
/** Messages that a channel may get one by one. */
export const MAX_TOGETHER_ABOVE = 1_000;
/** So long the first message about a tag waits for others of it. */
const TAG_WAIT: Micros = seconds(30);
/** A row that another message tells is never due by itself. */
export const NEVER_DUE: Instant = 9_000_000_000_000_000;

/** What makes one message of many: too many at once, a tag, or a parent that is up while those that depend on it are not. */
export type Together =
  | { readonly group: 'storm' | 'parent' }
  | { readonly group: 'tag'; readonly tag: string };

/** The settings of a channel. Zero: it is told of each. */
export interface StormRule {
  readonly above: number;
  readonly within: Micros;
}

/**
 * How many of the new messages go out by themselves. `recent` are the times of those that were queued before, newest first,
 * at least as many as the rule allows.
 */
export function singlesOf({ above, within }: StormRule, recent: readonly Instant[], now: Instant): number {
  if (above === 0) return Number.POSITIVE_INFINITY;
  return Math.max(0, above - recent.filter((at) => at > now - within).length);
}

/** When the next message of this kind is due. `last` is when the one before it was. Null: there was none. */
export function dueAt(of: Together, rule: StormRule, last: Instant | null, now: Instant): Instant {
  const waits = { storm: rule.within, tag: TAG_WAIT, parent: 0 };
  return Math.max(now + waits[of.group], last === null ? 0 : last + TOGETHER_PAUSE);
}

/** Names messages that are told together. */
export function keyOf(of: Together): string {
  return of.group === 'tag' ? `tag ${of.tag}` : of.group;
}
