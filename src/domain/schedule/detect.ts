export type ScheduleKind = 'cron' | 'oncalendar';

/** Cron when the trimmed text has no newline and exactly five parts, else OnCalendar. */
export function detectKind(expression: string): ScheduleKind {
  const text = expression.trim();
  return !text.includes('\n') && text.split(/\s+/).length === 5 ? 'cron' : 'oncalendar';
}
