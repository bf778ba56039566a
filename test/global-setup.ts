import { randomBytes } from 'node:crypto';
import { dropTestDatabases, type PostgresServer, startPostgres } from './postgres.ts';

let server: PostgresServer | undefined;
let teardown: Promise<void> | undefined;

/** Starts the server for the whole run. The test processes come later and inherit these variables. */
export async function globalSetup(): Promise<void> {
  process.env.TOCSIN_TEST_RUN = randomBytes(4).toString('hex');
  if (process.env.TEST_DATABASE_URL) return;
  server = await startPostgres();
  process.env.TOCSIN_TEST_POSTGRES_URL = server.url;
}

/** An interrupted runner calls this twice, and ends as soon as one call has. */
export function globalTeardown(): Promise<void> {
  teardown ??= process.env.TEST_DATABASE_URL ? dropTestDatabases() : server?.[Symbol.asyncDispose]();
  return teardown ?? Promise.resolve();
}
