import { type Instant, seconds } from '../../lib/instant.ts';
import type { Calendar } from './calendar.ts';

/** A calendar of a project, by its name. */
export interface StoredCalendar {
  readonly id: number;
  readonly uuid: string;
  readonly projectId: number;
  readonly name: string;
  readonly schedule: string;
  readonly tz: string;
  readonly durationSeconds: number;
  /** Dates such as `2026-12-24`, apart by spaces. */
  readonly exceptDates: string;
  readonly createdAt: Instant;
}

export type NewCalendar = Omit<StoredCalendar, 'id'>;

export const MAX_CALENDARS = 50;
/** Days that a calendar leaves out. */
export const MAX_EXCEPT_DATES = 200;
export const MIN_CALENDAR_SECONDS = 60;
export const MAX_CALENDAR_SECONDS = 2_592_000;

export function calendarOf({ schedule, tz, durationSeconds, exceptDates }: StoredCalendar): Calendar {
  return { schedule, tz, duration: seconds(durationSeconds), exceptDates: datesOf(exceptDates) };
}

export function datesOf(exceptDates: string): string[] {
  return exceptDates === '' ? [] : exceptDates.split(' ');
}
