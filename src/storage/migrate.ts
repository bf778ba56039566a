import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '../lib/clock.ts';
import { pause, systemTimers, type Timers } from '../lib/timers.ts';
import type { Engine } from './dialect.ts';
import { type Driver, isOutage, StorageError, type Writer } from './driver.ts';
import { MigrationWatch } from './migration-watch.ts';
import type { StorageProgress } from './progress.ts';
import { schemaSql } from './schema-words.ts';

export interface Migration {
  version: number;
  name: string;
  /** Whether programs that do not know this version cannot work with the new schema. */
  breaking: boolean;
  sql: string;
}

/**
 * The migrations: files `NNNN_name.sql`, in the words of the engine. The first one creates the schema of its version. The first
 * line of a file says whether older programs still work.
 */
export async function loadMigrations(engine: Engine): Promise<Migration[]> {
  const folder = new URL('./migrations/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) =>
      parseMigration(file, schemaSql(engine, await readFile(new URL(file, folder), 'utf8'))),
    ),
  );
}

export function parseMigration(file: string, sql: string): Migration {
  const [, number, name] = /^(\d{4})_(\w+)\.sql$/.exec(file) ?? [];
  const [, breaking] = /^-- breaking: (yes|no)\n/.exec(sql) ?? [];
  if (number === undefined || name === undefined)
    throw new Error(`migration ${file} is not named NNNN_name.sql`);
  if (breaking === undefined)
    throw new Error(`migration ${file} does not begin with "-- breaking: yes" or "no"`);
  return { version: Number(number), name, breaking: breaking === 'yes', sql };
}

/** The name of its file, without the ending. */
export function fileNameOf({ version, name }: Pick<Migration, 'version' | 'name'>): string {
  return `${String(version).padStart(4, '0')}_${name}`;
}

export interface MigrateOptions {
  readonly timers?: Pick<Timers, 'callAfter'>;
  /** Is told the progress of migrations. */
  readonly tell?: (progress: StorageProgress) => void;
  /** Runs the transaction of a migration, and may run it again if the database could not be used. */
  readonly attempt?: <T>(transaction: () => Promise<T>) => Promise<T>;
}

/**
 * Brings the schema up to date and returns the migrations that this process applied. Each migration and its version row
 * are one transaction. One process migrates at a time: if two start together, the second finds the work done. Older
 * programs keep running meanwhile. If a table is in use for long, the migration is tried again after a pause until the
 * table is free.
 */
export async function migrate(
  driver: Driver,
  clock: Clock,
  migrations?: readonly Migration[],
  {
    timers = systemTimers,
    tell = () => undefined,
    attempt = (transaction) => transaction(),
  }: MigrateOptions = {},
): Promise<Migration[]> {
  const known = migrations ?? (await loadMigrations(driver.dialect.engine));
  const applied: Migration[] = [];
  using watch = new MigrationWatch({ clock, timers, tell });
  const work = { driver, clock, known, watch };
  const transaction = () => watch.run(() => driver.transaction((tx) => applyNext(tx, work)));
  for (;;) {
    try {
      const migration = await attempt(transaction);
      if (migration === null) return applied;
      applied.push(migration);
    } catch (error) {
      if (!driver.dialect.isLockTimeout(error)) throw error;
      watch.wait(MIGRATION_PAUSE_MS / 1000, error instanceof Error ? error.message : String(error));
      await pause(timers, MIGRATION_PAUSE_MS);
    }
  }
}

/** Several times as long as a failed attempt, because requests wait during an attempt. */
export const MIGRATION_PAUSE_MS = 10_000;

interface Work {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly known: readonly Migration[];
  readonly watch: MigrationWatch;
}

/** Returns null if there is nothing left to apply. */
async function applyNext(tx: Writer, { driver, clock, known, watch }: Work): Promise<Migration | null> {
  watch.queue();
  if (driver.dialect.beginMigration !== null) await tx.script(driver.dialect.beginMigration);
  await tx.script(`create table if not exists schema_migrations (
    version bigint primary key,
    name text not null,
    breaking boolean not null,
    applied_at bigint not null
  )`);
  const rows = await tx.all<VersionRow>('select version, breaking from schema_migrations');
  refuseOlderSchema(rows, known);
  refuseNewerSchema(rows, known);
  const done = new Set(rows.map((row) => row.version));
  const index = known.findIndex((migration) => !done.has(migration.version));
  const next = known[index];
  if (next === undefined) return null;
  watch.begin({ number: index + 1, of: known.length, name: fileNameOf(next) }, rows.length === 0);
  await tx.run(
    'insert into schema_migrations (version, name, breaking, applied_at) values ($1, $2, $3, $4)',
    [next.version, next.name, next.breaking, clock.now()],
  );
  await tx.script(next.sql);
  return next;
}

/** Applies all these migrations in a transaction that does more. */
export async function migrateWithin(
  tx: Writer,
  driver: Driver,
  clock: Clock,
  known: readonly Migration[],
): Promise<void> {
  using watch = new MigrationWatch({ clock, timers: systemTimers, tell: () => undefined });
  while ((await applyNext(tx, { driver, clock, known, watch })) !== null);
}

interface VersionRow {
  readonly version: number;
  readonly breaking: boolean | 0 | 1;
}

/** Throws if the database is not at the version of this program, or of a newer one that it can work with. Changes nothing. */
export async function requireCurrentSchema(driver: Pick<Driver, 'all' | 'dialect'>): Promise<void> {
  const known = await loadMigrations(driver.dialect.engine);
  const rows = await driver
    .all<VersionRow>('select version, breaking from schema_migrations')
    .catch((cause: unknown) => {
      if (isOutage(cause)) throw cause;
      throw new StorageError('fault', 'it is no database of Tocsin', { cause });
    });
  refuseNewerSchema(rows, known);
  const missing = known.find(({ version }) => rows.every((row) => row.version !== version));
  if (missing === undefined) return;
  throw new StorageError(
    'fault',
    `the database lacks ${fileNameOf(missing)}: bring it up to date first (tocsin migrate)`,
  );
}

/** The last commit that had the steps to the version with which the migrations begin now. */
const LAST_WITH_EARLIER_STEPS = 'e0dda14';

function refuseOlderSchema(rows: readonly VersionRow[], [first]: readonly Migration[]): void {
  const newest = Math.max(...rows.map(({ version }) => version));
  if (rows.length === 0 || first === undefined || newest >= first.version) return;
  throw new StorageError(
    'fault',
    `the database is at version ${newest}, and this Tocsin begins at version ${first.version}: start the one of commit ${LAST_WITH_EARLIER_STEPS} once, which knows the steps between, then this one`,
  );
}

function refuseNewerSchema(rows: readonly VersionRow[], known: readonly Migration[]): void {
  const newest = known.at(-1)?.version ?? 0;
  const tooNew = rows.find((row) => row.version > newest && Boolean(row.breaking));
  if (tooNew === undefined) return;
  throw new StorageError(
    'fault',
    `the database was migrated to version ${tooNew.version} by a newer Tocsin, which this one (version ${newest}) cannot work with: upgrade it`,
  );
}
