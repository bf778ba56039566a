import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY } from '../process.ts';

/** Shorter ones are no words. */
const MIN_LENGTH = 4;

/** The selectors of a style sheet. */
async function selectorsOf(path: string): Promise<string[]> {
  const rules = (await readFile(join(REPOSITORY, path), 'utf8')).replaceAll(/\/\*.*?\*\//gs, '');
  const selectors = Iterator.from(rules.matchAll(/([^{};]*)\{/g)).flatMap(([, list = '']) => list.split(','));
  return selectors.map((one) => one.trim()).toArray();
}

const sheets = () => Array.fromAsync(glob('web/{app,pages,ui}/**/*.css', { cwd: REPOSITORY }));

test('the class names in style sheets are whole words', async () => {
  const short = new Set<string>();
  let known = 0;
  for (const path of await sheets())
    for (const selector of await selectorsOf(path))
      for (const [, name = ''] of selector.matchAll(/\.([a-z][\w-]*)/gi)) {
        known++;
        if (name.length < MIN_LENGTH) short.add(`${path}: .${name}`);
      }

  assert.deepEqual([...short], []);
  assert.ok(known > 0);
});

/** The files that a component loads, directly or by others, and itself. */
function loadedBy(path: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set([path]);
  for (const one of found) for (const other of imports.get(one) ?? []) found.add(other);
  return found;
}

/** Style sheets stay in the browser after the page that has loaded them. */
test('a class that a page styles by itself is used on no page without this style sheet', async () => {
  const imports = new Map<string, readonly string[]>();
  const classes = new Map<string, Set<string>>();
  for await (const path of glob('web/{app,pages,ui}/**/*.tsx', { cwd: REPOSITORY })) {
    const text = await readFile(join(REPOSITORY, path), 'utf8');
    const named = Iterator.from(text.matchAll(/(?:from |import )'(\.[^']+)'/g));
    imports.set(path, named.map(([, to = '']) => normalize(join(dirname(path), to))).toArray());
    const used = Iterator.from(text.matchAll(/className=(?:"([^"]*)"|\{((?:[^{}]|\{[^{}]*\})*)\})/g));
    classes.set(
      path,
      new Set(
        used.flatMap(
          ([, plain, code]) => (plain ?? code ?? '').replaceAll(/\$\{\w+\}/g, '').match(/[\w-]+/g) ?? [],
        ),
      ),
    );
  }
  const loaded = new Map([...imports.keys()].map((path) => [path, loadedBy(path, imports)]));
  const strangers: string[] = [];
  for (const sheet of await sheets()) {
    if (sheet.startsWith('web/ui/')) continue;
    const first = (await selectorsOf(sheet)).map((selector) => /^\.([\w-]+)/.exec(selector)?.[1]);
    const styled = new Set(first.filter((name) => name !== undefined));
    const users = [...loaded].filter(([, files]) => files.has(sheet));
    for (const [path, used] of classes) {
      const isNear = users.some(([user, files]) => user === path || files.has(path));
      if (!isNear)
        for (const name of used.intersection(styled)) strangers.push(`${path}: ${name} of ${sheet}`);
    }
  }

  assert.deepEqual(strangers, []);
  assert.ok(loaded.size > 0);
});
