/**
 * SQL conditions on rows of `checks` that say whether a check is down. They repeat `domain/check/status.ts`, and a property
 * test compares the two. `now` is an expression, such as `$2`.
 */

/** The stored status is down. The index `checks_down` holds these rows. */
export const STORED_DOWN = `checks.status = 'down'`;

/**
 * The deadline has passed and the stored status does not say so yet. A check that is stored as down has no deadline.
 */
export const overdueAt = (now: string) => `checks.deadline_at <= ${now}`;

/** The checks that readers see as down. */
export const downAt = (now: string) => `(${STORED_DOWN} or ${overdueAt(now)})`;

/**
 * The time to look at the deadline has come. This includes all overdue checks, because an alarm is never later than its
 * deadline. Alarms have an index; deadlines have none.
 */
export const alarmedAt = (now: string) => `checks.alarm_at is not null and checks.alarm_at <= ${now}`;
