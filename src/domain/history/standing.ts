/*
 * Where a check stands among the others. Pages take their order, groups, counts and pills from these lists.
 */

/**
 * Why nothing is told of a check now, in the order of the gates: the first that fits is the answer. `quiet`: it is in a quiet
 * time. `snoozed`: somebody wants silence. `acknowledged`: somebody has taken it. `held`: a check that it depends on is down.
 * `waiting`: it is down, and is told later.
 */
export const ANSWERS = ['quiet', 'snoozed', 'acknowledged', 'held', 'waiting'] as const;

export type AnswerKind = (typeof ANSWERS)[number];

/**
 * Kinds of trouble, the worst first. `down`: nobody has it. `held`, `acknowledged`: down, and answered so. `never_came`: the
 * first run. `slow`: the open run takes unusually long.
 */
export const TROUBLES = ['down', 'held', 'acknowledged', 'late', 'never_came', 'slow'] as const;

export type Trouble = (typeof TROUBLES)[number];

/** The kinds of trouble in which a check is down. */
export const DOWN_TROUBLES = ['down', 'held', 'acknowledged'] as const satisfies readonly Trouble[];

/**
 * Kinds of checks that need no attention. `silent`: on purpose, by a pause, a snooze or a quiet time. `new`: it waits for its first
 * run. `ready`: somebody has resumed or cleared it, and it waits for its next.
 */
export const CALM = ['fine', 'silent', 'new', 'ready'] as const;

export type Calm = (typeof CALM)[number];

/** In the order in which pages list checks. */
export const STANDINGS = [...TROUBLES, ...CALM] as const;

export type Standing = (typeof STANDINGS)[number];

export function isTrouble(standing: Standing): standing is Trouble {
  return (TROUBLES as readonly Standing[]).includes(standing);
}

/** What a standing depends on. */
export interface Placed {
  readonly status: 'up' | 'late' | 'down' | 'paused' | 'new';
  readonly slow: boolean;
  readonly neverCame: boolean;
  /** It has pinged, and waits for a ping again. */
  readonly ready: boolean;
  readonly answer: { readonly kind: AnswerKind } | null;
}

export function standingOf({ status, slow, neverCame, ready, answer }: Placed): Standing {
  if (status === 'paused' || answer?.kind === 'snoozed' || answer?.kind === 'quiet') return 'silent';
  if (status === 'down')
    return answer?.kind === 'held' || answer?.kind === 'acknowledged' ? answer.kind : 'down';
  if (status === 'late') return 'late';
  if (neverCame) return 'never_came';
  if (slow) return 'slow';
  if (status === 'up') return 'fine';
  return ready ? 'ready' : 'new';
}

/** The number of checks of each standing. Each counts once. */
export type Totals = Readonly<Record<Standing, number>>;

export function totalsOf(standings: Iterable<Standing>): Totals {
  const totals: Record<Standing, number> = {
    ...{ down: 0, held: 0, acknowledged: 0, late: 0, never_came: 0, slow: 0 },
    ...{ fine: 0, silent: 0, new: 0, ready: 0 },
  };
  for (const standing of standings) totals[standing]++;
  return totals;
}
