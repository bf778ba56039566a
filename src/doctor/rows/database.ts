import { existsSync } from 'node:fs';
import { seconds } from '../../lib/instant.ts';
import { isContract } from '../../storage/contract.ts';
import { requireCurrentSchema } from '../../storage/migrate.ts';
import { loadMigrations } from '../../storage/migration-files.ts';
import { describeDatabase } from '../../storage/open.ts';
import { OLDEST_VERSION } from '../../storage/postgres/driver.ts';
import { inspectPostgres, type PostgresFacts } from '../../storage/postgres/inspection.ts';
import type { Installation, OpenDatabase } from '../installation.ts';
import { fail, type Look, ok, skip, together, warn } from '../look.ts';
import type { Row } from '../row.ts';

/** Sessions of a node besides its pool: notices of changes, and threads that read. */
const BESIDE_POOL = 5;
/** For commands, backups and people. */
const FOR_OTHERS = 10;
/** A node that has not beaten for this long does not count. */
const NODE_SPAN = seconds(60);
/** What a commit waits for, in these: the disk of the server at least. */
const SYNCED_COMMITS = ['on', 'local', 'remote_write', 'remote_apply'];

export const database: Row = {
  name: 'database',
  looksAt:
    'version and schema; on PostgreSQL encoding, rights, `fsync`, `synchronous_commit`, time-outs, poolers, free connections, indexes and autovacuum',
  fails:
    'what loses data or stops the service: an old version, another encoding than UTF-8, missing rights, commits that no disk has, too few connections',
  warns: 'a pooler, time-outs that do not apply, invalid indexes, autovacuum that is off',
  look: (installation) =>
    installation.config.database.engine === 'sqlite' ? lookAtFile(installation) : lookAtServer(installation),
};

async function lookAtFile(installation: Installation): Promise<Look> {
  const where = installation.config.database;
  const name = describeDatabase(where);
  if (where.engine !== 'sqlite' || !existsSync(where.path))
    return skip('There is no database yet: the first start makes it.');
  let open: OpenDatabase | null;
  try {
    open = await installation.database();
  } catch (error) {
    return fail(`${name}: ${messageOf(error)}`, 'Restore a backup, or give the right file by DATABASE_URL.');
  }
  if (open === null) return skip(`${name} is empty: the first start fills it.`);
  const [row] = await open.driver.all<{ version: string }>('select sqlite_version() as version');
  const { trouble, words } = await schemaOf(open);
  return trouble ?? ok(`SQLite ${row?.version}, ${where.path}, ${words}.`);
}

/** Refused if a newer program has changed it. Steps that wait are no trouble: the next start takes them. */
async function schemaOf({ driver }: OpenDatabase): Promise<{ trouble: Look | null; words: string }> {
  const rows = await driver.all<{ version: number }>('select version from schema_migrations');
  const known = await loadMigrations(driver.dialect.engine);
  const waiting = known.filter(
    (step) => !isContract(step) && rows.every(({ version }) => version !== step.version),
  ).length;
  if (waiting > 0) return { trouble: null, words: `with a schema for which ${waiting} steps wait` };
  try {
    await requireCurrentSchema(driver);
    return { trouble: null, words: 'with the schema of this program' };
  } catch (error) {
    return { trouble: fail(`Of the schema: ${messageOf(error)}.`), words: '' };
  }
}

async function lookAtServer(installation: Installation): Promise<Look> {
  const where = installation.config.database;
  if (where.engine !== 'postgres') return skip('It is no PostgreSQL.');
  let facts: PostgresFacts;
  try {
    facts = await inspectPostgres(where);
  } catch (error) {
    return unreachable(describeDatabase(where), messageOf(error));
  }
  const open = await installation.database().catch(() => null);
  const troubles = postgresTroubles(facts, {
    poolSize: where.poolSize,
    statementTimeoutMs: where.statementTimeoutSeconds * 1000,
    nodes: open === null ? 1 : await nodeCount(open, installation),
  });
  const { trouble, words } =
    open === null ? { trouble: null, words: 'empty: the first start fills it' } : await schemaOf(open);
  return together([...troubles, trouble], `PostgreSQL ${facts.version}, ${words}.`);
}

async function nodeCount({ driver }: OpenDatabase, { world }: Installation): Promise<number> {
  const [row] = await driver.all<{ nodes: number }>(
    'select count(*) as nodes from watch where beat_at > $1',
    [world.clock.now() - NODE_SPAN],
  );
  return Math.max(1, row?.nodes ?? 1);
}

function unreachable(name: string, reason: string): Look {
  if (/unsupported startup parameter/.test(reason))
    return fail(
      `${name} is behind a pooler that refuses our time-outs: ${reason}.`,
      'Let DATABASE_URL lead to PostgreSQL itself, or let the pooler ignore these parameters (PgBouncer: ignore_startup_parameters).',
    );
  return fail(`${name} cannot be reached: ${reason}.`, 'Look at DATABASE_URL, and whether the server runs.');
}

interface Wanted {
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  /** Nodes that share the database. */
  readonly nodes: number;
}

export function postgresTroubles(facts: PostgresFacts, wanted: Wanted): (Look | null)[] {
  const { major, encoding, schema, closedTables, freeSessions, invalidIndexes } = facts;
  const needed = wanted.nodes * (wanted.poolSize + BESIDE_POOL) + FOR_OTHERS;
  const unless = (isWell: boolean, look: Look) => (isWell ? null : look);
  return [
    unless(
      major >= OLDEST_VERSION,
      fail(`PostgreSQL ${facts.version} is too old.`, `Upgrade it to ${OLDEST_VERSION} or newer.`),
    ),
    unless(
      encoding === 'UTF8',
      fail(
        `The database has the encoding ${encoding}, which cannot hold every text.`,
        "Make one with encoding 'UTF8' (create database … encoding 'UTF8' template template0), and restore a backup into it.",
      ),
    ),
    unless(
      schema !== null && facts.canCreate,
      fail(
        schema === null
          ? 'The role has no schema of its own to make tables in.'
          : `The role cannot make tables in the schema ${schema}, so that no upgrade succeeds.`,
        `As its owner: grant create on schema ${schema ?? 'public'} to the role of DATABASE_URL.`,
      ),
    ),
    unless(
      closedTables.length === 0,
      fail(
        `The role cannot read and write ${closedTables.slice(0, 3).join(', ')}${closedTables.length > 3 ? ' and others' : ''}.`,
        'Give the role of DATABASE_URL all tables: alter table … owner to …',
      ),
    ),
    unless(
      facts.fsync === 'on',
      fail('fsync is off: a crash of its machine can destroy the database.', 'Set fsync = on at the server.'),
    ),
    unless(
      SYNCED_COMMITS.includes(facts.synchronousCommit),
      fail(
        `synchronous_commit is ${facts.synchronousCommit}: pings that were acknowledged can be lost.`,
        'Set synchronous_commit = on for the server, the database or the role.',
      ),
    ),
    unless(
      !facts.isStandby,
      fail(
        'The server only follows another one, and cannot be written.',
        'Let DATABASE_URL lead to the first.',
      ),
    ),
    unless(
      freeSessions >= needed,
      fail(
        `${freeSessions} connections are left for Tocsin, and ${needed} are needed: for each of ${wanted.nodes} node${wanted.nodes === 1 ? '' : 's'} DB_POOL_SIZE and ${BESIDE_POOL}, and ${FOR_OTHERS} for others.`,
        'Raise max_connections or the limit of the role or the database, or lower DB_POOL_SIZE.',
      ),
    ),
    unless(
      !facts.isPooled,
      warn('A pooler is between the service and the server.', 'Let DATABASE_URL lead to PostgreSQL itself.'),
    ),
    unless(
      facts.statementTimeoutMs === wanted.statementTimeoutMs,
      warn(
        `Statements may take ${facts.statementTimeoutMs} ms, and not ${wanted.statementTimeoutMs} ms as DB_STATEMENT_TIMEOUT says.`,
        'Something between the service and the server drops the time-outs.',
      ),
    ),
    unless(
      invalidIndexes.length === 0,
      warn(`Not valid: the index ${invalidIndexes.join(', ')}.`, 'Run reindex index concurrently on it.'),
    ),
    unless(
      facts.autovacuum === 'on',
      warn('autovacuum is off: tables grow, and plans become slow.', 'Set autovacuum = on at the server.'),
    ),
  ];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
