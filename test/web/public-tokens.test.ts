import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { TOKENS_STYLE } from '../../src/http/public/tokens-style.ts';
import { REPOSITORY } from '../process.ts';

const tokensIn = (css: string) =>
  new Map([...css.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', hex = '']) => [name, hex]));

test('pages for outsiders have the colours of the dashboard', async () => {
  const [light = '', dark = ''] = (await readFile(join(REPOSITORY, 'web/ui/tokens.css'), 'utf8')).split(
    '[data-theme="dark"]',
  );
  const [, publicLight = '', publicDark = ''] = TOKENS_STYLE.split('color-scheme: ');
  for (const [own, others] of [
    [publicLight, light],
    [publicDark, dark],
  ] as const) {
    const known = tokensIn(others);
    for (const [name, hex] of tokensIn(own)) assert.equal(hex, known.get(name), name);
  }
});
