import { type Instant, MICROS_PER_SECOND, type Micros, seconds } from '../../lib/instant.ts';
import { count, DAY, HOUR, MINUTE, periodText } from '../../lib/text/durations.ts';
import { nextOccurrence, ScheduleError } from '../schedule/schedule.ts';
import { type CheckConfig, MAX_DURATION_SECONDS, MIN_DURATION_SECONDS } from './settings.ts';

/** Pings from which successes are taken: starts and logs may lie between them. */
export const HINT_PINGS = 60;

const MIN_SUCCESSES = 10;
const MAX_SUCCESSES = 20;
const HINT_SPAN: Micros = seconds(30 * DAY);
/** So many times as often as expected. */
const TIMES_AS_OFTEN = 4;
/** Jobs never ping at exactly the same distance. */
const JITTER = 0.02;

/** Pings come much more often than the check expects them, so an outage would be noticed late. */
export interface TimingHint {
  /** Seconds between pings, as they come. */
  readonly every: number;
  /** Seconds between pings, as they are expected. */
  readonly expected: number;
  /** Seconds after which an outage would be noticed. */
  readonly noticedAfter: number;
  /** The timing that fits the pings. */
  readonly timeoutSeconds: number;
  readonly graceSeconds: number;
}

type Timing = Pick<CheckConfig, 'kind' | 'timeoutSeconds' | 'schedule' | 'tz' | 'graceSeconds'>;

/** Names the timing, so that a hint stays silenced until somebody changes it. */
export function timingKey({ kind, timeoutSeconds, schedule, tz, graceSeconds }: Timing): string {
  return JSON.stringify(kind === 'simple' ? [timeoutSeconds, graceSeconds] : [schedule, tz, graceSeconds]);
}

/** A hint about the timing of a check. `successes` are the times of its last successes, the oldest first. */
export function timingHint(check: Timing, successes: readonly Instant[], now: Instant): TimingHint | null {
  const recent = successes.filter((at) => now - at <= HINT_SPAN).slice(-MAX_SUCCESSES);
  if (recent.length < MIN_SUCCESSES) return null;
  const gaps = recent.slice(1).map((at, index) => (at - (recent[index] ?? at)) / MICROS_PER_SECOND);
  const every = medianOf(gaps);
  if (gaps.some((gap) => gap < every / 2 || gap > every * 2)) return null;
  const expected = expectedSeconds(check, recent);
  if (expected === null || every * TIMES_AS_OFTEN > expected * (1 + JITTER)) return null;
  const timeoutSeconds = within(roundedUp(every));
  const longest = Math.ceil(Math.max(...gaps));
  return {
    every: Math.round(every),
    expected,
    noticedAfter: expected + check.graceSeconds,
    timeoutSeconds,
    graceSeconds: within(longest - timeoutSeconds),
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}

/** To a whole minute, hour or day. Jitter does not make the next one of it. */
function roundedUp(every: number): number {
  const unit = every < 2 * HOUR ? MINUTE : every < 2 * DAY ? HOUR : DAY;
  return Math.ceil((every * (1 - JITTER)) / unit) * unit;
}

function within(duration: number): number {
  return Math.min(Math.max(duration, MIN_DURATION_SECONDS), MAX_DURATION_SECONDS);
}

/** For a schedule: the mean between its runs around these times. Null if it has too many to be rare, or none. */
function expectedSeconds(check: Timing, times: readonly Instant[]): number | null {
  if (check.kind === 'simple') return check.timeoutSeconds;
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  try {
    const begin = nextOccurrence(check.schedule, check.tz, first);
    let end = begin;
    for (let runs = 1; begin !== null && end !== null && runs <= times.length; runs++) {
      end = nextOccurrence(check.schedule, check.tz, end);
      if (end !== null && end > last) return Math.round((end - begin) / runs / MICROS_PER_SECOND);
    }
    return null;
  } catch (error) {
    if (error instanceof ScheduleError) return null;
    throw error;
  }
}

/** `Pings come every 15 minutes, you expect one a day: an outage would be noticed after 25 hours.` */
export function hintSentence({ timeoutSeconds, expected, noticedAfter }: TimingHint): string {
  return `Pings come every ${singly(periodText(timeoutSeconds))}, you expect one ${rarely(expected)}: an outage would be noticed after ${spanWords(noticedAfter)}.`;
}

const singly = (period: string): string => period.replace(/^1 (\w+)$/, '$1');

function rarely(expected: number): string {
  const words = periodText(expected);
  return /^1 \w+$/.test(words) ? words.replace('1 ', words === '1 hour' ? 'an ' : 'a ') : `every ${words}`;
}

/** Days only from two on: `25 hours` says more than a day and an hour. */
function spanWords(duration: number): string {
  return duration < 2 * DAY && duration % HOUR === 0 ? count(duration / HOUR, 'hour') : periodText(duration);
}
