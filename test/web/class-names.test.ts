import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY } from '../process.ts';

/** Shorter ones are no words. */
const MIN_LENGTH = 4;

test('the class names in style sheets are whole words', async () => {
  const short = new Set<string>();
  let known = 0;
  for await (const path of glob('web/{app,pages,ui}/**/*.css', { cwd: REPOSITORY })) {
    const rules = (await readFile(join(REPOSITORY, path), 'utf8')).replaceAll(/\/\*.*?\*\//gs, '');
    for (const [, selector = ''] of rules.matchAll(/([^{};]*)\{/g))
      for (const [, name = ''] of selector.matchAll(/\.([a-z][\w-]*)/gi)) {
        known++;
        if (name.length < MIN_LENGTH) short.add(`${path}: .${name}`);
      }
  }

  assert.deepEqual([...short], []);
  assert.ok(known > 0);
});
