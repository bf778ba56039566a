import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { systemClock } from '../src/lib/clock.ts';
import type { Engine } from '../src/storage/dialect.ts';
import type { Driver } from '../src/storage/driver.ts';
import { migrate } from '../src/storage/migrate.ts';
import { loadMigrations } from '../src/storage/migration-files.ts';
import { type Database, openDriver } from '../src/storage/open.ts';
import type { Store } from '../src/storage/store.ts';
import { announcingStore } from './announcing-store.ts';
import { form } from './form.ts';
import { createTestDatabase, templateDatabase } from './postgres.ts';
import { HANG_MS } from './waiting.ts';

export const ENGINES: readonly Engine[] = ['sqlite', 'postgres'];

/** Declares the same tests once for each engine. */
export function forEachEngine(suite: (engine: Engine) => void): void {
  for (const engine of ENGINES) describe(`on ${engine}`, () => suite(engine));
}

/**
 * Declares tests of every combination of something for one engine: for SQLite, and in the long form for PostgreSQL.
 * Differences of the engines are tested on both elsewhere.
 */
export function forOneEngine(suite: (engine: Engine) => void): void {
  const engine = form.isLong ? 'postgres' : 'sqlite';
  describe(`on ${engine}`, () => suite(engine));
}

/** A place for a database, which vanishes with all it holds when disposed of. */
export interface TestPlace extends AsyncDisposable {
  readonly database: Database;
}

/** An open, migrated and otherwise empty database. */
export interface TestStore extends TestPlace {
  readonly driver: Driver;
  readonly store: Store;
}

export async function openTestDatabase(engine: Engine): Promise<TestStore> {
  await using opened = new AsyncDisposableStack();
  const { database } = opened.use(await createMigratedPlace(engine));
  const driver = opened.use(await openTestDriver(database));
  const parts = opened.move();
  return {
    database,
    driver,
    store: announcingStore(driver),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** A migrated database that nobody has open. */
export async function createMigratedPlace(engine: Engine): Promise<TestPlace> {
  if (engine === 'postgres') return createPostgresPlace(await migratedTemplate());
  const place = await createSqlitePlace();
  const migrated = process.env.TOCSIN_TEST_SQLITE_FILE;
  if (migrated === undefined) await migrateAt(place.database);
  else await copyFile(migrated, place.database.path);
  return place;
}

/** Makes the SQLite database that the test processes copy, each of their databases from it. */
export async function makeMigratedFile(): Promise<AsyncDisposable & { readonly path: string }> {
  await using opened = new AsyncDisposableStack();
  const { database } = opened.use(await createSqlitePlace());
  await migrateAt(database);
  const place = opened.move();
  return { path: database.path, [Symbol.asyncDispose]: () => place.disposeAsync() };
}

/** A database without any tables. */
export function createEmptyPlace(engine: Engine): Promise<TestPlace> {
  return engine === 'postgres' ? createPostgresPlace() : createSqlitePlace();
}

/** One more way into a database, as another node has it. The caller disposes of it. */
export function openTestDriver(database: Database): Promise<Driver> {
  return openDriver(database, { clock: systemClock, onLostConnection: () => undefined });
}

/** Nothing there is late because the machine is busy. */
export function postgresAt(url: string): Database & { engine: 'postgres' } {
  const limits = { statementTimeoutSeconds: HANG_MS / 1_000, connectTimeoutMs: HANG_MS };
  return { engine: 'postgres', url, poolSize: 8, ...limits };
}

async function createSqlitePlace(): Promise<TestPlace & { readonly database: { readonly path: string } }> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-test-'));
  return {
    database: { engine: 'sqlite', path: join(folder, 'tocsin.db') },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function createPostgresPlace(template?: string): Promise<TestPlace> {
  const created = await createTestDatabase(template === undefined ? {} : { template });
  return {
    database: postgresAt(created.url),
    [Symbol.asyncDispose]: () => created[Symbol.asyncDispose](),
  };
}

let template: Promise<string> | undefined;

/** The key is the migrations' own text, so that an edited one makes a new template. */
function migratedTemplate(): Promise<string> {
  template ??= loadMigrations('postgres').then((migrations) =>
    templateDatabase(JSON.stringify(migrations), (url) => migrateAt(postgresAt(url))),
  );
  return template;
}

async function migrateAt(database: Database): Promise<void> {
  await using driver = await openTestDriver(database);
  await migrate(driver, systemClock);
}
