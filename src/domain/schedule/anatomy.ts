import { detectKind } from './detect.ts';
import type { ScheduleError } from './schedule-error.ts';

/** A part of an expression, with its place in the text. */
export interface SchedulePart {
  /** Such as `minute` or `time`. */
  readonly name: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Why an expression is refused, and where. */
export interface ScheduleFault {
  readonly message: string;
  /** The place of the wrong part. The whole text, if it is not known. */
  readonly start: number;
  readonly end: number;
  /** An expression that would be accepted. Null if there is no guess. */
  readonly suggestion: string | null;
}

const CRON_PARTS = ['minute', 'hour', 'day-of-month', 'month', 'day-of-week'];
const SPAN_OF: Readonly<Record<string, number>> = { minute: 60, hour: 24 };

/** The parts of an expression. A cron expression has five; of the other kind each line is divided. */
export function partsOf(expression: string): SchedulePart[] {
  const isCron = detectKind(expression) === 'cron';
  return [...expression.matchAll(/\S+/g)].map(({ 0: text, index }, place) => ({
    name: isCron ? (CRON_PARTS[place] ?? 'part') : onCalendarName(text),
    text,
    start: index,
    end: index + text.length,
  }));
}

function onCalendarName(text: string): string {
  if (/^[A-Za-z]{3,}(?:[.,][.A-Za-z,]*)?$/.test(text))
    return /^[A-Z]{3,4}$|^[a-z]+ly$/.test(text) ? 'part' : 'weekdays';
  if (text.includes(':')) return 'time';
  if (/^[\d*][\d*.,/~-]*$/.test(text)) return 'date';
  return text.includes('/') ? 'timezone' : 'part';
}

/** The place of the error and a guess at the intended expression. `accepts` tells whether an expression is accepted. */
export function faultOf(
  expression: string,
  error: ScheduleError,
  accepts: (expression: string) => boolean,
): ScheduleFault {
  const { message } = error;
  const place = placeOf(expression, error);
  const guess = guessFor(expression, error, place);
  return { message, ...place, suggestion: guess !== null && accepts(guess) ? guess : null };
}

function placeOf(expression: string, error: ScheduleError): { start: number; end: number } {
  const part = partsOf(expression).find(({ name }) => name === error.field);
  const quoted = /"([^"]+)"/.exec(error.message)?.[1] ?? '';
  const from = part?.start ?? 0;
  // Cron is read in capitals.
  const at = quoted === '' ? -1 : expression.toUpperCase().indexOf(quoted.toUpperCase(), from);
  if (at >= 0 && (part === undefined || at < part.end)) return { start: at, end: at + quoted.length };
  return part ?? { start: 0, end: expression.length };
}

/** The expression that a message proposes, or a number that is too large taken as one of the next hour or day. */
function guessFor(
  expression: string,
  { message, field }: ScheduleError,
  { start, end }: { start: number; end: number },
): string | null {
  const [, proposed] = /(?:it is|write) "([^"]+)"/.exec(message) ?? [];
  if (proposed !== undefined)
    return proposed.includes(' ') ? proposed : replaced(expression, start, end, proposed);
  const [, surplus] = /leave out "([^"]+)"/.exec(message) ?? [];
  if (surplus !== undefined) return expression.trim().split(/\s+/).slice(0, 5).join(' ');
  const span = SPAN_OF[field ?? ''];
  const number = expression.slice(start, end);
  if (span === undefined || !/^\d+$/.test(number)) return null;
  return replaced(expression, start, end, String(Number(number) % span));
}

function replaced(text: string, start: number, end: number, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}
