import type { act } from '../app/act.ts';

/** The usual spans, in the words of the act. */
export const SNOOZE_SPANS = ['hour', 'four_hours', 'morning', 'tomorrow'] as const satisfies NonNullable<
  Parameters<typeof act.snoozeCheck>[0]['span']
>[];

export type SnoozeSpan = (typeof SNOOZE_SPANS)[number];
