import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const FOLDER = join(import.meta.dirname, '../docs/decisions');

test('the index has a line for each decision, with its date and the decisions that changed it', async () => {
  const records = (await readdir(FOLDER)).filter((name) => /^\d{4}/.test(name)).toSorted();
  const expected = records.map(async (name) => {
    const text = await readFile(join(FOLDER, name), 'utf8');
    const changedBy = [...text.matchAll(/^Changed by \[(\d{4})\]/gm)].map(([, number]) => number);
    const changes = changedBy.length === 0 ? '' : ` Changed by ${changedBy.toSorted().join(', ')}.`;
    return [name, /^Date: (.+)$/m.exec(text)?.[1], changes];
  });

  const index = await readFile(join(FOLDER, 'README.md'), 'utf8');
  const lines = index.matchAll(/^- \[\d{4}\]\((.+?)\), (\S+): .+?( Changed by [\d, ]+\.)?$/gm);
  const listed = Array.from(lines, ([, name, date, changes = '']) => [name, date, changes]);
  assert.deepEqual(listed.toSorted(), await Promise.all(expected));
});
