import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { parseRid } from '../src/wire/ping/address.ts';

const run = promisify(execFile);
const KERNEL = '/proc/sys/kernel/random/uuid';

/** The line of the guide that makes an id for a run. */
async function ridLine(): Promise<string> {
  const guide = await readFile(new URL('../docs/guide/pinging.md', import.meta.url), 'utf8');
  return /^RID=.*$/m.exec(guide)?.[0] ?? assert.fail('the guide makes no id');
}

/** Runs the line in a shell that finds nothing but `cat` and, if one is given, `uuidgen`. */
async function ridOf(line: string, uuidgen: string | null): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'guide-'));
  try {
    await symlink('/bin/cat', join(folder, 'cat'));
    if (uuidgen !== null) {
      await writeFile(join(folder, 'uuidgen'), `#!/bin/sh\necho ${uuidgen}\n`);
      await chmod(join(folder, 'uuidgen'), 0o755);
    }
    const { stdout } = await run('/bin/sh', ['-eu', '-c', `${line}\nprintf %s "$RID"`], {
      env: { PATH: folder },
    });
    const rid = parseRid(new URLSearchParams({ rid: stdout }));
    return rid === 'invalid_rid' ? assert.fail(stdout) : rid;
  } finally {
    await rm(folder, { recursive: true });
  }
}

suite('the line of the guide that makes an id for a run', () => {
  const skip = process.platform === 'linux' ? false : 'only Linux has the file';

  test('works on Linux without uuidgen', { skip }, async () => {
    const line = await ridLine();

    const [one, other] = [await ridOf(line, null), await ridOf(line, null)];
    assert.ok(one !== null && other !== null && one !== other);
  });

  test('works with uuidgen elsewhere', async () => {
    const line = (await ridLine()).replace(KERNEL, '/nowhere/uuid');

    const rid = await ridOf(line, 'F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6');
    assert.equal(rid, 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6');
  });
});
