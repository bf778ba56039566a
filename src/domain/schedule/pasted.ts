import { readCrontab } from './crontab.ts';
import { CRON_BY_ALIAS } from './hints.ts';
import { type FoundSchedule, scheduleOfWords } from './plain-words.ts';

/** Longer texts are not looked at. */
export const MAX_PASTED = 10_000;

/** The schedule in a line of a crontab, a `.timer` unit, an alias such as `@daily`, or plain words. Null if there is none. */
export function findSchedule(pasted: string): FoundSchedule | null {
  if (pasted.length > MAX_PASTED) return null;
  const text = pasted.trim();
  return timerUnit(text) ?? cronJob(text) ?? scheduleOfWords(text);
}

/** The first job of a crontab, or an alias alone. */
function cronJob(text: string): FoundSchedule | null {
  const found = { kind: 'cron', timeoutSeconds: null } as const;
  const alone = CRON_BY_ALIAS.get(text.toLowerCase());
  if (alone !== undefined) return { ...found, expression: alone, tz: null, command: null, source: 'alias' };
  const { lines } = readCrontab(text, { hasUsers: false, pingEndpoint: null });
  for (const { meaning } of lines) {
    if (meaning.is !== 'job') continue;
    const { expression, tz, lead, command } = meaning;
    return {
      ...found,
      expression,
      tz,
      command,
      source: lead.trimStart().startsWith('@') ? 'alias' : 'crontab',
    };
  }
  return null;
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
