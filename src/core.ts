import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import { ChangeCollector, type Changes } from './domain/change.ts';
import type { ChangeMarks } from './domain/change-marks.ts';
import { AppError } from './domain/errors.ts';
import type { Clock } from './lib/clock.ts';
import type { Random } from './lib/random.ts';
import { createVault, type Vault } from './lib/vault.ts';
import { LocalReads } from './reading/local-reads.ts';
import type { Deps } from './services/deps.ts';
import type { Driver } from './storage/driver.ts';
import { type Migration, migrate } from './storage/migrate.ts';
import { type Database, openDriver } from './storage/open.ts';
import { sendNotices } from './storage/postgres/change-notices.ts';
import { describeProgress, isWaiting, type StorageProgress } from './storage/progress.ts';
import { keptSecrets, type SecretKeys } from './storage/secret-key.ts';
import { createSqlStore } from './storage/sql/store.ts';
import type { Store } from './storage/store.ts';

/** What the program gets from outside: time, chance, and a log. */
export interface CoreWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Is told how the database is opened and migrated. Absent means that the log is. */
  readonly tell?: (progress: StorageProgress) => void;
}

/** A migrated database and its services, without servers and loops. */
export interface Core extends AsyncDisposable {
  readonly deps: Deps;
  readonly migrated: readonly Migration[];
}

/** Opens the store and migrates it. */
export async function openCore(config: Config, world: CoreWorld): Promise<Core> {
  await using opened = new AsyncDisposableStack();
  const driver = opened.use(await openWithRetries(config.database, world));
  const announce = publishAtEnd(driver, world, opened);
  const { store, vault, migrated } = await prepareDatabase(config, world, driver, { announce });
  const { clock, random } = world;
  const { site, limits: defaultLimits } = config;
  const reads = new LocalReads({ store, vault, site, defaultLimits, isOnlyNode: false }, clock);
  const deps = { store, reads, vault, clock, random, objects: null, defaultLimits };
  const parts = opened.move();
  return { deps, migrated, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Who is told of changes after each commit. */
export interface ChangeListeners {
  readonly announce: (changes: Changes) => void;
  readonly marks?: ChangeMarks;
}

export interface PreparedDatabase {
  readonly store: Store;
  readonly vault: Vault;
  readonly secretKeys: SecretKeys;
  readonly migrated: readonly Migration[];
}

/** Migrates the database, and finds the server's secret, which may be stored in it. */
export async function prepareDatabase(
  { database, secretKey }: Config,
  world: CoreWorld,
  driver: Driver,
  { announce, marks }: ChangeListeners,
): Promise<PreparedDatabase> {
  const { clock, random } = world;
  const migrated = await migrate(driver, clock, undefined, { tell: tellerOf(world) });
  const store = createSqlStore(driver, announce, marks);
  const keys = secretKey ?? (await keptSecrets(database, store, random).read());
  const vault = createVault(keys.current, random, keys.fallbacks);
  return { store, vault, secretKeys: keys, migrated };
}

/** For a command that changes something and ends. At its end it tells running nodes what it has changed. */
function publishAtEnd(
  driver: Driver,
  { random }: CoreWorld,
  opened: AsyncDisposableStack,
): (changes: Changes) => void {
  const collected = new ChangeCollector();
  if (driver.dialect.engine === 'postgres')
    opened.defer(async () => {
      if (collected.isEmpty) return;
      // The changes are committed, even if no node can be told.
      await sendNotices(driver, random.uuid(), collected.take()).catch(() => undefined);
    });
  return (changes) => collected.add(changes);
}

const PATIENCE_ATTEMPTS = 20;
const MAX_WAIT_MS = 2_000;

/**
 * Tries again for a while: a database that starts together with this program, as in a compose file, may need a moment.
 */
export async function openWithRetries(database: Database, { clock, log }: CoreWorld): Promise<Driver> {
  const onLostConnection = (error: Error) =>
    log.warn({ event: 'database.connection_lost', reason: error.message });
  for (let attempt = 1; ; attempt++) {
    try {
      return await openDriver(database, { clock, onLostConnection });
    } catch (error) {
      const isPassing = error instanceof AppError && error.code === 'storage_unavailable';
      if (!isPassing || attempt === PATIENCE_ATTEMPTS) throw error;
      log.warn({ event: 'database.waiting', attempt, reason: error.message, err: error.cause });
      await sleep(Math.min(100 * 2 ** attempt, MAX_WAIT_MS));
    }
  }
}

function tellerOf({ tell, log }: CoreWorld): (progress: StorageProgress) => void {
  if (tell !== undefined) return tell;
  return (progress) => {
    const text = describeProgress(progress);
    if (isWaiting(progress)) log.warn(progress, text);
    else log.info(progress, text);
  };
}
