import { parseCron } from './cron-parse.ts';
import { MAX_CRONTAB_JOBS } from './crontab-limits.ts';
import { CRON_BY_ALIAS } from './hints.ts';
import { ScheduleError } from './schedule-error.ts';
import { acceptedTimezone } from './timezone.ts';

/** A line as it stands, and its meaning. Texts and ends together are the crontab again. */
export interface CrontabLine {
  readonly text: string;
  readonly end: string;
  readonly meaning: LineMeaning;
}

export interface CrontabJob {
  readonly is: 'job';
  readonly expression: string;
  /** The zone that a line above names. */
  readonly tz: string | null;
  /** The line before the command: time, spaces and user. */
  readonly lead: string;
  readonly command: string;
}

export type LineMeaning =
  | CrontabJob
  | { readonly is: 'blank' | 'comment' | 'setting' | 'reboot' | 'pings' | 'too_many' }
  /** It sets the zone of the jobs below. */
  | { readonly is: 'zone'; readonly tz: string }
  | { readonly is: 'broken'; readonly reason: string };

interface Reading {
  /** Whether a user stands before each command, as in /etc/crontab. Null if the text decides. */
  readonly hasUsers: boolean | null;
  /** The beginning of ping addresses. Jobs that contain it have a check already. */
  readonly pingEndpoint: string | null;
}

/** Every line of a crontab, with its meaning. */
export function readCrontab(
  text: string,
  { hasUsers, pingEndpoint }: Reading,
): { readonly hasUsers: boolean; readonly lines: readonly CrontabLine[] } {
  const split = Array.from(text.matchAll(/([^\r\n]*)(\r?\n|\r|$)/g), ([, line = '', end = '']) => ({
    text: line,
    end,
  })).filter((line) => line.text !== '' || line.end !== '');
  const users = hasUsers ?? looksLikeSystem(split.map((line) => line.text));
  let tz: string | null = null;
  let jobs = 0;
  const lines = split.map((line) => {
    let meaning = meaningOf(line.text, users, tz);
    if (meaning.is === 'zone') tz = meaning.tz;
    if (meaning.is === 'job' && pingEndpoint !== null && meaning.command.includes(pingEndpoint))
      meaning = { is: 'pings' };
    if (meaning.is === 'job') {
      jobs += 1;
      if (jobs > MAX_CRONTAB_JOBS) meaning = { is: 'too_many' };
    }
    return { ...line, meaning };
  });
  return { hasUsers: users, lines };
}

const SETTING = /^\s*(["']?)([A-Za-z_]\w*)\1\s*=\s*(.*)$/;
const ALIAS = /^(\s*@(\w+)(?:\s+|$))(.*)$/;
/** Some systems put a hyphen before a job that is not logged. */
const TIMES = /^(\s*-?((?:\S+\s+){4}\S+)(?:\s+|$))(.*)$/;
const USER = /^([a-z_][a-z0-9_.-]*\$?)(?:\s+|$)/;

function meaningOf(line: string, hasUsers: boolean, tz: string | null): LineMeaning {
  if (line.trim() === '') return { is: 'blank' };
  if (/^\s*#/.test(line)) return { is: 'comment' };
  const [, , setting, value = ''] = SETTING.exec(line) ?? [];
  if (setting === 'CRON_TZ' || setting === 'TZ') return zoneOf(value);
  if (setting !== undefined) return { is: 'setting' };
  const [, aliasLead = '', alias, afterAlias = ''] = ALIAS.exec(line) ?? [];
  if (alias?.toLowerCase() === 'reboot') return { is: 'reboot' };
  if (alias !== undefined) {
    const expression = CRON_BY_ALIAS.get(`@${alias.toLowerCase()}`);
    if (expression === undefined) return { is: 'broken', reason: `No time is called @${alias}.` };
    return job(expression, tz, aliasLead, afterAlias, hasUsers);
  }
  const [, lead = '', times, command = ''] = TIMES.exec(line) ?? [];
  if (times === undefined)
    return { is: 'broken', reason: 'A job has five fields for its time, and then its command.' };
  const expression = times.replaceAll(/\s+/g, ' ');
  const fault = faultIn(expression);
  return fault === null ? job(expression, tz, lead, command, hasUsers) : { is: 'broken', reason: fault };
}

function job(
  expression: string,
  tz: string | null,
  lead: string,
  rest: string,
  hasUsers: boolean,
): LineMeaning {
  const user = hasUsers ? (USER.exec(rest)?.[0] ?? null) : '';
  if (user === null && rest !== '') return { is: 'broken', reason: 'There is no user before the command.' };
  const command = rest.slice(user?.length ?? 0);
  if (command.trim() === '') return { is: 'broken', reason: 'There is no command after the time.' };
  return { is: 'job', expression, tz, lead: lead + (user ?? ''), command };
}

function zoneOf(value: string): LineMeaning {
  const name = value.trim().replace(/^(["'])(.*)\1$/, '$2');
  const tz = acceptedTimezone(name.replace(/^:/, ''));
  return tz === null ? { is: 'broken', reason: `No time zone is called ${name}.` } : { is: 'zone', tz };
}

function faultIn(expression: string): string | null {
  try {
    parseCron(expression);
    return null;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

/** Whether the crontab has users: its head names the column, or jobs are run by root. `root` is not a program. */
function looksLikeSystem(lines: readonly string[]): boolean {
  return lines.some(
    (line) =>
      /^\s*#.*\buser(?:-?name)?\s+command/i.test(line) ||
      /^\s*(?:@\w+|-?(?:\S+\s+){4}\S+)\s+root\s+\S/.test(line),
  );
}
