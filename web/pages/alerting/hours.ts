import { cityOf } from '../../ui/times.ts';

/** Hours that come again, as the server has them. */
export interface Hours {
  readonly schedule: string;
  readonly tz: string;
  /** Seconds. */
  readonly duration: number;
}

/** Days, as OnCalendar names them. */
export const DAYS = ['Mon..Fri', 'Mon..Sat', 'Sat,Sun', '*-*-*'] as const;
export type Days = (typeof DAYS)[number];

/** Hours of a kind that most have. */
export interface PlainHours {
  readonly days: Days;
  /** Such as `08:00`. */
  readonly from: string;
  /** Not after `from`: on the next day. */
  readonly to: string;
}

const DAY_MINUTES = 1_440;

/** Null: they are of another kind. */
export function plainHours({ schedule, duration }: Hours): PlainHours | null {
  const [, name, from] = /^(\S+) ([01]\d:[0-5]\d|2[0-3]:[0-5]\d)(?::00)?$/.exec(schedule) ?? [];
  const days = DAYS.find((one) => one === name);
  if (days === undefined || from === undefined || duration % 60 !== 0 || duration > DAY_MINUTES * 60)
    return null;
  return { days, from, to: clockOf(minutesOf(from) + duration / 60) };
}

/** The schedule and the duration of hours. */
export function hoursOf({ days, from, to }: PlainHours): Pick<Hours, 'schedule' | 'duration'> {
  const minutes = (minutesOf(to) - minutesOf(from) + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
  return { schedule: `${days} ${from}`, duration: minutes * 60 };
}

function minutesOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}

function clockOf(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60) % 24, minutes % 60];
  return [hours, rest].map((part) => String(part).padStart(2, '0')).join(':');
}

const SHORT: Readonly<Record<Days, string>> = {
  'Mon..Fri': 'Mon–Fri',
  'Mon..Sat': 'Mon–Sat',
  'Sat,Sun': 'Sat and Sun',
  '*-*-*': 'Every day',
};

/** Hours in words: Mon–Fri 08:00–18:00, Riga. */
export function hoursWords(hours: Hours): string {
  const plain = plainHours(hours);
  const times =
    plain === null
      ? `${hours.schedule}, for ${Number((hours.duration / 3_600).toFixed(2))} h`
      : `${SHORT[plain.days]} ${plain.from}–${plain.to}`;
  return `${times}, ${cityOf(hours.tz)}`;
}

/** The hours that are proposed, in the zone of the person. */
export const usualHours = (tz: string): Hours => ({ schedule: 'Mon..Fri 08:00', tz, duration: 36_000 });
