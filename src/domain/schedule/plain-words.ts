import type { ScheduleKind } from './detect.ts';

/** A schedule that was found in a pasted or written text. */
export interface FoundSchedule {
  readonly kind: ScheduleKind | 'simple';
  /** The expression. Empty for a plain period. */
  readonly expression: string;
  /** Seconds. Only a plain period has them. */
  readonly timeoutSeconds: number | null;
  /** The zone that was beside it. */
  readonly tz: string | null;
  /** The rest of the line in a crontab. */
  readonly command: string | null;
  /** The format that it was found in. */
  readonly source: 'crontab' | 'timer' | 'alias' | 'words';
}

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const UNIT_SECONDS: Readonly<Record<string, number>> = {
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
};

const TIME = String.raw`(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?`;

/** Parses a schedule in words: `weekdays at 7:30`, `every 5 minutes`, `1st of the month at 4:00`. Null if it fails. */
export function scheduleOfWords(text: string): FoundSchedule | null {
  const words = text.toLowerCase().trim().replaceAll(/\s+/g, ' ');
  return period(words) ?? daily(words);
}

function period(words: string): FoundSchedule | null {
  const [, count, unit = ''] = /^every (?:(\d{1,3}) )?(minute|hour|day|week)s?$/.exec(words) ?? [];
  const seconds = UNIT_SECONDS[unit];
  const timeoutSeconds = seconds === undefined ? 0 : seconds * Number(count ?? 1);
  if (timeoutSeconds === 0 || (timeoutSeconds === 86_400 && count === undefined)) return null;
  return { kind: 'simple', expression: '', timeoutSeconds, tz: null, command: null, source: 'words' };
}

function daily(words: string): FoundSchedule | null {
  const match = new RegExp(`^(.*?)(?: at)?(?: ${TIME}|( midnight| noon))?$`).exec(words);
  const days = match === null ? null : daysOf((match[1] ?? '').trim());
  if (match === null || days === null) return null;
  const [, , hours, minutes = '00', half, name] = match;
  const hour = name === ' noon' ? 12 : hours === undefined ? 0 : hourOf(Number(hours), half);
  if (hour > 23 || Number(minutes) > 59) return null;
  const expression = `${Number(minutes)} ${hour} ${days}`;
  return { kind: 'cron', expression, timeoutSeconds: null, tz: null, command: null, source: 'words' };
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  return hour > 12 ? 24 : (hour % 12) + (half === 'pm' ? 12 : 0);
}

/** The last three fields of a cron expression. */
function daysOf(words: string): string | null {
  if (/^(?:every ?day|daily|each day|every night|nightly)$/.test(words)) return '* * *';
  if (/^(?:every |on )?(?:weekdays?|workdays?)$/.test(words)) return '* * MON-FRI';
  if (/^(?:every |on )?weekends?$/.test(words)) return '* * SAT,SUN';
  const [, date] =
    /^(?:on )?(?:the )?(\d{1,2})(?:st|nd|rd|th) (?:day )?of (?:the|each|every) month$/.exec(words) ?? [];
  if (date !== undefined) return Number(date) >= 1 && Number(date) <= 31 ? `${Number(date)} * *` : null;
  if (/^(?:on )?(?:the )?last day of (?:the|each|every) month$/.test(words)) return 'L * *';
  const named = words
    .replace(/^(?:every|on|each) /, '')
    .split(/, ?| and /)
    .map(dayOf);
  return named.length > 0 && named.every((day) => day !== null) ? `* * ${named.join(',')}` : null;
}

function dayOf(word: string): string | null {
  const index = DAYS.findIndex((day) => word === day || word === `${day}s` || word === day.slice(0, 3));
  return NAMES[index] ?? null;
}
