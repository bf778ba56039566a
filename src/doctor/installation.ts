import { existsSync } from 'node:fs';
import { hostname, totalmem } from 'node:os';
import { pathToFileURL } from 'node:url';
import type { Environment } from '../config/env-file.ts';
import { type Config, inspectConfig } from '../config/read-config.ts';
import type { Clock } from '../lib/clock.ts';
import { type FileSystem, fileSystemOf } from '../lib/file-system.ts';
import { openFileLimit } from '../lib/open-files.ts';
import type { Random } from '../lib/random.ts';
import { createVault, type Vault } from '../lib/vault.ts';
import type { Driver } from '../storage/driver.ts';
import { openDriver } from '../storage/open.ts';
import { findSecretFiles, keptSecrets, type SecretKeys } from '../storage/secret-key.ts';
import { createSqlStore } from '../storage/sql/store.ts';
import { SqliteReader } from '../storage/sqlite/driver.ts';
import { followLinks } from '../storage/sqlite/files.ts';
import type { Store } from '../storage/store.ts';
import { type Look, skip } from './look.ts';
import type { Names } from './names.ts';

/** Everything outside of the installation's own settings. */
export interface DoctorWorld {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly random: Random;
  readonly names: Names;
  readonly machine: Machine;
  /** The port at which servers take mail from each other. */
  readonly mailPort: number;
  /** Where to send a mail. Null: none is sent. */
  readonly sendTo: string | null;
  /** Called with the settings read, and before anything of the database is opened. */
  readonly beforeLooking: (database: Config['database']) => void;
  /** Waits. */
  readonly rest: (ms: number) => Promise<void>;
}

/** What the system grants to this process. */
export interface Machine {
  readonly openFiles: () => number;
  readonly memoryBytes: () => number;
  readonly fileSystem: (folder: string) => Promise<FileSystem>;
}

/** Database and store, for reading. */
export interface OpenDatabase {
  readonly driver: Driver;
  readonly store: Store;
}

/** An installation as its settings describe it. What several rows need is found out once. Nothing is written. */
export class Installation implements AsyncDisposable {
  readonly world: DoctorWorld;
  readonly config: Config;
  /** Faults of the settings. Faulty ones have their defaults in `config`. */
  readonly faults: readonly string[];
  #database: Promise<OpenDatabase | null> | undefined;
  #secrets: Promise<SecretKeys | null> | undefined;

  constructor(world: DoctorWorld) {
    this.world = world;
    const { config, faults } = inspectConfig(world.environment);
    this.config = config;
    this.faults = faults;
  }

  /** Null if there is none yet: the first start makes it. Throws if it cannot be read. */
  database(): Promise<OpenDatabase | null> {
    this.#database ??= this.#open();
    return this.#database;
  }

  /** What `look` finds in the database. Without one the row is skipped: another row tells why. */
  async inDatabase(look: (database: OpenDatabase) => Promise<Look>): Promise<Look> {
    const database = await this.database().catch(() => 'closed' as const);
    if (database === null) return skip('There is no database yet: the first start makes it.');
    if (database === 'closed') return skip('The database cannot be read.');
    return look(database);
  }

  /** The secrets that the service uses. Null if there are none yet, or they are in a database that cannot be read. */
  secrets(): Promise<SecretKeys | null> {
    this.#secrets ??= this.#findSecrets();
    return this.#secrets;
  }

  async vault(): Promise<Vault | null> {
    const secrets = await this.secrets().catch(() => null);
    return secrets && createVault(secrets.current, this.world.random, secrets.fallbacks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const database = await this.#database?.catch(() => null);
    await database?.driver[Symbol.asyncDispose]();
  }

  async #open(): Promise<OpenDatabase | null> {
    const { database } = this.config;
    if (database.engine === 'sqlite' && !existsSync(database.path)) return null;
    const driver =
      database.engine === 'sqlite'
        ? new SqliteReader(readingPath(database.path))
        : await openDriver(
            { ...database, poolSize: 1 },
            { clock: this.world.clock, onLostConnection: () => undefined },
          );
    const tables = await driver.all<{ name: string }>(
      driver.dialect.engine === 'sqlite'
        ? `select name from sqlite_schema where name = 'schema_migrations'`
        : `select 'schema_migrations' as name where to_regclass('schema_migrations') is not null`,
    );
    if (tables.length > 0) return { driver, store: createSqlStore(driver) };
    await driver[Symbol.asyncDispose]();
    return null;
  }

  async #findSecrets(): Promise<SecretKeys | null> {
    const { secretKey, database } = this.config;
    if (secretKey !== null) return secretKey;
    if (database.engine === 'sqlite') return findSecretFiles(database.path, this.world.random);
    const open = await this.database();
    return open && keptSecrets(database, open.store, this.world.random).find();
  }
}

/** SQLite makes files beside a database that it opens. Nobody has one open that has no log: it is read as it is. */
function readingPath(path: string): string {
  const file = followLinks(path);
  return existsSync(`${file}-wal`) ? file : `${pathToFileURL(file).href}?immutable=1`;
}

/** Names of this machine for greetings, the best first. */
export function clientNames({ site }: Pick<Config, 'site'>): string[] {
  return [hostname(), new URL(site.root).hostname];
}

export const thisMachine: Machine = {
  openFiles: openFileLimit,
  memoryBytes: availableMemory,
  fileSystem: fileSystemOf,
};

/** The memory of this machine, or less if this process may use less. */
function availableMemory(): number {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}
