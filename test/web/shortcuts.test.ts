import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY } from '../process.ts';

/** The help cannot be opened over a dialog, and arrow keys need no explanation there. */
const OF_DIALOGS = ['web/pages/check/ping-sheet.tsx'];

test('every key of a page is in the table that the help shows', async () => {
  const listening: string[] = [];
  for await (const path of glob('web/{acts,app,pages,ui}/**/*.{ts,tsx}', { cwd: REPOSITORY }))
    if (/addEventListener\('key/.test(await readFile(join(REPOSITORY, path), 'utf8'))) listening.push(path);

  assert.deepEqual(listening.sort(), ['web/app/shortcuts.ts', ...OF_DIALOGS]);
});
