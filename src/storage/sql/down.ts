/**
 * Whether a check is down, as conditions on rows of `checks`: `domain/status.ts` once more, in SQL. A property test
 * compares the two. `now` is an expression, such as `$2`.
 */

/** The row says so. The index `checks_down` holds these. */
export const STORED_DOWN = `checks.status = 'down'`;

/** The deadline has passed, and the row does not say so yet: a check that is stored as down has no deadline. */
export const overdueAt = (now: string) => `checks.deadline_at <= ${now}`;

/** What readers see as down. */
export const downAt = (now: string) => `(${STORED_DOWN} or ${overdueAt(now)})`;

/**
 * The time to look at the deadline has come. Whatever is overdue is among these, because no alarm is later than its
 * deadline; and there is an index of alarms, but none of deadlines.
 */
export const alarmedAt = (now: string) => `checks.alarm_at is not null and checks.alarm_at <= ${now}`;
