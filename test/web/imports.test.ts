import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY } from '../process.ts';

test('the pages know of the service only limits of texts, and the types of its views, its acts and its JSON', async () => {
  const odd: string[] = [];
  let known = 0;
  for await (const path of glob('web/{app,pages,ui,messages}/**/*.{ts,tsx}', { cwd: REPOSITORY })) {
    const source = await readFile(join(REPOSITORY, path), 'utf8');
    for (const [statement, target] of source.matchAll(/^import[^;]*?'([^']*\/src\/[^']*)';/gm)) {
      const isType =
        /^import type /.test(statement) &&
        /\/src\/((views|acts)\/index|wire\/dashboard\/)/.test(target ?? '');
      const isLimit = target?.endsWith('/src/domain/text-limits.ts');
      if (isType || isLimit) known++;
      else odd.push(`${path}: ${statement}`);
    }
  }

  assert.deepEqual(odd, []);
  assert.ok(known > 0);
});
