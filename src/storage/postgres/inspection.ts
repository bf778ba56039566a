import pg from 'pg';
import { type PostgresOptions, sessionConfig } from './driver.ts';

/** What a session can learn of its server, and of what it may do there. */
export interface PostgresFacts {
  /** As the server says it, such as `17.2`. */
  readonly version: string;
  /** The first part of it. */
  readonly major: number;
  readonly encoding: string;
  /** The schema in which tables are made. Null if there is none. */
  readonly schema: string | null;
  readonly canCreate: boolean;
  /** Tables that the role cannot read and write. */
  readonly closedTables: readonly string[];
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly autovacuum: string;
  readonly statementTimeoutMs: number;
  /** Whether the server only follows another one. */
  readonly isStandby: boolean;
  /** Whether a program between here and the server shares its sessions among clients. */
  readonly isPooled: boolean;
  /** Sessions that this role could still open, if all of ours were closed. */
  readonly freeSessions: number;
  readonly invalidIndexes: readonly string[];
}

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * A server with one limit of sessions, of which some are kept for others; the database and the role may have limits, too.
 * Superusers have the first limit alone.
 */
const FACTS = `
  with me as (select * from pg_roles where rolname = current_user),
       here as (select * from pg_database where datname = current_database()),
       others as (select * from pg_stat_activity
                   where datid is not null
                     and not (application_name = $1 and datname = current_database()))
  select current_setting('server_version') as version,
         current_setting('server_version_num')::int / 10000 as major,
         pg_encoding_to_char(here.encoding) as encoding,
         current_schema() as schema,
         coalesce(has_schema_privilege(current_schema(), 'create'), false) as "canCreate",
         array(select relname::text from pg_class
                where relkind = 'r' and relnamespace = (select oid from pg_namespace where nspname = current_schema())
                  and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
                           and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))
                order by 1) as "closedTables",
         current_setting('fsync') as fsync,
         current_setting('synchronous_commit') as "synchronousCommit",
         current_setting('autovacuum') as autovacuum,
         (select setting::bigint from pg_settings where name = 'statement_timeout') as "statementTimeoutMs",
         pg_is_in_recovery() as "isStandby",
         pg_backend_pid() as "pid",
         least(
           current_setting('max_connections')::int
             - case when me.rolsuper then 0 else
                 current_setting('superuser_reserved_connections')::int
                 + coalesce(current_setting('reserved_connections', true), '0')::int end
             - (select count(*) from others),
           case when me.rolsuper or here.datconnlimit < 0 then null
                else here.datconnlimit - (select count(*) from others where datname = current_database()) end,
           case when me.rolsuper or me.rolconnlimit < 0 then null
                else me.rolconnlimit - (select count(*) from others where usename = current_user) end
         ) as "freeSessions",
         array(select indexrelid::regclass::text from pg_index join pg_class on pg_class.oid = indexrelid
                where not indisvalid
                  and relnamespace = (select oid from pg_namespace where nspname = current_schema())
                order by 1) as "invalidIndexes"
    from me, here`;

/** Opens a session as the service does, and looks around. Changes nothing. Throws the error of the client library. */
export async function inspectPostgres(
  options: Pick<PostgresOptions, 'url' | 'statementTimeoutSeconds'>,
): Promise<PostgresFacts> {
  const config = sessionConfig({ ...options, poolSize: 1 });
  const client = new pg.Client({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // Without a listener an error between two statements would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Omit<PostgresFacts, 'isPooled'> & { pid: number }>(FACTS, [
      config.application_name,
    ]);
    const [row] = rows;
    if (row === undefined) throw new Error('the server does not know this role or database');
    const { pid, ...facts } = row;
    // A pooler names a process of its own when the session begins.
    const isPooled = 'processID' in client && client.processID !== pid;
    return { ...facts, isPooled };
  } finally {
    await client.end().catch(() => undefined);
  }
}
