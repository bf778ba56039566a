import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { moveFile, partialPath, removePartialFiles } from '../../lib/whole-file.ts';
import { type Driver, type Reader, StorageError, type Writer } from '../driver.ts';
import { migrateWithin } from '../migrate.ts';
import { loadMigrations, type Migration } from '../migration-files.ts';
import { type Database, openDriver } from '../open.ts';
import {
  acceptSecretFiles,
  keepSecretFiles,
  SECRET_ROWS,
  type SecretKeys,
  secretRows,
} from '../secret-key.ts';
import { runForAll, unnest } from '../sql/table.ts';
import { removeDatabase, requireSound, syncFile } from '../sqlite/backup.ts';
import { SqliteDriver } from '../sqlite/driver.ts';
import { createPrivateFile, followLinks } from '../sqlite/files.ts';
import { lockDatabase } from '../sqlite/lock.ts';
import { readCatalog, type TableShape } from './catalog.ts';
import type { Header, Rows, TableBegin } from './parts.ts';
import { closeOldMessages, requireNobodyWatches } from './recovery.ts';
import type { Source } from './source.ts';

export interface RestoreOptions {
  readonly source: Source;
  /** The secrets of the backup. Null: the target keeps those that it has. */
  readonly secrets: SecretKeys | null;
  /** Whether a database that has accounts is replaced. */
  readonly replaces: boolean;
  readonly clock: Clock;
  readonly random: Random;
}

export interface Restored {
  readonly header: Header;
  /** Messages that were open and are too old to be sent. */
  readonly closed: number;
}

/** Puts a backup in the place of the database. If it fails, whatever the reason, the database is as before. */
export async function restore(database: Database, options: RestoreOptions): Promise<Restored> {
  // Nothing begins before it is known that the backup is whole.
  await options.source.read(async () => undefined);
  return database.engine === 'sqlite'
    ? restoreFile(database.path, options)
    : restorePostgres(database, options);
}

async function restoreFile(path: string, options: RestoreOptions): Promise<Restored> {
  const file = followLinks(path);
  const wasThere = existsSync(file);
  const partial = partialPath(file, options.random);
  try {
    using _lock = lockDatabase(path);
    if (!options.replaces) requireEmpty(path, file);
    const restored = await buildFile(partial, options);
    // A process that is killed before the end leaves secrets that open the database of then and the one of now.
    if (options.secrets !== null) await acceptSecretFiles(path, options.secrets, options.random);
    await settleLog(file);
    await moveFile(partial, file);
    if (options.secrets !== null) await keepSecretFiles(path, options.secrets, options.random);
    await removePartialFiles(file);
    return restored;
  } catch (error) {
    if (!wasThere) for (const suffix of ['', '.lock']) await rm(`${file}${suffix}`, { force: true });
    throw error;
  } finally {
    await removeDatabase(partial);
  }
}

/** Makes a new SQLite database of the backup, complete and on the disk. */
export async function buildFile(
  path: string,
  { source, clock }: Pick<RestoreOptions, 'source' | 'clock'>,
): Promise<Restored> {
  createPrivateFile(path);
  const restored = await fillFile(path, source, clock);
  requireSound(path);
  await syncFile(path);
  return restored;
}

async function fillFile(path: string, source: Source, clock: Clock): Promise<Restored> {
  await using driver = new SqliteDriver(path);
  return await driver.transaction((tx) => load(tx, driver, source, clock));
}

/**
 * The log of the file that is to be replaced would be applied to the new file. It goes into the old one first, so that a
 * process that is killed now loses nothing. A log without its database has nowhere to go.
 */
async function settleLog(file: string): Promise<void> {
  try {
    using old = new DatabaseSync(file);
    old.exec('pragma journal_mode = delete');
  } catch {
    // It is damaged, or none: it is being replaced in any case.
  }
  for (const suffix of ['-wal', '-shm', '-journal']) await rm(`${file}${suffix}`, { force: true });
}

function requireEmpty(path: string, file: string): void {
  let isEmpty: boolean;
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all();
    isEmpty =
      !tables.some(({ name }) => name === 'accounts') ||
      database.prepare('select 1 from accounts limit 1').get() === undefined;
  } catch (cause) {
    throw new StorageError('fault', `${path} is no database: ${String(cause)}`, { cause });
  }
  if (!isEmpty) throw notEmpty(path);
}

function notEmpty(name: string): StorageError {
  return new StorageError(
    'fault',
    `${name} is not empty: restore to another one, or give --replace, by which all that is in it is lost`,
  );
}

async function restorePostgres(
  database: Extract<Database, { engine: 'postgres' }>,
  { source, secrets, replaces, clock }: RestoreOptions,
): Promise<Restored> {
  await using driver = await openDriver(database, { clock, onLostConnection: () => undefined });
  return await driver.transaction(async (tx) => {
    await tx.script(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`);
    // A node that starts waits for this lock.
    if (driver.dialect.beginMigration !== null) await tx.script(driver.dialect.beginMigration);
    const tables = await readCatalog(tx, 'postgres');
    const isThere = tables.length > 0;
    if (isThere) {
      const [account] = await tx.all('select 1 as one from accounts limit 1');
      if (account !== undefined && !replaces) throw notEmpty('the database');
      await requireNobodyWatches(tx, clock.now());
    }
    // Without a secret of the backup, the one of the database that goes is kept: there may be no other copy of it.
    const kept = secrets === null && isThere ? await keptRows(tx) : secretRows(secrets);
    if (isThere) await dropAll(tx, tables);
    const restored = await load(tx, driver, source, clock);
    for (const [key, value] of kept)
      await tx.run('insert into instance (key, value) values ($1, $2)', [key, value]);
    return restored;
  });
}

async function keptRows(tx: Reader): Promise<[key: string, value: string][]> {
  const rows = await tx.all<{ key: string; value: string }>('select key, value from instance');
  return rows.flatMap(({ key, value }) => (SECRET_ROWS.includes(key) ? [[key, value]] : []));
}

async function dropAll(tx: Writer, tables: readonly TableShape[]): Promise<void> {
  await tx.script(`drop table ${tables.map(({ name }) => name).join(', ')} cascade`);
  const made = (await loadMigrations('postgres')).flatMap(({ sql }) => [
    ...sql.matchAll(/^create function (\w+)\(/gm),
  ]);
  for (const [, name] of made) await tx.script(`drop function if exists ${name}`);
}

/** Fills an empty database. The schema is first the one of the backup, and then the present one. */
async function load(tx: Writer, driver: Driver, source: Source, clock: Clock): Promise<Restored> {
  const header = await loadAsItWas(tx, driver, source, clock);
  await migrateWithin(tx, driver, clock, await loadMigrations(driver.dialect.engine));
  return { header, closed: await closeOldMessages(tx, clock.now()) };
}

/** Fills an empty database, whose schema becomes the one of the backup. */
export async function loadAsItWas(tx: Writer, driver: Driver, source: Source, clock: Clock): Promise<Header> {
  const { engine } = driver.dialect;
  const known = await loadMigrations(engine);
  let shapes: ReadonlyMap<string, TableShape> = new Map();
  let table: Filling | null = null;
  const header = await source.read(async (part) => {
    if (part.kind === 'header') {
      await migrateWithin(tx, driver, clock, upTo(known, part));
      shapes = new Map((await readCatalog(tx, engine)).map((shape) => [shape.name, shape]));
    } else if (part.kind === 'table') {
      await table?.end();
      table = new Filling(tx, driver, part, shapes.get(part.name));
    } else {
      await table?.add(part);
    }
  });
  await (table as Filling | null)?.end();
  return header;
}

function upTo(known: readonly Migration[], { schema, waiting = [] }: Header): Migration[] {
  const [oldest, newest] = [known[0]?.version ?? 0, known.at(-1)?.version ?? 0];
  if (schema > newest) {
    throw new StorageError(
      'fault',
      `the backup has schema ${schema}, of a newer Tocsin than this one, which knows up to ${newest}: restore it with that one`,
    );
  }
  if (schema < oldest) throw new StorageError('fault', `the backup has schema ${schema}, which is too old`);
  return known.filter(({ version }) => version <= schema && !waiting.includes(version));
}

/** One table while its rows are written. */
class Filling {
  readonly #tx: Writer;
  readonly #driver: Driver;
  readonly #begin: TableBegin;
  readonly #insert: { one: string; many: string };

  constructor(tx: Writer, driver: Driver, begin: TableBegin, shape: TableShape | undefined) {
    this.#tx = tx;
    this.#driver = driver;
    this.#begin = begin;
    const types = new Map(shape?.columns.map(({ name, type }) => [name, type]));
    const unknown = begin.columns.find((column) => !types.has(column));
    if (unknown !== undefined)
      throw new StorageError('fault', `the backup has a column ${begin.name}.${unknown}, which nobody knows`);
    const columns = begin.columns.map((column) => `"${column}"`).join(', ');
    const places = begin.columns.map((_, index) => `$${index + 1}`).join(', ');
    this.#insert = {
      one: `insert into ${begin.name} (${columns}) values (${places})`,
      many: `insert into ${begin.name} (${columns})
             select * from ${unnest(begin.columns.map((column) => types.get(column) ?? ''))}`,
    };
  }

  async add({ rows }: Rows): Promise<void> {
    await runForAll(this.#tx, this.#driver.dialect, this.#insert, rows);
  }

  /** No id of a row that was deleted is given out again either. */
  async end(): Promise<void> {
    const { name, lastId } = this.#begin;
    if (lastId === 0) return;
    if (this.#driver.dialect.engine === 'postgres') {
      await this.#tx.all(`select setval(pg_get_serial_sequence('${name}', 'id'), $1)`, [lastId]);
      return;
    }
    await this.#tx.run('delete from sqlite_sequence where name = $1', [name]);
    await this.#tx.run('insert into sqlite_sequence (name, seq) values ($1, $2)', [name, lastId]);
  }
}
