import { randomBytes } from 'node:crypto';
import { makeMigratedFile } from './engines.ts';
import { dropTestDatabases, startPostgres } from './postgres.ts';

const opened = new AsyncDisposableStack();
let teardown: Promise<void> | undefined;

/** Prepares what all tests share. The test processes come later and inherit these variables. */
export async function globalSetup(): Promise<void> {
  process.env.TOCSIN_TEST_RUN = randomBytes(4).toString('hex');
  process.env.TOCSIN_TEST_SQLITE_FILE = opened.use(await makeMigratedFile()).path;
  if (process.env.TEST_DATABASE_URL) opened.defer(dropTestDatabases);
  else process.env.TOCSIN_TEST_POSTGRES_URL = opened.use(await startPostgres()).socketUrl;
}

/** An interrupted runner calls this twice, and ends as soon as one call has. */
export function globalTeardown(): Promise<void> {
  teardown ??= opened.disposeAsync();
  return teardown;
}
