import { ordinalNumber } from '../../lib/text/ordinals.ts';
import type { CivilPattern } from './civil-pattern.ts';
import { evenStep, isRun, joinWords, listValues } from './describe-words.ts';
import type { ValueSet } from './value-set.ts';

type TimeOfDay = Pick<CivilPattern, 'hours' | 'minutes' | 'seconds'>;

/** A longer list of times is described by a rule. */
const MAX_LIST = 6;

/** `at 03:30`, `every 15 minutes from 09:00 to 17:45`, `every hour on the hour`. */
export function describeTimeOfDay({ hours, minutes, seconds }: TimeOfDay): string {
  const isShort = hours.size * minutes.size * seconds.size <= MAX_LIST;
  if (isShort) return describeClockTimes({ hours, minutes, seconds });

  const ofTheDay = describeMinutesOfDay(hours, minutes);
  if (seconds.size === 1) {
    return seconds.first === 0 ? ofTheDay : `${ofTheDay}, ${seconds.first} seconds past the minute`;
  }

  const often = describeSeconds(seconds);
  if (hours.size < 24 || minutes.size < 60) return `${often} of the minute, ${ofTheDay}`;
  return often.startsWith('every') ? often : `every minute ${often}`;
}

function describeClockTimes({ hours, minutes, seconds }: TimeOfDay): string {
  const showSeconds = seconds.size > 1 || seconds.first !== 0;
  const times = hours.values.flatMap((hour) =>
    minutes.values.flatMap((minute) =>
      seconds.values.map((second) => clock(hour, minute) + (showSeconds ? `:${twoDigits(second)}` : '')),
    ),
  );
  return `at ${joinWords(times)}`;
}

function describeSeconds(seconds: ValueSet): string {
  if (seconds.size === 60) return 'every second';
  const step = evenStep(seconds, 0, 59);
  return step === null || 60 % step !== 0
    ? `at seconds ${listValues(seconds.values)}`
    : `every ${step} seconds`;
}

function describeMinutesOfDay(hours: ValueSet, minutes: ValueSet): string {
  const step = minutes.size === 60 ? 1 : evenStep(minutes, 0, 59);
  if (step === null || 60 % step !== 0) return describeMinutesPast(hours, minutes);

  const often = step === 1 ? 'every minute' : `every ${step} minutes`;
  if (hours.size === 24) return often;
  if (isRun(hours)) return `${often} from ${clock(hours.first, 0)} to ${clock(hours.last, minutes.last)}`;
  return `${often} of ${describeHours(hours)}`;
}

function describeMinutesPast(hours: ValueSet, minutes: ValueSet): string {
  const step = hours.size === 24 ? 1 : evenStep(hours, 0, 23);
  if (step !== null && 24 % step === 0) {
    return `${step === 1 ? 'every hour' : `every ${step} hours`} ${pastTheHour(minutes)}`;
  }
  if (isRun(hours) && minutes.size === 1) {
    return `every hour from ${clock(hours.first, minutes.first)} to ${clock(hours.last, minutes.first)}`;
  }
  return `at ${listValues(minutes.values)} minutes past ${describeHours(hours)}`;
}

function pastTheHour(minutes: ValueSet): string {
  if (minutes.size === 1 && minutes.first === 0) return 'on the hour';
  const isOne = minutes.size === 1 && minutes.first === 1;
  return `at ${listValues(minutes.values)} ${isOne ? 'minute' : 'minutes'} past`;
}

function describeHours(hours: ValueSet): string {
  const step = evenStep(hours, 0, 23);
  if (step !== null && step > 1 && 24 % step === 0) return `every ${ordinalNumber(step)} hour from midnight`;
  return `${hours.size === 1 ? 'hour' : 'hours'} ${listValues(hours.values)}`;
}

function clock(hour: number, minute: number): string {
  return `${twoDigits(hour)}:${twoDigits(minute)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
