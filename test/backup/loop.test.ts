import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { seconds } from '../../src/lib/instant.ts';
import { systemRandom } from '../../src/lib/random.ts';
import {
  type BackupMaker,
  type BackupRun,
  backupAge,
  makeDueBackup,
} from '../../src/services/instance/backups.ts';
import { rotateBackups } from '../../src/storage/archive/rotation.ts';
import { startTestApp } from '../app.ts';
import { givenAccount } from '../dashboard/browser.ts';
import { forEachEngine } from '../engines.ts';
import { live } from '../lived.ts';
import { TEST_SECRET } from '../node-parts.ts';
import { temporaryFolder } from '../process.ts';

const DAY = seconds(86_400);
const NEVER_STOPPED: BackupRun = {
  stopping: new AbortController().signal,
  extending: () => ({ [Symbol.dispose]: () => undefined }),
};

forEachEngine((engine) => {
  test('backups are verified, the oldest and leftovers go, and what is not ours stays', async () => {
    await using folder = await temporaryFolder();
    await using app = await startTestApp(engine);
    await live(app);
    const target = join(folder.path, 'backups');
    await mkdir(target);
    await writeFile(join(target, 'notes.txt'), 'precious');
    await givenOldFile(join(target, 'notes.txt.0123456789abcdef.partial'));
    await givenOldFile(join(target, 'tocsin-20240101T000000Z.db.0123456789abcdef.partial'));
    await givenOldFile(join(target, 'tocsin-20240101T000000Z.db.0123456789abcdef.partial-wal'));
    const secrets = { current: TEST_SECRET, fallbacks: [] };
    const options = { folder: target, keep: 2, secrets, passphrase: null, release: '1.2.3' };
    const made: string[] = [];
    for (let day = 0; day < 3; day++) {
      app.clock.advance({ days: 1 });
      made.push(await rotateBackups(app.database, options, { clock: app.clock, random: systemRandom }));
    }

    const kept = await readdir(target);
    assert.deepEqual(
      kept.toSorted().map((name) => join(target, name)),
      [join(target, 'notes.txt'), join(target, 'notes.txt.0123456789abcdef.partial'), ...made.slice(1)],
    );

    app.clock.advance({ days: 1 });
    const other = { ...options, secrets: { current: 'another secret for tests', fallbacks: [] } };
    const faulty = rotateBackups(app.database, other, { clock: app.clock, random: systemRandom });
    await assert.rejects(faulty, /the backup has faults: .* cannot be opened with the secret key/);
    assert.deepEqual((await readdir(target)).toSorted(), kept.toSorted(), 'the old ones stay');
  });

  test('one of two nodes makes the backup, and administrators are told once of failures', async () => {
    await using app = await startTestApp(engine);
    await givenAccount(app, { isAdmin: true });
    const { deps, clock } = app;
    let made = 0;
    let fails = false;
    const maker = {
      make: async () => {
        made++;
        if (fails) throw new Error('no space left on device');
      },
    };
    const tick = () => makeDueBackup(deps, maker, DAY, NEVER_STOPPED);
    const mails = async () => await deps.store.mails.openCount();

    await Promise.all([tick(), tick()]);
    assert.equal(made, 1);
    clock.advance({ hours: 23 });
    await tick();
    assert.equal(made, 1);
    assert.equal(await backupAge(deps), seconds(23 * 3600));

    fails = true;
    clock.advance({ hours: 1 });
    await assert.rejects(tick(), /no space left/);
    clock.advance({ hours: 1 });
    await assert.rejects(tick(), /no space left/);
    assert.deepEqual([made, await mails()], [3, 1]);

    fails = false;
    clock.advance({ hours: 1 });
    await tick();
    assert.deepEqual([made, await backupAge(deps)], [4, 0]);
  });

  test('a node that stops gives its backup up, nobody is told, and the next node makes it at once', async () => {
    await using app = await startTestApp(engine);
    await givenAccount(app, { isAdmin: true });
    const { deps } = app;
    const stopping = new AbortController();
    const stopped = { ...NEVER_STOPPED, stopping: stopping.signal };
    const maker: BackupMaker = {
      make: async (signal) => {
        stopping.abort();
        signal.throwIfAborted();
      },
    };
    let made = 0;

    assert.equal(await makeDueBackup(deps, maker, DAY, stopped), false);
    await makeDueBackup(deps, { make: async () => void made++ }, DAY, NEVER_STOPPED);

    assert.deepEqual([made, await deps.store.mails.openCount()], [1, 0]);
  });
});

/** Nobody has written to it for a long time. */
async function givenOldFile(path: string): Promise<void> {
  await writeFile(path, 'half of something');
  await utimes(path, 0, 0);
}
