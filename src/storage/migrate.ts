import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';
import type { Engine } from './dialect.ts';
import { type Driver, StorageError, type Writer } from './driver.ts';

export interface Migration {
  version: number;
  name: string;
  /** Whether programs that do not know this version cannot work with the new schema. */
  breaking: boolean;
  sql: string;
}

/** The migrations of the engine: files `NNNN_name.sql`. The first line says whether older programs still work. */
export async function loadMigrations(engine: Engine): Promise<Migration[]> {
  const folder = new URL(`./${engine}/migrations/`, import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => parseMigration(file, await readFile(new URL(file, folder), 'utf8'))),
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

/**
 * Brings the schema up to date and returns the migrations that this process applied. Each migration and its version row
 * are one transaction. One process migrates at a time: if two start together, the second finds the work done. Older
 * programs keep running meanwhile. If a table is in use for long, the migration is tried again after a pause until the
 * table is free.
 */
export async function migrate(
  driver: Driver,
  clock: Pick<Clock, 'now'>,
  migrations?: readonly Migration[],
  pause: (error: unknown) => Promise<void> = pauseMigration,
): Promise<Migration[]> {
  const known = migrations ?? (await loadMigrations(driver.dialect.engine));
  const applied: Migration[] = [];
  for (;;) {
    try {
      const migration = await driver.transaction((tx) => applyNext(tx, driver, clock, known));
      if (migration === undefined) return applied;
      applied.push(migration);
    } catch (error) {
      if (!driver.dialect.isLockTimeout(error)) throw error;
      await pause(error);
    }
  }
}

/** Several times as long as a failed attempt, because requests wait during an attempt. */
const MIGRATION_PAUSE_MS = 10_000;

export async function pauseMigration(): Promise<void> {
  await sleep(MIGRATION_PAUSE_MS);
}

async function applyNext(
  tx: Writer,
  driver: Driver,
  clock: Pick<Clock, 'now'>,
  known: readonly Migration[],
): Promise<Migration | undefined> {
  if (driver.dialect.beginMigration !== null) await tx.script(driver.dialect.beginMigration);
  await tx.script(`create table if not exists schema_migrations (
    version bigint primary key,
    name text not null,
    breaking boolean not null,
    applied_at bigint not null
  )`);
  const rows = await tx.all<{ version: number; breaking: boolean | 0 | 1 }>(
    'select version, breaking from schema_migrations',
  );
  refuseNewerSchema(rows, known);
  const done = new Set(rows.map((row) => row.version));
  const next = known.find((migration) => !done.has(migration.version));
  if (next === undefined) return undefined;
  await tx.run(
    'insert into schema_migrations (version, name, breaking, applied_at) values ($1, $2, $3, $4)',
    [next.version, next.name, next.breaking, clock.now()],
  );
  await tx.script(next.sql);
  return next;
}

function refuseNewerSchema(
  rows: readonly { version: number; breaking: boolean | 0 | 1 }[],
  known: readonly Migration[],
): void {
  const newest = known.at(-1)?.version ?? 0;
  const tooNew = rows.find((row) => row.version > newest && Boolean(row.breaking));
  if (tooNew === undefined) return;
  throw new StorageError(
    'fault',
    `the database was migrated to version ${tooNew.version} by a newer Tocsin, which this one (version ${newest}) cannot work with: upgrade it`,
  );
}
