import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY } from '../process.ts';

/** The help cannot be opened over a dialog, and arrow keys need no explanation there. */
const OF_DIALOGS = ['web/pages/check/ping-sheet.tsx'];

/** Parts of pages with keys that everybody knows from such parts. */
const OF_WIDGETS = [
  'web/app/palette/palette.tsx',
  'web/pages/account/profile.tsx',
  'web/pages/checks/filter-bar.tsx',
  'web/pages/checks/list.tsx',
  'web/ui/menu.tsx',
  'web/ui/run-pointer.tsx',
  'web/ui/tabs.tsx',
];
const KEYS_OF_WIDGETS = /^(Arrow(Up|Down|Left|Right)|Home|End|Enter|Escape)$/;

const sources = () => glob('web/{acts,app,pages,ui}/**/*.{ts,tsx}', { cwd: REPOSITORY });

test('every key of a page is in the table that the help shows', async () => {
  const listening: string[] = [];
  for await (const path of sources())
    if (/addEventListener\('key/.test(await readFile(join(REPOSITORY, path), 'utf8'))) listening.push(path);

  assert.deepEqual(listening.sort(), ['web/app/shortcuts.ts', ...OF_DIALOGS]);
});

test('a part of a page has no keys but those that such parts have everywhere', async () => {
  const parts: string[] = [];
  for await (const path of sources()) {
    const text = await readFile(join(REPOSITORY, path), 'utf8');
    if (!/\bonKeyDown[=:]/.test(text) || path.endsWith('.test.tsx')) continue;
    parts.push(path);
    const keys = [...text.matchAll(/\bkey === '([^']+)'|\b((?:Arrow|Page)\w+|Home|End): /g)].map(
      ([, compared, listed]) => compared ?? listed ?? '',
    );
    assert.deepEqual(
      keys.filter((key) => !KEYS_OF_WIDGETS.test(key)),
      [],
      path,
    );
  }

  assert.deepEqual(parts.sort(), OF_WIDGETS);
});
