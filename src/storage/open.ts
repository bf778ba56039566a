import type { Clock } from '../lib/clock.ts';
import type { Driver } from './driver.ts';
import { PostgresDriver } from './postgres/driver.ts';
import { SqliteDriver } from './sqlite/driver.ts';

export type Database =
  | { readonly engine: 'sqlite'; readonly path: string }
  | {
      readonly engine: 'postgres';
      readonly url: string;
      readonly poolSize: number;
      readonly statementTimeoutSeconds: number;
      /** The wait for a free connection, if not the usual one. */
      readonly connectTimeoutMs?: number;
    };

/** The database as people know it, without the password. */
export function describeDatabase(database: Database): string {
  return `${database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, ${databasePlace(database)}`;
}

/** The path of the file, or the server and the name of the database. */
export function databasePlace(database: Database): string {
  if (database.engine === 'sqlite') return database.path;
  const { host, pathname } = new URL(database.url);
  return `${host}${pathname}`;
}

export interface OpenOptions {
  clock: Clock;
  onLostConnection: (error: Error) => void;
}

export async function openDriver(database: Database, options: OpenOptions): Promise<Driver> {
  if (database.engine === 'sqlite') return new SqliteDriver(database.path);
  const driver = new PostgresDriver({ ...database, ...options });
  try {
    await driver.requireSupportedVersion();
    return driver;
  } catch (error) {
    await driver[Symbol.asyncDispose]();
    throw error;
  }
}
