import assert from 'node:assert/strict';
import { link, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/process.ts';
import { systemRandom } from './random.ts';
import { createWholeFile, publishFile, removePartialFiles } from './whole-file.ts';

test('a file is created with its content, for its owner alone, and nothing else is left', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'secret');

  assert.equal(await createWholeFile(path, 'content\n', systemRandom), true);

  assert.equal(await readFile(path, 'utf8'), 'content\n');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(folder.path), ['secret']);
});

test('a file that exists stays as it is', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'secret');
  await writeFile(path, 'first');

  assert.equal(await createWholeFile(path, 'second', systemRandom), false);

  assert.equal(await readFile(path, 'utf8'), 'first');
  assert.deepEqual(await readdir(folder.path), ['secret']);
});

test('of several that create the same file one succeeds, and none is ever seen in part', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'secret');
  const contents = Array.from({ length: 10 }, (_, index) => `content ${index}`);

  const created = await Promise.all(
    contents.map(async (content) => {
      const isCreated = await createWholeFile(path, content, systemRandom);
      assert.ok(contents.includes(await readFile(path, 'utf8')));
      await removePartialFiles(path);
      return isCreated;
    }),
  );

  const winner = contents[created.indexOf(true)];
  assert.equal(created.filter(Boolean).length, 1);
  assert.equal(await readFile(path, 'utf8'), winner);
});

test('a crash between the two names is cleaned up, and files of others stay', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'secret');
  await writeFile(path, 'content');
  await link(path, `${path}.0123456789abcdef.partial`);
  await writeFile(`${path}.fedcba9876543210.partial`, 'con');
  await writeFile(`${path}.notes.partial`, 'mine');

  await removePartialFiles(path);

  assert.deepEqual((await readdir(folder.path)).sort(), ['secret', 'secret.notes.partial']);
  assert.equal(await readFile(path, 'utf8'), 'content');
});

test('a partial file that somebody removed is an error, unless the file exists', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'secret');

  await assert.rejects(publishFile(`${path}.gone`, path), { code: 'ENOENT' });

  await writeFile(path, 'content');
  assert.equal(await publishFile(`${path}.gone`, path), false);
});
