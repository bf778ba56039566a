import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { startPostgres } from '../../test/postgres.ts';

/** A database of its own, on a real disk, which goes away with the benchmark. */
export interface BenchDatabase extends AsyncDisposable {
  readonly engine: 'sqlite' | 'postgres';
  /** The program's folder for files. */
  readonly folder: string;
  readonly url: string;
  /** Runs statements past the program. */
  run(sql: string): Promise<void>;
}

export async function createBenchDatabase(engine: BenchDatabase['engine']): Promise<BenchDatabase> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'tocsin.db');
  const url = engine === 'sqlite' ? `sqlite:${path}` : await startDurablePostgres(opened);
  const parts = opened.move();
  return {
    engine,
    folder,
    url,
    run: (sql) => (engine === 'sqlite' ? runOnSqlite(path, sql) : runOnPostgres(url, sql)),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** The server of the tests, made to sync what it commits, as one in earnest does. */
async function startDurablePostgres(opened: AsyncDisposableStack): Promise<string> {
  const { url } = opened.use(await startPostgres());
  for (const setting of ["fsync = 'on'", "full_page_writes = 'on'", "shared_buffers = '256MB'"]) {
    await runOnPostgres(url, `alter system set ${setting}`);
  }
  await runOnPostgres(url, 'select pg_reload_conf()');
  return url;
}

async function runOnSqlite(path: string, sql: string): Promise<void> {
  const database = new DatabaseSync(path, { timeout: 60_000 });
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

async function runOnPostgres(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
