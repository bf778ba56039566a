import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { SHARED_SOURCES } from '../../scripts/pages.ts';
import { REPOSITORY } from '../process.ts';

test('the pages know of the service only what is shared, and the types of its views, its acts and its JSON', async () => {
  const odd: string[] = [];
  let known = 0;
  for await (const path of glob('web/{acts,app,pages,ui,messages}/**/*.{ts,tsx}', { cwd: REPOSITORY })) {
    const source = await readFile(join(REPOSITORY, path), 'utf8');
    for (const [statement, target] of source.matchAll(/^import[^;]*?'([^']*\/src\/[^']*)';/gm)) {
      const isType =
        /^import type /.test(statement) && /\/src\/(views|acts|wire\/dashboard)\//.test(target ?? '');
      const isShared = SHARED_SOURCES.some((shared) => target?.endsWith(`/${shared}`));
      if (isType || isShared) known++;
      else odd.push(`${path}: ${statement}`);
    }
  }

  assert.deepEqual(odd, []);
  assert.ok(known > 0);
});

test('what the pages share with the service imports only what is shared, so that it brings nothing along', async () => {
  for (const path of SHARED_SOURCES) {
    const source = await readFile(join(REPOSITORY, path), 'utf8');
    for (const [, target = ''] of source.matchAll(/^import[^;]*?'([^']*)';/gm))
      assert.ok(SHARED_SOURCES.includes(join(dirname(path), target)), `${path}: ${target}`);
  }
});
