import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { acts } from '../../web/messages/en/acts.ts';
import { REPOSITORY } from '../process.ts';

/** The names of acts in services: as a field, or as an argument of a function that records. */
const RECORDED = [/\baction: '([a-z_]+\.[a-z_]+)'/g, /\brecord\w*\(deps, tx, [\w.]+, '([a-z_]+\.[a-z_]+)'/g];

test('the pages have words for every act that services record', async () => {
  const folder = join(REPOSITORY, 'src/services');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const recorded = new Set(
    texts.flatMap((text) =>
      RECORDED.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name)),
    ),
  );

  assert.ok(recorded.size > 60);
  assert.deepEqual(
    [...recorded].filter((name) => !(name in acts)),
    [],
  );
});
