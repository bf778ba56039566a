import type { TimeStyle } from '../ui/times.ts';
import type { Answer } from './read.ts';

export function timeStyleOf({ tz, language, clock, dateFormat }: Answer<'account'>): TimeStyle {
  return {
    tz,
    language: language === '' ? undefined : language,
    isTwelveHours: clock === '12h',
    isIso: dateFormat === 'iso',
  };
}
