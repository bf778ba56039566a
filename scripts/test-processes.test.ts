import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { REPOSITORY, temporaryFolder } from '../test/process.ts';
import { ALONE, prepareProcesses, testProcesses } from './test-processes.ts';

const files = globSync('{src,scripts,test,web}/**/*.test.{ts,tsx}', { cwd: REPOSITORY }).toSorted();
const isLong = (file: string) => file.endsWith('.long.test.ts');

test('every file of tests runs in one process, and no process is without any', () => {
  const { together, alone } = testProcesses(REPOSITORY, 'short');
  const long = testProcesses(REPOSITORY, 'long');

  assert.deepEqual([...together.flat(), ...alone, ...long.alone].toSorted(), files);
  assert.ok(together.every((shared) => shared.length > 1));
  assert.ok([...together.flat(), ...alone].every((file) => !isLong(file)));
  assert.ok(long.alone.every(isLong));
  assert.deepEqual(long.together, []);
});

test('what is said to run alone is there', () => {
  for (const pattern of ALONE) assert.ok(globSync(pattern, { cwd: REPOSITORY }).length > 0, pattern);
});

test('a file with a hook outside of suites runs alone, because it would hold for the others', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'src/domain'), { recursive: true });
  const write = (name: string, text: string) => writeFile(join(folder.path, 'src/domain', name), text);
  await write('open.test.ts', 'beforeEach(() => reset());\n');
  await write('closed.test.ts', "suite('one', () => {\n  beforeEach(() => reset());\n});\n");

  const { together, alone } = testProcesses(folder.path, 'short');

  assert.deepEqual(together.flat(), ['src/domain/closed.test.ts']);
  assert.deepEqual(alone, ['src/domain/open.test.ts']);
});

for (const [form, first] of [
  ['short', /cli\.test\.ts$/],
  ['long', /mutations\.long\.test\.ts$/],
] as const) {
  test(`what is started loads every ${form} file once, beginning with those that take long`, async () => {
    await using folder = await temporaryFolder();

    const started = prepareProcesses(REPOSITORY, folder.path, form);

    const texts = await Promise.all(started.map((path) => readFile(path, 'utf8')));
    const loaded = texts.flatMap((text) => text.match(/file:[^"\s]+/g) ?? []);
    const wanted = files.filter((file) => isLong(file) === (form === 'long'));
    assert.deepEqual(
      loaded.toSorted(),
      wanted.map((file) => pathToFileURL(join(REPOSITORY, file)).href).toSorted(),
    );
    assert.match(loaded[0] ?? '', first);
    assert.deepEqual(started, started.toSorted(), 'the runner starts them in the order of their names');
  });
}
