import type { Micros } from '../../lib/instant.ts';

/** Hours that come again: they begin as the schedule says and last as long in absolute time, also over a change of clocks. */
export interface Calendar {
  readonly schedule: string;
  readonly tz: string;
  readonly duration: Micros;
  /** Dates such as `2026-12-24`, in the zone of the calendar. Hours that would begin on them do not. */
  readonly exceptDates: readonly string[];
}
