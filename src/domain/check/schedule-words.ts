import { periodText } from '../../lib/text/durations.ts';
import { describeScheduleBriefly, ScheduleError, zonesNamedIn } from '../schedule/schedule.ts';
import type { Check } from './check.ts';

/** When a check is expected: `Every 5 minutes`, `Every day at 03:00`. */
export function scheduleWords(check: Pick<Check, 'kind' | 'timeoutSeconds' | 'schedule'>): string {
  if (check.kind === 'simple') return `Every ${periodText(check.timeoutSeconds).replace(/^1 (\w+)$/, '$1')}`;
  return expressionWords(check.schedule);
}

/** A cron or OnCalendar expression in words. One that cannot be read stands for itself. */
export function expressionWords(expression: string): string {
  return ifReadable(() => describeScheduleBriefly(expression), expression);
}

type Zoned = Pick<Check, 'kind' | 'schedule' | 'tz'>;

/** The time zone that the words are about. Null if there is none, or the words name zones for all their times. */
export function scheduleZone(check: Zoned): string | null {
  return check.kind === 'simple' || namedZones(check).every((zone) => zone !== null) ? null : check.tz;
}

/** Whether the words name a zone for some of their times. */
export function namesZone(check: Zoned): boolean {
  return check.kind !== 'simple' && namedZones(check).some((zone) => zone !== null);
}

function namedZones({ schedule }: Zoned): readonly (string | null)[] {
  return ifReadable(() => zonesNamedIn(schedule), [null]);
}

function ifReadable<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ScheduleError) return otherwise;
    throw error;
  }
}
