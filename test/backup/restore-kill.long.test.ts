import assert from 'node:assert/strict';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { archiveDatabase } from '../../src/storage/archive/backup.ts';
import { type RestoreOptions, restore } from '../../src/storage/archive/restore.ts';
import { openSource } from '../../src/storage/archive/source.ts';
import type { Database } from '../../src/storage/open.ts';
import { verifyDatabase } from '../../src/storage/verify/database.ts';
import { startTestApp } from '../app.ts';
import { settingsFor } from '../cli.test-support.ts';
import { createEmptyPlace, openTestDriver } from '../engines.ts';
import { live } from '../lived.ts';
import { TEST_SECRET } from '../node-parts.ts';
import { someoneWaits } from '../postgres-locks.ts';
import { runCli, startCli, startProcess, temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';

const PROGRAM = new URL('restore-program.ts', import.meta.url).pathname;
const WORLD = { clock: systemClock, random: systemRandom };
const SECRETS = { current: TEST_SECRET, fallbacks: [] };

const optionsFor = async (archive: string): Promise<RestoreOptions> => ({
  source: await openSource(archive, { clock: systemClock, release: '1.2.3' }),
  ...{ secrets: SECRETS, replaces: true, ...WORLD },
});

/** The mark of a database from before the restore. The backup has none. */
async function markOf(database: Database): Promise<string | null> {
  await using driver = await openTestDriver(database);
  const [row] = await driver.all<{ value: string }>(`select value from instance where key = 'mark'`);
  return row?.value ?? null;
}

async function mark(database: Database): Promise<void> {
  await using driver = await openTestDriver(database);
  await driver.transaction((tx) => tx.run(`insert into instance (key, value) values ('mark', 'before')`));
}

test('a restore that is killed before any change of a file leaves the database of before or the backup, which its secrets open', async () => {
  await using folder = await temporaryFolder();
  await using app = await startTestApp('sqlite');
  await live(app);
  const archive = join(folder.path, 'archive');
  await archiveDatabase(app.database, archive, { ...WORLD, release: '1.2.3' }, null);
  const before = join(folder.path, 'before');
  const database: Database = { engine: 'sqlite', path: join(before, 'tocsin.db') };
  await mkdir(before);
  await restore(database, await optionsFor(archive));
  const rotated = await runCli(['rotate-secret'], {
    cwd: before,
    env: { DATABASE_URL: `sqlite:${database.path}` },
  });
  assert.equal(rotated.code, 0, rotated.stderr);
  await mark(database);

  const left: (string | null)[] = [];
  for (let kill = 1; ; kill++) {
    const there = join(folder.path, `killed-${kill}`);
    await cp(before, there, { recursive: true });
    const path = join(there, 'tocsin.db');
    await using program = startProcess(
      process.execPath,
      [PROGRAM, archive, path, TEST_SECRET, String(kill)],
      { cwd: there },
    );
    const { signal, stdout, stderr } = await program.exit();
    assert.equal(stderr, '');

    const killed: Database = { engine: 'sqlite', path };
    const { faults, hasSecret } = await verifyDatabase(killed, null, WORLD);
    assert.deepEqual([faults, hasSecret], [[], true], `killed before change ${kill}`);
    left.push(await markOf(killed));
    if (stdout === 'restored\n') break;
    assert.equal(signal, 'SIGKILL');

    await restore(killed, await optionsFor(archive));
    assert.equal(await markOf(killed), null);
    const leftovers = (await readdir(there)).filter((name) => name.includes('partial'));
    assert.deepEqual(leftovers, [], 'the next restore removes leftovers');
  }
  assert.ok(left.length > 10, `${left.length} changes`);

  assert.deepEqual([left[0], left.at(-1)], ['before', null]);
});

test('a restore to PostgreSQL that is killed leaves the database as it was', async () => {
  await using folder = await temporaryFolder();
  await using app = await startTestApp('postgres');
  await live(app);
  await using place = await createEmptyPlace('postgres');
  const archive = join(folder.path, 'archive');
  await archiveDatabase(app.database, archive, { ...WORLD, release: '1.2.3' }, null);
  await restore(place.database, await optionsFor(archive));
  await mark(place.database);
  await using driver = await openTestDriver(place.database);

  const { DATABASE_URL: to = '' } = settingsFor(place);
  const killOneThatWaits = async () => {
    await using cli = startCli(['restore', archive, '--to', to, '--replace'], { cwd: folder.path });
    let hasEnded = false;
    const exit = cli.exit().finally(() => {
      hasEnded = true;
    });
    await until('it waits, or has given up', async () => hasEnded || (await someoneWaits(driver)));
    cli.signal('SIGKILL');
    return (await exit).signal === 'SIGKILL';
  };
  await driver.transaction(async (tx) => {
    // The restore has to wait for this table after it has begun.
    await tx.run(`update instance set value = 'before' where key = 'mark'`);
    await until('a restore was killed while it waited', killOneThatWaits);
  });

  assert.equal(await markOf(place.database), 'before');
  assert.deepEqual((await verifyDatabase(place.database, null, WORLD)).faults, []);
  await restore(place.database, await optionsFor(archive));
  assert.equal(await markOf(place.database), null);
});
