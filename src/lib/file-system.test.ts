import assert from 'node:assert/strict';
import { mkdtempDisposable, readdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fileSystemOf, kindOf, measureSyncs } from './file-system.ts';
import { systemRandom } from './random.ts';

suite('the file system of a path', () => {
  test('has the room that the system tells', async () => {
    const { blocks, bsize } = await statfs(tmpdir());

    const { freeBytes, totalBytes } = await fileSystemOf(tmpdir());

    assert.equal(totalBytes, blocks * bsize);
    assert.ok(freeBytes <= totalBytes);
  });

  test('is named by the number of its kind', () => {
    assert.deepEqual(kindOf(0xef53, 'linux'), { kind: 'ext4', sort: 'disk' });
    assert.deepEqual(kindOf(0x6969, 'linux'), { kind: 'nfs', sort: 'network' });
    assert.deepEqual(kindOf(0x65735546, 'linux'), { kind: 'fuse', sort: 'program' });
    assert.deepEqual(kindOf(0x794c7630, 'linux'), { kind: 'overlay', sort: 'layers' });
  });

  test('has the same name where numbers are signed', () => {
    assert.deepEqual(kindOf(0xfe534d42 | 0, 'linux'), { kind: 'smb2', sort: 'network' });
  });

  test('has no name if the number is unknown, or of another system', () => {
    assert.deepEqual(kindOf(0x12345678, 'linux'), { kind: null, sort: null });
    assert.deepEqual(kindOf(0xef53, 'darwin'), { kind: null, sort: null });
  });
});

suite('syncs', () => {
  test('are measured one by one, and the shortest comes first', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tocsin-syncs-'));
    const readings = [0, 9, 100, 104, 200, 206];
    const clock = { monotonic: () => readings.shift() ?? 0 };

    assert.deepEqual(await measureSyncs(folder.path, 3, { clock, random: systemRandom }), [4, 6, 9]);
    assert.deepEqual(await readdir(folder.path), []);
  });

  test('fail in a folder that is not there', async () => {
    const world = { clock: { monotonic: () => 0 }, random: systemRandom };

    await assert.rejects(measureSyncs(join(tmpdir(), 'no', 'such', 'folder'), 1, world), { code: 'ENOENT' });
  });
});
