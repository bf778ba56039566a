import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { createMigratedPlace, openTestDriver } from '../engines.ts';
import { startProcess } from '../process.ts';
import { addChannel, givenProject } from '../records.ts';
import { seeded } from './seeded.ts';

const ROUNDS = 10;
/** So many writes are acknowledged before each kill, and some more. */
const WRITES = 10;
const SEED = 20_260_102;
const PROGRAM = new URL('write-program.ts', import.meta.url).pathname;

test('a process killed while it writes loses nothing that it has acknowledged, and leaves nothing half-done', async () => {
  await using place = await createMigratedPlace('sqlite');
  assert.ok(place.database.engine === 'sqlite');
  const { path } = place.database;
  const email = await prepare(place.database);
  const random = seeded(SEED);
  const acknowledged: string[] = [];

  for (let round = 1; round <= ROUNDS; round++) {
    acknowledged.push(...(await writeAndKill(path, email, WRITES + Math.floor(100 * random()))));

    const state = inspect(path);
    const what = `round ${round} with seed ${SEED}`;
    assert.equal(state.integrity, 'ok', what);
    assert.equal(state.brokenReferences, 0, what);
    const lost = acknowledged.filter((uuid) => !state.uuids.has(uuid));
    assert.deepEqual(lost, [], what);
    // A commit may have been done just before the kill, and not yet been told.
    assert.ok(state.uuids.size <= acknowledged.length + round, what);
    assert.equal(state.checkCount, state.uuids.size, `${what}: the account counts its checks`);
    assert.equal(state.links, state.uuids.size, `${what}: every check has its channel`);
    assert.equal(state.pings, state.uuids.size, `${what}: every check has its ping`);
  }
  assert.ok(acknowledged.length >= ROUNDS * WRITES);
});

async function prepare(database: Parameters<typeof openTestDriver>[0]): Promise<string> {
  await using driver = await openTestDriver(database);
  const store = createSqlStore(driver);
  const limits = { checks: 1_000_000, pings: 100 };
  const { account, project } = await givenProject(store, { account: { limits } });
  await addChannel(store, project);
  return account.email;
}

/** The UUIDs that the program acknowledged before it was killed. */
async function writeAndKill(path: string, email: string, afterWrites: number): Promise<string[]> {
  await using program = startProcess(process.execPath, [PROGRAM, path, email], { cwd: '/' });
  await program.output(new RegExp(`(.*\\n){${afterWrites}}`));
  program.signal('SIGKILL');
  const { stdout, stderr } = await program.exit();
  assert.equal(stderr, '');
  // The last line may be cut off.
  return stdout.split('\n').slice(0, -1);
}

function inspect(path: string) {
  using database = new DatabaseSync(path);
  const value = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
  return {
    integrity: value('pragma integrity_check'),
    brokenReferences: database.prepare('pragma foreign_key_check').all().length,
    uuids: new Set(
      database
        .prepare('select uuid from checks')
        .all()
        .map((row) => row.uuid),
    ),
    checkCount: value('select sum(check_count) from accounts'),
    links: value('select count(distinct check_id) from check_channels'),
    pings: value('select count(distinct check_id) from pings'),
  };
}
