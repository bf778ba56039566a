import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { SECRET, startService } from '../crash/service.ts';
import { createEmptyPlace, type TestPlace } from '../engines.ts';
import { runCli, temporaryFolder } from '../process.ts';

function pathOf({ database }: TestPlace): string {
  assert.ok(database.engine === 'sqlite');
  return database.path;
}

test('a second service on one SQLite file is refused, and the first goes on', async () => {
  await using folder = await temporaryFolder();
  await using place = await createEmptyPlace('sqlite');
  await using first = await startService(folder.path, place.database);
  const check = await first.createCheck('heartbeat');
  const link = join(folder.path, 'link.db');
  await symlink(pathOf(place), link);

  for (const path of [pathOf(place), link]) {
    const second = await runCli(['serve'], {
      cwd: folder.path,
      env: { DATABASE_URL: `sqlite:${path}`, LOG_LEVEL: 'error' },
    });

    assert.equal(second.code, 1);
    assert.equal(
      second.stderr,
      `another Tocsin is running on the database ${path}, and SQLite is for one process at a time: stop the other ` +
        'one first, or set DATABASE_URL to another file or to a PostgreSQL database\n',
    );
  }
  assert.equal(await first.ping(check.uuid), true);
  assert.deepEqual(
    (await first.checks()).map(({ n_pings }) => n_pings),
    [1],
  );
});

test('a service starts at once after another was killed, or has stopped', async () => {
  await using folder = await temporaryFolder();
  await using place = await createEmptyPlace('sqlite');
  await using first = await startService(folder.path, place.database);
  const check = await first.createCheck('heartbeat');
  assert.equal(await first.ping(check.uuid), true);
  first.process.signal('SIGKILL');
  await first.process.exit();

  await using second = await startService(folder.path, place.database);
  assert.equal(await second.ping(check.uuid), true);
  second.process.signal('SIGTERM');
  assert.equal((await second.process.exit()).code, 0);

  await using third = await startService(folder.path, place.database);
  assert.deepEqual(
    (await third.checks()).map(({ n_pings }) => n_pings),
    [2],
  );
});

test('migrate, apply and backup work beside a running service', async () => {
  await using folder = await temporaryFolder();
  await using place = await createEmptyPlace('sqlite');
  await using service = await startService(folder.path, place.database);
  const file = join(folder.path, 'more.yaml');
  await writeFile(file, 'accounts:\n  - email: more@example.org\n');
  const env = { DATABASE_URL: `sqlite:${pathOf(place)}`, SECRET_KEY: SECRET, LOG_LEVEL: 'error' };

  for (const args of [['migrate'], ['apply', file], ['backup', join(folder.path, 'copy.db')]]) {
    const { code, stderr } = await runCli(args, { cwd: folder.path, env });
    assert.deepEqual({ args, code, stderr }, { args, code: 0, stderr: '' });
  }
  assert.equal((await service.get('/api/v3/status/')).status, 200);
});
