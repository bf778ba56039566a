import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { FakeTiming } from '../../send/timing.test-support.ts';
import type { Left } from '../../spool/left.ts';
import type { Expectation } from './expectation.ts';
import { find, type LeftMemory, look, lookFiles } from './look.ts';

const USUAL: Expectation = { patterns: [], isNew: false, leastBytes: 1, mostShrink: null };
const NO_MEMORY: LeftMemory = { last: async () => [], remember: () => undefined };

/** A folder with files of these sizes, each some seconds newer than the one before. */
async function folderWith(files: Readonly<Record<string, number>>) {
  const folder = await mkdtemp(join(tmpdir(), 'left-'));
  let seconds = 1_000;
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'x'.repeat(bytes));
    await utimes(path, seconds, seconds);
    seconds += 10;
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test('of several files the newest counts', async () => {
  await using here = await folderWith({ 'b/b.dump': 1, 'b/a.dump': 2, 'b/c.txt': 3, 'c/d.dump': 4 });

  const inOne = await find(`${here.folder}/b/*.dump`, lookFiles);
  const inAll = await find(`${here.folder}/*/*.dump`, lookFiles);
  const named = await find(`${here.folder}/b/c.txt`, lookFiles);

  assert.deepEqual(inOne, {
    kind: 'file',
    left: { path: join(here.folder, 'b/a.dump'), bytes: 2, changedMs: 1_010_000 },
  });
  assert.equal(inAll.kind === 'file' && inAll.left.bytes, 4);
  assert.equal(named.kind === 'file' && named.left.bytes, 3);
});

test('what is not there is nothing, also where a folder is missing', async () => {
  await using here = await folderWith({ a: 1 });

  for (const pattern of ['b', '*.dump', 'no/*/x', 'a/b', 'a/*', '*/b']) {
    assert.deepEqual(await find(`${here.folder}/${pattern}`, lookFiles), { kind: 'nothing' }, pattern);
  }
});

test('a relative path begins where the program was started', async () => {
  await using here = await folderWith({ a: 1 });

  const found = await find(`${relative(process.cwd(), here.folder)}/?`, lookFiles);

  assert.equal(found.kind, 'file');
});

test('a link is what it leads to, and a folder all files in it', async () => {
  await using here = await folderWith({ 'd/x': 5, 'd/sub/y': 7, old: 1 });
  await symlink('d', join(here.folder, 'latest'));
  await symlink('nowhere', join(here.folder, 'broken'));
  await symlink('..', join(here.folder, 'd/up'));
  await mkdir(join(here.folder, 'empty'));

  for (const name of ['d', 'd/', 'latest']) {
    const found = await find(`${here.folder}/${name}`, lookFiles);
    assert.deepEqual(
      found.kind === 'file' && [found.left.bytes, found.left.changedMs],
      [12, 1_010_000],
      name,
    );
  }
  assert.deepEqual(await find(`${here.folder}/broken`, lookFiles), { kind: 'nothing' });
  const empty = await find(`${here.folder}/empty`, lookFiles);
  assert.equal(empty.kind === 'file' && empty.left.bytes, 0);
});

test('a folder that may not be read is told', async () => {
  const denied = Object.assign(new Error('denied'), { code: 'EACCES' });
  const files = { ...lookFiles, names: () => Promise.reject(denied) };

  assert.deepEqual(await find('/x/*', files), { kind: 'unknown', reason: 'EACCES' });
  assert.deepEqual(await find('/x', { ...lookFiles, facts: () => Promise.reject(denied) }), {
    kind: 'unknown',
    reason: 'EACCES',
  });
});

test('what all expectations found is remembered, and nothing if one of them is not met', async () => {
  await using here = await folderWith({ a: 3, b: 4 });
  const remembered: ReadonlyMap<string, Left>[] = [];
  const parts = {
    files: lookFiles,
    memory: { ...NO_MEMORY, remember: (left: ReadonlyMap<string, Left>) => void remembered.push(left) },
    timing: new FakeTiming(),
  };
  const patterns = ['a', 'b'].map((name) => `${here.folder}/${name}`);

  const met = await look({ ...USUAL, patterns }, 0, parts);
  const unmet = await look({ ...USUAL, patterns: [...patterns, `${here.folder}/c`] }, 0, parts);

  assert.deepEqual(met, { unmet: [], bytes: 7 });
  assert.deepEqual(unmet, { unmet: [`${here.folder}/c: nothing is there`], bytes: null });
  assert.deepEqual(
    remembered.map((left) => [...left.values()].map(({ bytes }) => bytes)),
    [[3, 4]],
  );
});

test('a memory that hangs makes no failure', async () => {
  await using here = await folderWith({ a: 3 });
  const timing = new FakeTiming();
  const memory: LeftMemory = { last: () => new Promise(() => undefined), remember: () => undefined };
  const expected = { ...USUAL, patterns: [`${here.folder}/a`], mostShrink: 10 };

  const looked = await timing.run(look(expected, 0, { files: lookFiles, memory, timing }));

  assert.deepEqual(looked, { unmet: [], bytes: 3 });
});
