import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireLocalFiles } from './network-files.ts';

const on = (kind: string, sort: 'disk' | 'network' | 'program') => async () => ({ kind, sort });

test('a database on files of the network is refused', async () => {
  for (const kind of ['nfs', 'smb2', '9p'])
    await assert.rejects(
      requireLocalFiles('/data/tocsin.db', false, on(kind, 'network')),
      new RegExp(`the database /data/tocsin.db is on ${kind}.*ALLOW_NETWORK_FILES=True`),
    );
});

test('it is allowed on purpose, and each start tells where it is', async () => {
  assert.equal(await requireLocalFiles('/data/tocsin.db', true, on('nfs', 'network')), 'nfs');
});

test('disks of this machine and programs that answer for the kernel need no permission', async () => {
  assert.equal(await requireLocalFiles('/data/tocsin.db', false, on('ext4', 'disk')), null);
  assert.equal(await requireLocalFiles('/data/tocsin.db', false, on('fuse', 'program')), null);
});

test('the folder that the database will be made in is looked at', async () => {
  const seen: string[] = [];
  await requireLocalFiles('/no/such/folder/tocsin.db', false, async (folder) => {
    seen.push(folder);
    return { kind: 'ext4', sort: 'disk' };
  });

  assert.deepEqual(seen, ['/']);
});
