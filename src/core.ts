import type { Logger } from 'pino';
import type { Config } from './config/read-config.ts';
import { copyInThread } from './copy-thread.ts';
import { ChangeCollector, type Changes } from './domain/change.ts';
import type { ChangeMarks } from './domain/change-marks.ts';
import { messageLimits } from './integrations/registry.ts';
import type { Clock } from './lib/clock.ts';
import { MICROS_PER_SECOND } from './lib/instant.ts';
import type { Random } from './lib/random.ts';
import { systemTimers } from './lib/timers.ts';
import { createVault, type Vault } from './lib/vault.ts';
import { LocalReads } from './reading/local-reads.ts';
import type { Deps } from './services/core/deps.ts';
import type { ContractBy } from './storage/contract.ts';
import type { Driver } from './storage/driver.ts';
import { type MigrateOptions, migrate, waitingContracts } from './storage/migrate.ts';
import type { Migration } from './storage/migration-files.ts';
import { type Database, describeDatabase, openDriver } from './storage/open.ts';
import { OutageRetries } from './storage/outage-retries.ts';
import { sendNotices } from './storage/postgres/change-notices.ts';
import { describeProgress, isWaiting, type StorageProgress } from './storage/progress.ts';
import { claimDatabase, requireKnownSecret } from './storage/secret-check.ts';
import { keptSecrets, type SecretKeys } from './storage/secret-key.ts';
import { createSqlStore } from './storage/sql/store.ts';
import type { Store } from './storage/store.ts';

/** The program's environment: time, chance, and a log. */
export interface CoreWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Is told how the database is opened and migrated. Absent means that the log is. */
  readonly tell?: (progress: StorageProgress) => void;
  /** The release of the program. Absent means that nobody is to know it. */
  readonly version?: string;
  /** Absent means all that the program has. */
  readonly migrations?: readonly Migration[];
  /** Who wants contract steps. Absent means a program that starts. */
  readonly contractBy?: ContractBy;
  /** The wait for a PostgreSQL that cannot be used at the start. Absent means without a limit. */
  readonly maxWaitSeconds?: number;
  /** Whether a database is opened whose secret is lost. Absent means no. */
  readonly takesAnySecret?: boolean;
  /** Aborted when the program is to stop: then nothing is waited for any more. */
  readonly stopping?: AbortSignal;
}

/** A migrated database and its services, without servers and loops. */
export interface Core extends AsyncDisposable {
  readonly deps: Deps;
  readonly upgrade: Upgrade;
}

/** What was done to the tables of the database when it was opened. */
export interface Upgrade {
  readonly migrated: readonly Migration[];
  /** Contract steps that wait until nobody needs the old form. */
  readonly waiting: readonly Migration[];
  /** The copy that was made before. Null: none. */
  readonly copy: string | null;
  readonly seconds: number;
}

/** Opens the store and migrates it. */
export async function openCore(config: Config, world: CoreWorld): Promise<Core> {
  await using opened = new AsyncDisposableStack();
  const driver = opened.use(await openWithRetries(config.database, world));
  const announce = publisher(driver, world, opened);
  const { store, vault, upgrade } = await prepareDatabase(config, world, driver, { announce });
  const { clock, random } = world;
  const { site, limits: defaultLimits, integrations } = config;
  const allowed = { defaultLimits, messageLimits: messageLimits(integrations) };
  const reads = new LocalReads({ store, vault, site, ...allowed, isOnlyNode: false }, clock);
  const deps = { store, reads, vault, clock, random, objects: null, defaultLimits };
  const parts = opened.move();
  return { deps, upgrade, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Called with the changes after each commit. */
export interface ChangeListeners {
  readonly announce: (changes: Changes) => void;
  readonly marks?: ChangeMarks;
}

export interface PreparedDatabase {
  readonly store: Store;
  readonly vault: Vault;
  readonly secretKeys: SecretKeys;
  readonly upgrade: Upgrade;
  /** For the rest of the start: repeats its steps while the database cannot be used. */
  readonly retries: OutageRetries;
}

/**
 * Migrates the database, and finds the server's secret, which may be stored in it. A database that belongs to another secret is
 * refused before anything is written.
 */
export async function prepareDatabase(
  { database, secretKey }: Config,
  world: CoreWorld,
  driver: Driver,
  { announce, marks }: ChangeListeners,
): Promise<PreparedDatabase> {
  const { random } = world;
  const retries = startRetries(database, world);
  const store = createSqlStore(driver, announce, marks);
  const kept = keptSecrets(database, store, random);
  const requireSecret = () => requireKnownSecret(store, { configured: secretKey, kept, random });
  if (!world.takesAnySecret) await retries.run(requireSecret);
  const upgrade = await upgradeDatabase(database, driver, world, (transaction) =>
    retries.run(transaction, (error) => !driver.dialect.isLockTimeout(error)),
  );
  const keys = secretKey ?? (await retries.run(() => kept.read()));
  const vault = createVault(keys.current, random, keys.fallbacks);
  if (!world.takesAnySecret) {
    await retries.run(() => claimDatabase(store, vault));
    // Another node may have claimed it at the same moment.
    await retries.run(requireSecret);
  }
  return { store, vault, secretKeys: keys, upgrade, retries };
}

/** Migrates the database, and tells of it. A SQLite database is copied before. */
export async function upgradeDatabase(
  database: Database,
  driver: Driver,
  world: CoreWorld,
  attempt: NonNullable<MigrateOptions['attempt']> = (transaction) => transaction(),
): Promise<Upgrade> {
  const { clock, version: release, contractBy = 'start' } = world;
  const startedAt = clock.monotonic();
  let copy: string | null = null;
  const isCopied = database.engine === 'sqlite' && release !== undefined;
  const copyFirst = async (tell: (percent: number) => void) => {
    if (isCopied)
      copy = await copyInThread({ path: database.path, release, isContract: contractBy !== 'start' }, tell);
  };
  const migrated = await migrate(driver, clock, world.migrations, {
    ...{ contractBy, attempt, tell: tellerOf(world) },
    ...(release !== undefined && { release }),
    ...(isCopied && { copyFirst }),
  });
  const seconds = (clock.monotonic() - startedAt) / MICROS_PER_SECOND;
  const waiting = await attempt(() => waitingContracts(driver, world.migrations));
  return { migrated, waiting, copy, seconds };
}

/** For a command that changes something and ends. It announces each commit to running nodes. */
function publisher(
  driver: Driver,
  { random }: CoreWorld,
  opened: AsyncDisposableStack,
): (changes: Changes) => void {
  if (driver.dialect.engine !== 'postgres') return () => undefined;
  const collected = new ChangeCollector();
  const send = async () => {
    if (collected.isEmpty) return;
    // The changes are committed, even if no node can be told.
    await sendNotices(driver, random.uuid(), collected.take()).catch(() => undefined);
  };
  let sent = Promise.resolve();
  opened.defer(() => sent);
  return (changes) => {
    collected.add(changes);
    sent = sent.then(send);
  };
}

/** The time in which an SQLite file that another process keeps locked is tried again. */
const MAX_LOCKED_SECONDS = 30;

/** Opens the database, and waits for one that starts together with this program, as in a compose file. */
export function openWithRetries(database: Database, world: CoreWorld): Promise<Driver> {
  const { clock, log } = world;
  const onLostConnection = (error: Error) =>
    log.warn({ event: 'database.connection_lost', reason: error.message });
  const retries = startRetries(database, world, MAX_LOCKED_SECONDS);
  return retries.run(() => openDriver(database, { clock, onLostConnection }));
}

/** SQLite has no server that could come back: what fails there, such as a full disk, ends the start with its reason. */
function startRetries(database: Database, world: CoreWorld, maxSqliteSeconds = 0): OutageRetries {
  const { clock, maxWaitSeconds = Number.POSITIVE_INFINITY, stopping } = world;
  return new OutageRetries({
    database: describeDatabase(database),
    clock,
    timers: systemTimers,
    tell: tellerOf(world),
    maxSeconds: database.engine === 'sqlite' ? maxSqliteSeconds : maxWaitSeconds,
    signal: stopping,
  });
}

/** Tells somebody else of the progress as well. */
export function tellAlso(
  world: CoreWorld,
  other: (progress: StorageProgress) => void,
): (progress: StorageProgress) => void {
  const first = tellerOf(world);
  return (progress) => {
    first(progress);
    other(progress);
  };
}

function tellerOf({ tell, log }: CoreWorld): (progress: StorageProgress) => void {
  if (tell !== undefined) return tell;
  return (progress) => {
    const text = describeProgress(progress);
    if (isWaiting(progress)) log.warn(progress, text);
    else log.info(progress, text);
  };
}
