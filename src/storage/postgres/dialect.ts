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
  stepReports: {
    progress: `select phase, case when blocks_total > 0 then 100 * blocks_done / blocks_total
                                  when tuples_total > 0 then 100 * tuples_done / tuples_total end as percent
                 from pg_stat_progress_create_index where datname = current_database()
               union all
               select phase, case when heap_blks_total > 0 then 100 * heap_blks_scanned / heap_blks_total end
                 from pg_stat_progress_cluster where datname = current_database()
                limit 1`,
    session: 'select pg_backend_pid() as pid',
    // Not the text of its statement, which may have secrets in it.
    blockers: `select pid, usename as user, application_name as program, host(client_addr) as address,
                      cast(extract(epoch from clock_timestamp() - xact_start) as integer) as seconds
                 from pg_stat_activity where pid = any(pg_blocking_pids($1))`,
  },
  // Only the wait for the lock has no limit. The number is the migration's plus one.
  beginProvisioning: `set local statement_timeout = 0;
    set local lock_timeout = 0;
    select pg_advisory_xact_lock(127970320839023);
    set local statement_timeout to default;
    set local lock_timeout to default`,
  databaseBytes: 'pg_database_size(current_database())',
  databaseVersion: `split_part(current_setting('server_version'), ' ', 1)`,
  estimatedRows: (table) =>
    `(select greatest(reltuples, 0)::bigint from pg_class where oid = '${table}'::regclass)`,
};
