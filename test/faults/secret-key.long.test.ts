import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createMigratedPlace, openTestDatabase } from '../engines.ts';
import { type Exit, limitFileSize, runCli, startProcess, temporaryFolder } from '../process.ts';

const PROGRAM = new URL('secret-program.ts', import.meta.url).pathname;
const SECRET_BYTES = 44;

async function printSecret(folder: string, bytes: number): Promise<Exit> {
  await using program = startProcess(process.execPath, [PROGRAM, 'tocsin.db.secret'], {
    cwd: folder,
    prelude: limitFileSize(bytes),
  });
  return await program.exit();
}

test('a full disk leaves no secret file, and the next start makes a whole one', async () => {
  await using folder = await temporaryFolder();

  const failed = await printSecret(folder.path, 0);
  assert.notEqual(failed.code, 0);
  assert.match(failed.stderr, /cannot keep a secret key in tocsin\.db\.secret: EFBIG/);
  assert.deepEqual(await readdir(folder.path), []);

  const first = await printSecret(folder.path, SECRET_BYTES);
  assert.match(first.stdout, /^[\w-]{43}$/);
  assert.equal((await printSecret(folder.path, 0)).stdout, first.stdout);
});

test('processes that start together agree on one secret', async () => {
  await using folder = await temporaryFolder();

  const exits = await Promise.all(Array.from({ length: 4 }, () => printSecret(folder.path, SECRET_BYTES)));

  assert.deepEqual(
    exits.map(({ code }) => code),
    [0, 0, 0, 0],
  );
  assert.equal(new Set(exits.map(({ stdout }) => stdout)).size, 1);
  assert.deepEqual(await readdir(folder.path), ['tocsin.db.secret']);
});

test('an empty secret file is refused, and the message says what to do', async () => {
  await using place = await createMigratedPlace('sqlite');
  assert.ok(place.database.engine === 'sqlite');
  const { path } = place.database;
  await writeFile(`${path}.secret`, '');

  const { code, stderr } = await runCli(['serve'], {
    cwd: join(path, '..'),
    env: { DATABASE_URL: `sqlite:${path}` },
  });

  assert.equal(code, 1);
  assert.ok(stderr.startsWith(`the secret key in the file ${path}.secret has 0 characters`), stderr);
  assert.match(stderr, /at least 16 are needed.*delete it/s);
});

test('a short secret in the database is refused as well', async () => {
  await using opened = await openTestDatabase('postgres');
  assert.ok(opened.database.engine === 'postgres');
  await using folder = await temporaryFolder();
  await opened.store.transaction((tx) => tx.instance.setOnce('secret_key', 'fifteen letters'));

  const { code, stderr } = await runCli(['migrate'], {
    cwd: folder.path,
    env: { DATABASE_URL: opened.database.url },
  });

  assert.equal(code, 1);
  assert.match(stderr, /^the secret key in the row "secret_key" of the table "instance" has 15 characters/);
});
