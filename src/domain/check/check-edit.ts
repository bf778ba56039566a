import type { Instant } from '../../lib/instant.ts';
import { AppError } from '../errors.ts';
import type { Check } from './check.ts';
import { editRules, type RulesEdit, rulesConflict, rulesOf } from './run-rules.ts';
import type { CheckConfig } from './settings.ts';
import { deadlineOf } from './status.ts';

/** The fields that an edit changes. Absent fields stay as they are. */
export interface CheckEdit extends Partial<Omit<CheckConfig, 'kind' | 'schedule' | 'runRules'>> {
  schedule?: { kind: 'cron' | 'oncalendar'; expression: string };
  /** Rules that are not named stay as they are. */
  runRules?: RulesEdit;
  /** Older names of the success and failure keywords. They also decide whether subjects are filtered. */
  subjectKeywords?: string;
  subjectFailureKeywords?: string;
}

/** The configuration after the edit. */
export function editConfig(config: CheckConfig, edit: CheckEdit): CheckConfig {
  const { schedule, timeoutSeconds, subjectKeywords, subjectFailureKeywords, runRules, ...plain } = edit;
  return {
    ...withSubjectKeywords(config, subjectKeywords, subjectFailureKeywords),
    ...plain,
    ...timing(schedule, timeoutSeconds),
    ...(runRules !== undefined && { runRules: soundRules(config.runRules, runRules) }),
  };
}

/** A schedule takes precedence over a timeout. Each of them sets the kind of the check. */
function timing(schedule: CheckEdit['schedule'], timeoutSeconds: number | undefined): Partial<CheckConfig> {
  if (schedule !== undefined) return { kind: schedule.kind, schedule: schedule.expression };
  if (timeoutSeconds !== undefined) return { kind: 'simple', timeoutSeconds };
  return {};
}

function soundRules(stored: string, edit: RulesEdit): string {
  const edited = editRules(stored, edit);
  const conflict = rulesConflict(edited);
  if (conflict !== null) throw new AppError('invalid_field', `json validation error: ${conflict}`);
  return edited;
}

function withSubjectKeywords(
  config: CheckConfig,
  success: string | undefined,
  failure: string | undefined,
): CheckConfig {
  if (success === undefined && failure === undefined) return config;
  const successKeywords = success ?? config.successKeywords;
  const failureKeywords = failure ?? config.failureKeywords;
  return {
    ...config,
    successKeywords,
    failureKeywords,
    filterSubject: successKeywords !== '' || failureKeywords !== '',
  };
}

/**
 * The check after the edit. Its status stays the same: a longer schedule does not bring a check up. If runs are expected
 * otherwise, then from `now` on. Without it the edit is only imagined.
 */
export function editCheck(check: Check, edit: CheckEdit, now: Instant | null = null): Check {
  const edited = { ...check, ...editConfig(check, edit) };
  const timedAt = isTimedAlike(check, edited) ? check.timedAt : now;
  return { ...edited, timedAt, deadlineAt: deadlineOf(edited) };
}

/** Whether runs are expected at the same times. */
function isTimedAlike(one: Check, other: Check): boolean {
  if (one.kind !== other.kind || rulesOf(one).early !== rulesOf(other).early) return false;
  if (one.kind === 'simple') return one.timeoutSeconds === other.timeoutSeconds;
  return one.schedule === other.schedule && one.tz === other.tz;
}
