import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

const PAGE = new URL('../docs/asvs.md', import.meta.url);
const LINK = /\[([^\]]+)\]\((\.\.\/[^)]+\.test\.ts)\)/g;

test('every test that the review against ASVS names is there', async () => {
  const page = await readFile(PAGE, 'utf8');
  const named = [...page.matchAll(LINK)].map(([, name = '', path = '']) => ({ name, path }));

  assert.ok(named.length > 50, 'the tests were found');
  for (const { name, path } of named) {
    const code = await readFile(new URL(path, PAGE), 'utf8');
    assert.ok(code.includes(name), `${path}: ${name}`);
  }
});

test('the review gives each requirement of level 1 and 2 a line', async () => {
  const page = await readFile(PAGE, 'utf8');
  const numbers = [...page.matchAll(/^\| ([\d., ]+) \|/gm)].flatMap(([, text = '']) => text.split(', '));

  // The numbers of level 1 and 2 in ASVS 5.0.0: chapters 6 to 8.
  const through = (section: string, last: number) =>
    Array.from({ length: last }, (_, index) => `${section}.${index + 1}`);
  const expected = [
    ...[...through('6.1', 3), ...through('6.2', 12), ...through('6.3', 4), ...through('6.4', 4)],
    ...[...through('6.5', 5), ...through('6.6', 3), ...through('6.8', 4)],
    ...[...through('7.1', 3), ...through('7.2', 4), ...through('7.3', 2), ...through('7.4', 5)],
    ...[...through('7.5', 2), ...through('7.6', 2)],
    ...[...through('8.1', 2), ...through('8.2', 3), '8.3.1', '8.4.1'],
  ];
  assert.deepEqual(new Set(expected).difference(new Set(numbers)), new Set());
});
