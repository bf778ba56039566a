import type { act } from '../app/act.ts';

/** The usual spans, in the words of the act. */
export const SNOOZE_SPANS = ['hour', 'four_hours', 'morning', 'tomorrow'] as const satisfies NonNullable<
  Parameters<typeof act.snoozeCheck>[0]['span']
>[];

export type SnoozeSpan = (typeof SNOOZE_SPANS)[number];

/** Those that are offered. `clock` is the time of the person, such as `14:25`: from 08:00 on, 08:00 is tomorrow. */
export function spansAt(clock: string): readonly SnoozeSpan[] {
  return clock < '08:00' ? SNOOZE_SPANS : SNOOZE_SPANS.filter((span) => span !== 'morning');
}
