import { parseCron } from './cron-parse.ts';
import { CRON_BY_ALIAS } from './hints.ts';
import { type FoundSchedule, scheduleOfWords } from './plain-words.ts';
import { acceptedTimezone } from './timezone.ts';

/** Longer texts are not looked at. */
export const MAX_PASTED = 10_000;
/** Lines of a crontab from which checks are made at once. */
export const MAX_CRONTAB_LINES = 50;

/** The schedule in a line of a crontab, a `.timer` unit, an alias such as `@daily`, or plain words. Null if there is none. */
export function findSchedule(pasted: string): FoundSchedule | null {
  if (pasted.length > MAX_PASTED) return null;
  const text = pasted.trim();
  return timerUnit(text) ?? crontab(text)[0] ?? scheduleOfWords(text);
}

/** The jobs of a crontab, at most `MAX_CRONTAB_LINES` of them. Other lines are left out. */
export function crontab(text: string): FoundSchedule[] {
  const jobs: FoundSchedule[] = [];
  let tz: string | null = null;
  for (const line of text.slice(0, MAX_PASTED).split('\n')) {
    const zone = /^\s*(?:CRON_)?TZ\s*=\s*["']?([\w/+-]+)/.exec(line)?.[1];
    if (zone !== undefined) tz = acceptedTimezone(zone);
    const job = crontabLine(line.trim(), tz);
    if (job !== null) jobs.push(job);
    if (jobs.length === MAX_CRONTAB_LINES) break;
  }
  return jobs;
}

function crontabLine(line: string, tz: string | null): FoundSchedule | null {
  if (line === '' || line.startsWith('#')) return null;
  const found = { kind: 'cron', timeoutSeconds: null, tz } as const;
  const [, alias = '', rest = ''] = /^(@\w+)(?:\s+(.*))?$/.exec(line) ?? [];
  const expression = CRON_BY_ALIAS.get(alias.toLowerCase());
  if (expression !== undefined) return { ...found, expression, command: rest || null, source: 'alias' };
  const [, fields = '', command = ''] = /^((?:\S+\s+){4}\S+)\s+(.+)$/.exec(line) ?? [];
  if (fields === '' || !isCron(fields)) return null;
  return { ...found, expression: fields.replaceAll(/\s+/g, ' '), command, source: 'crontab' };
}

function isCron(text: string): boolean {
  try {
    parseCron(text);
    return true;
  } catch {
    return false;
  }
}

/** The `OnCalendar=` lines of a unit. An empty one forgets those before it, as in systemd. */
function timerUnit(text: string): FoundSchedule | null {
  let lines: string[] = [];
  for (const [, value = ''] of text.matchAll(/^[ \t]*OnCalendar[ \t]*=(.*)$/gm))
    lines = value.trim() === '' ? [] : [...lines, value.trim()];
  if (lines.length === 0) return null;
  const expression = lines.join('\n');
  return { kind: 'oncalendar', expression, timeoutSeconds: null, tz: null, command: null, source: 'timer' };
}
