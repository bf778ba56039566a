import assert from 'node:assert/strict';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../test/process.ts';
import { removeLeftovers } from './pages.ts';

const HOUR_MS = 3_600_000;

test('folders of builds that were killed are removed, and that of a build that runs stays', async () => {
  await using folder = await temporaryFolder();
  const now = 100 * HOUR_MS;
  const given = { dist: 0, 'dist-killed': 99 * HOUR_MS, 'dist-running': now - 60_000, pages: 0 };
  for (const [name, changedMs] of Object.entries(given)) {
    await mkdir(join(folder.path, name, 'new'), { recursive: true });
    await utimes(join(folder.path, name), changedMs / 1_000, changedMs / 1_000);
  }

  await removeLeftovers(folder.path, now);

  assert.deepEqual((await readdir(folder.path)).toSorted(), ['dist', 'dist-running', 'pages']);
});
