import type { Dialect } from '../dialect.ts';
import { isLockTimeout } from './errors.ts';

/**
 * A migration's wait for a table that others use. Meanwhile all later statements on the table wait too, also those of
 * pings, so the limit is shorter than their time-out. It is longer than one second, after which PostgreSQL ends an
 * autovacuum that blocks the table.
 */
const MIGRATION_LOCK_TIMEOUT_MS = 2_000;

export const postgresDialect: Dialect = {
  engine: 'postgres',
  forUpdate: 'for no key update',
  forDelete: 'for update',
  hasArrays: true,
  inList: (parameter) => `= any(${parameter}::bigint[])`,
  list: (values) => values,
  // Not `now()`, which is the start of the transaction.
  currentTime: 'cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)',
  // Processes that start together wait for this lock. The statement time-out of ordinary requests must not end a long
  // migration. The number is "tocsin" in ASCII.
  beginMigration: `set local statement_timeout = 0;
    set local lock_timeout = 0;
    select pg_advisory_xact_lock(127970320839022);
    set local lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`,
  isLockTimeout,
  // Only the wait for the lock has no limit. The number is the migration's plus one.
  beginProvisioning: `set local statement_timeout = 0;
    set local lock_timeout = 0;
    select pg_advisory_xact_lock(127970320839023);
    set local statement_timeout to default;
    set local lock_timeout to default`,
  databaseBytes: 'pg_database_size(current_database())',
};
