import { datesOf, type StoredCalendar } from '../../domain/policy/stored-calendar.ts';

export type CalendarJson = ReturnType<typeof calendarJson>;

export function calendarJson({ uuid, name, schedule, tz, durationSeconds, exceptDates }: StoredCalendar) {
  return { uuid, name, schedule, tz, duration: durationSeconds, except: datesOf(exceptDates) };
}
