import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { MemoryFiles } from './files.test-support.ts';
import { diskFiles } from './files.ts';
import { spoolFolder, whyNotUsable } from './place.ts';

suite('the folder of waiting pings', () => {
  const folderOf = (
    environment: Record<string, string>,
    userId: number | null = 1000,
    option: string | null = null,
  ) => spoolFolder(option, { environment, userId });

  test('is the option, systemd’s, root’s or the user’s', () => {
    const environment = {
      STATE_DIRECTORY: '/var/lib/job:/var/lib/b',
      XDG_STATE_HOME: '/state',
      HOME: '/home/me',
    };
    assert.equal(folderOf(environment, 0, '/mine'), '/mine');
    assert.equal(folderOf(environment, 0), '/var/lib/job/spool');
    assert.equal(folderOf({ HOME: '/root' }, 0), '/var/spool/tocsin');
    assert.equal(folderOf({ XDG_STATE_HOME: '/state', HOME: '/home/me' }), '/state/tocsin/spool');
    assert.equal(
      folderOf({ XDG_STATE_HOME: 'state', HOME: '/home/me' }),
      '/home/me/.local/state/tocsin/spool',
    );
    assert.equal(folderOf({ XDG_STATE_HOME: '', HOME: '' }), null);
    assert.equal(folderOf({}), null);
  });

  test('is made for its owner alone', async (t) => {
    const folder = await temporary(t);
    const spool = join(folder, 'state', 'spool');
    assert.equal(await whyNotUsable(diskFiles, spool, process.getuid?.() ?? null), null);
    assert.equal((await stat(spool)).mode & 0o777, 0o700);
  });

  test('is not used if others may write to it, or if it is none', async (t) => {
    const folder = await temporary(t);
    const userId = process.getuid?.() ?? null;
    for (const mode of [0o770, 0o702, 0o777]) {
      await chmod(folder, mode);
      assert.equal(await whyNotUsable(diskFiles, folder, userId), 'others may write to it');
    }
    await chmod(folder, 0o755);
    assert.equal(await whyNotUsable(diskFiles, folder, userId), null);
    await writeFile(join(folder, 'file'), '');
    assert.equal(await whyNotUsable(diskFiles, join(folder, 'file'), userId), 'EEXIST');
    assert.equal(await whyNotUsable(diskFiles, join(folder, 'file', 'below'), userId), 'ENOTDIR');
  });

  test('is not used if it, or what it leads to, belongs to somebody else', async (t) => {
    const files = new MemoryFiles();
    assert.equal(await whyNotUsable(files, '/spool', files.ownerId), null);
    assert.equal(await whyNotUsable(files, '/spool', files.ownerId + 1), 'it belongs to somebody else');

    const folder = await temporary(t);
    await mkdir(join(folder, 'own'), { mode: 0o700 });
    await symlink(join(folder, 'own'), join(folder, 'to-own'));
    // The root of the file system belongs to root, and root's own tests have no other user's folder.
    await symlink('/', join(folder, 'to-root'));
    const userId = process.getuid?.() ?? null;
    assert.equal(await whyNotUsable(diskFiles, join(folder, 'to-own'), userId), null);
    const notRoot = {
      ...diskFiles,
      facts: async (path: string, of: 'the link itself' | 'what it leads to') => {
        const facts = await diskFiles.facts(path, of);
        return facts && { ...facts, ownerId: of === 'the link itself' ? 1000 : facts.ownerId };
      },
    };
    assert.equal(await whyNotUsable(notRoot, join(folder, 'to-root'), 1000), 'it belongs to somebody else');
  });

  test('is not checked for owners where there are no users by number', async () => {
    const files = new MemoryFiles();
    files.mode = 0o777;
    assert.equal(await whyNotUsable(files, '/spool', null), null);
  });
});

async function temporary(t: { after(done: () => Promise<void>): void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'spool-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}
