import { parseCron } from './cron-parse.ts';
import { quote, ScheduleError } from './schedule-error.ts';

/** Aliases that other programs accept besides expressions. */
export const CRON_BY_ALIAS: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

/**
 * Explains text in another dialect of cron, or returns null. The API refuses such text like any other that is not
 * valid; this tells people what to write instead.
 */
export function explainForeignCron(expression: string): ScheduleError | null {
  const text = expression.trim();
  if (text.startsWith('@')) return explainAlias(text);
  if (/^(?:CRON_)?TZ=/.test(text)) {
    return new ScheduleError(
      'The time zone of a cron expression is given beside it, not inside.',
      'timezone',
    );
  }
  if (isCron(text)) return new ScheduleError('A cron expression stands on one line.');

  const parts = text.split(/\s+/);
  if (parts.length === 6) return explainSixFields(parts);
  return parts.length >= 4 && parts.every((part) => /^[-*/,#?\w]+$/.test(part))
    ? wrongCount(parts.length)
    : null;
}

function explainAlias(text: string): ScheduleError {
  const accepted = CRON_BY_ALIAS.get(text.toLowerCase());
  const advice = accepted === undefined ? 'write the times in five fields' : `write "${accepted}"`;
  return new ScheduleError(`Aliases such as ${quote(text)} are not accepted: ${advice}.`);
}

/** Six fields are five fields with seconds before them, or with a year, a user or a command after them. */
function explainSixFields(parts: readonly string[]): ScheduleError | null {
  const [first = '', last = ''] = [parts[0], parts[5]];
  const withoutFirst = withoutQuestionMarks(parts.slice(1));
  if (isCron(`${first} * * * *`) && isCron(withoutFirst)) {
    return first === '0'
      ? wrongCount(6, `without the seconds it is "${withoutFirst}"`)
      : wrongCount(6, 'for seconds use OnCalendar, as in "*:*:0/10"');
  }
  return isCron(withoutQuestionMarks(parts.slice(0, 5))) ? wrongCount(6, `leave out ${quote(last)}`) : null;
}

function wrongCount(count: number, advice = 'minute, hour, day of month, month, day of week'): ScheduleError {
  return new ScheduleError(`A cron expression has five fields, not ${count}: ${advice}.`);
}

/** Quartz writes `?` where cron writes `*`. */
function withoutQuestionMarks(parts: readonly string[]): string {
  return parts.map((part) => (part === '?' ? '*' : part)).join(' ');
}

function isCron(text: string): boolean {
  try {
    parseCron(text);
    return true;
  } catch {
    return false;
  }
}
