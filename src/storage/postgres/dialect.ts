import type { Dialect } from '../dialect.ts';
import { isLockTimeout } from './errors.ts';

/**
 * How long a migration waits for a table that others use. Whoever comes after it waits behind it, pings too, so it is
 * shorter than the time that those have. It is longer than the second after which PostgreSQL ends an autovacuum that is
 * in the way.
 */
const MIGRATION_LOCK_TIMEOUT_MS = 2_000;

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
    select pg_advisory_xact_lock(127970320839022);
    set local lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`,
  isLockTimeout,
  // Only the wait for others has no limit. The number is the other one's successor.
  beginProvisioning: `set local statement_timeout = 0;
    set local lock_timeout = 0;
    select pg_advisory_xact_lock(127970320839023);
    set local statement_timeout to default;
    set local lock_timeout to default`,
};
