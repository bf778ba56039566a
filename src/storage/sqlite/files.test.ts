import assert from 'node:assert/strict';
import { chmod, mkdir, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { temporaryFolder } from '../../../test/process.ts';
import { exposedPaths, followLinks, securePlace } from './files.ts';

/** A folder whose own path has no links. */
async function givenFolder() {
  const folder = await temporaryFolder();
  const path = await realpath(folder.path);
  return { at: (name: string) => join(path, name), [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

suite('a database path with symbolic links', () => {
  test('leads to the file behind all of them, also where the file or its folder is still to be made', async () => {
    await using folder = await givenFolder();
    await mkdir(folder.at('volume'));
    await symlink('volume', folder.at('mounted'));
    await symlink('new-folder', folder.at('volume/data'));
    await symlink('../mounted/data/a.db', folder.at('volume/second'));
    await symlink(folder.at('mounted/second'), folder.at('first'));

    assert.equal(followLinks(folder.at('first')), folder.at('volume/new-folder/a.db'));
    securePlace(folder.at('first'));
    assert.equal(followLinks(folder.at('first')), folder.at('volume/new-folder/a.db'));
    assert.equal((await stat(folder.at('volume/new-folder'))).mode & 0o777, 0o700);
    assert.equal((await stat(folder.at('first'))).mode & 0o777, 0o600);
  });

  test('leads out of the folder behind a link, and not out of the one that has the link', async () => {
    await using folder = await givenFolder();
    await mkdir(folder.at('volume/inner'), { recursive: true });
    await symlink('volume/inner', folder.at('link'));
    await symlink('link/../a.db', folder.at('database'));

    assert.equal(followLinks(folder.at('database')), folder.at('volume/a.db'));
  });

  test('is refused where its links never end', async () => {
    await using folder = await givenFolder();
    await symlink('two', folder.at('one'));
    await symlink('one', folder.at('two'));

    assert.throws(() => securePlace(folder.at('one')), { code: 'ELOOP' });
  });

  test('is refused where more than forty links lead to a file that is still to be made', async () => {
    await using folder = await givenFolder();
    for (let n = 0; n <= 40; n++) await symlink(String(n), folder.at(String(n + 1)));

    assert.equal(followLinks(folder.at('40')), folder.at('0'));
    assert.throws(() => followLinks(folder.at('41')), /ELOOP|more than 40 symbolic links/);
  });

  test('takes the rights of others away from every file with a secret', async () => {
    await using folder = await givenFolder();
    const path = folder.at('a.db');
    const secrets = ['.secret', '.secret.next', '.secret.previous'].map((suffix) => `${path}${suffix}`);
    for (const secret of secrets) {
      await writeFile(secret, 'a secret');
      await chmod(secret, 0o644);
    }

    assert.deepEqual(
      exposedPaths(path).filter((exposed) => exposed.includes('.secret')),
      secrets,
    );
    securePlace(path);
    assert.deepEqual(
      exposedPaths(path).filter((exposed) => exposed.includes('.secret')),
      [],
    );
  });

  test('exposes the folder with the link as well as the one with the database', async () => {
    await using folder = await givenFolder();
    for (const name of ['data', 'volume']) {
      await mkdir(folder.at(name));
      await chmod(folder.at(name), 0o755);
    }
    await writeFile(folder.at('volume/a.db'), '');
    await writeFile(folder.at('volume/a.db-wal'), '');
    await symlink('../volume/a.db', folder.at('data/a.db'));
    for (const suffix of ['', '-wal']) await chmod(folder.at(`volume/a.db${suffix}`), 0o644);

    assert.deepEqual(exposedPaths(folder.at('data/a.db')), [
      folder.at('volume'),
      folder.at('data'),
      folder.at('volume/a.db'),
      folder.at('volume/a.db-wal'),
    ]);
    securePlace(folder.at('data/a.db'));
    assert.deepEqual(exposedPaths(folder.at('data/a.db')), [folder.at('volume'), folder.at('data')]);
  });
});
