import { periodText } from '../../lib/text/durations.ts';
import { describeScheduleBriefly, ScheduleError } from '../schedule/schedule.ts';
import type { Check } from './check.ts';

/** When a check is expected: `Every 5 minutes`, `Every day at 03:00`. An expression that cannot be read stands for itself. */
export function scheduleWords(check: Pick<Check, 'kind' | 'timeoutSeconds' | 'schedule'>): string {
  if (check.kind === 'simple') return `Every ${periodText(check.timeoutSeconds).replace(/^1 (\w+)$/, '$1')}`;
  try {
    return describeScheduleBriefly(check.schedule);
  } catch (error) {
    if (error instanceof ScheduleError) return check.schedule;
    throw error;
  }
}

/** The time zone that the words are about. Null if the schedule does not depend on one. */
export function scheduleZone(check: Pick<Check, 'kind' | 'tz'>): string | null {
  return check.kind === 'simple' ? null : check.tz;
}
