import type { Dialect } from '../dialect.ts';

export const postgresDialect: Dialect = {
  engine: 'postgres',
  forUpdate: 'for no key update',
  hasArrays: true,
  inList: (parameter) => `= any(${parameter}::bigint[])`,
  list: (values) => values,
  // Not `now()`, which is when the transaction began.
  currentTime: 'cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)',
  // Two processes that start together meet at this lock; a long migration must not run into the
  // statement time-out of ordinary requests. The number is "tocsin" in ASCII.
  beginMigration: `set local statement_timeout = 0;
    set local lock_timeout = 0;
    select pg_advisory_xact_lock(127970320839022)`,
  // Only the wait for others has no limit. The number is the other one's successor.
  beginProvisioning: `set local statement_timeout = 0;
    set local lock_timeout = 0;
    select pg_advisory_xact_lock(127970320839023);
    set local statement_timeout to default;
    set local lock_timeout to default`,
};
