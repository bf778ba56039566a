import type { AccountJson } from '../../src/wire/dashboard/account-output.ts';
import type { TimeStyle } from '../ui/times.ts';

/** How the account wants to read times. */
export function timeStyleOf({ tz, language, clock, date_format }: AccountJson): TimeStyle {
  return {
    tz,
    language: language === '' ? undefined : language,
    isTwelveHours: clock === '12h',
    isIso: date_format === 'iso',
  };
}
