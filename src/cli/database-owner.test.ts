import assert from 'node:assert/strict';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/process.ts';
import { becomeOwner } from './database-owner.ts';

const NOBODY = 65_534;

function rightsOf(uid: number) {
  const calls: string[] = [];
  const note = (name: string) => (id: unknown) => void calls.push(`${name} ${id}`);
  return {
    calls,
    getuid: () => uid,
    setgroups: note('setgroups'),
    setgid: note('setgid'),
    setuid: note('setuid'),
  };
}

test('who is not root stays who they are, and so does root on a PostgreSQL server', async () => {
  const user = rightsOf(1000);
  becomeOwner({ engine: 'sqlite', path: import.meta.filename }, user);
  const root = rightsOf(0);
  becomeOwner(
    { engine: 'postgres', url: 'postgres://host/tocsin', poolSize: 1, statementTimeoutSeconds: 1 },
    root,
  );

  assert.deepEqual([...user.calls, ...root.calls], []);
});

test('root becomes the owner of the file, groups first, or of the nearest folder', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('needs root');
  await using folder = await temporaryFolder();
  await chown(folder.path, NOBODY, 100);
  const expected = ['setgroups 100', 'setgid 100', `setuid ${NOBODY}`];
  for (const path of ['tocsin.db', 'new/deep/tocsin.db']) {
    const rights = rightsOf(0);
    becomeOwner({ engine: 'sqlite', path: join(folder.path, path) }, rights);
    assert.deepEqual(rights.calls, expected);
  }
  await chown(folder.path, 0, 0);
  const rights = rightsOf(0);
  becomeOwner({ engine: 'sqlite', path: join(folder.path, 'tocsin.db') }, rights);
  assert.deepEqual(rights.calls, []);
});
