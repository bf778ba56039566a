import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bundleClient, bundleCompanion } from '../../scripts/companion.ts';
import { until } from '../waiting.ts';
import { buildCompanion, REPOSITORY } from './built.ts';
import { endInput, type Place, place } from './wrapper.ts';

test('the bundles are the same, byte for byte, wherever they are built', async () => {
  await using here = await place();
  const [one, other] = [join(here.folder, 'one'), join(here.folder, 'below/another')];
  for (const folder of [one, other]) {
    await bundleCompanion(join(folder, 'companion'));
    await bundleClient(join(folder, 'client'));
  }

  const names = (await readdir(one, { recursive: true })).filter((name) => name.endsWith('.js'));
  assert.ok(names.includes('companion/main.js') && names.includes('client/client.js'));
  assert.deepEqual(
    (await readdir(other, { recursive: true })).filter((name) => name.endsWith('.js')),
    names,
  );
  for (const name of names) {
    const bytes = await readFile(join(one, name), 'utf8');
    assert.equal(bytes, await readFile(join(other, name), 'utf8'), name);
    assert.ok(!bytes.includes(REPOSITORY), name);
  }
});

interface Loaded {
  /** Files of the package and modules of Node, in the order in which they were asked for. */
  readonly beforeJob: readonly string[];
  readonly besideJob: readonly string[];
  /** All of Node's modules that were there when the job was started, also those that others need. */
  readonly nodeBeforeJob: readonly string[];
}

/** Notes each module, and the first process that is started. */
const NOTE = `
  const { appendFileSync } = require('node:fs');
  const note = (kind, text) => appendFileSync(process.env.LOADED, kind + ' ' + text + '\\n');
  const processes = require('node:child_process');
  const { spawn } = processes;
  processes.spawn = (...args) => {
    note('job', process.moduleLoadList.join());
    return spawn(...args);
  };
  require('node:module').registerHooks({
    load(url, context, next) {
      note('load', url);
      return next(url, context);
    },
  });`;

async function loadedBy(here: Place, args: readonly string[]): Promise<Loaded> {
  const packed = join(here.folder, 'package');
  const program = await buildCompanion(packed);
  const [list, hook] = [join(here.folder, 'loaded'), join(here.folder, 'note.cjs')];
  await writeFile(hook, NOTE);
  const { code, stderr } = await here.run(args, {
    node: [process.execPath, '--require', hook, program],
    environment: { LOADED: list },
  });
  assert.deepEqual([code, stderr], [0, '']);
  const notes = (await readFile(list, 'utf8')).trimEnd().split('\n');
  const started = notes.findIndex((note) => note.startsWith('job '));
  const modules = (some: readonly string[]) =>
    some.flatMap((note) =>
      note.startsWith('load ') ? [note.slice(5).replace(`file://${packed}/`, '')] : [],
    );
  return {
    beforeJob: modules(notes.slice(0, started)),
    besideJob: modules(notes.slice(started)),
    nodeBeforeJob: notes[started]?.slice(4).split(',') ?? [],
  };
}

test('a run loads one file before its job, one beside it, and nothing of the service', async () => {
  await using here = await place();

  const { beforeJob, besideJob, nodeBeforeJob } = await loadedBy(here, ['--', 'true']);

  assert.deepEqual(beforeJob.toSorted(), [
    'bin/companion.cjs',
    'bin/tocsin.cjs',
    'dist/companion/main.js',
    'node:child_process',
    'node:fs',
    'node:net',
    'node:os',
    'node:path',
    'node:tty',
  ]);
  assert.deepEqual(
    besideJob.filter((name) => !name.startsWith('node:')),
    ['dist/companion/beside-job.js'],
  );
  const heavy = ['crypto', 'http', 'https', 'tls', 'dns', 'zlib', 'worker_threads', 'fs/promises'];
  assert.deepEqual(
    heavy.filter((name) => nodeBeforeJob.includes(`NativeModule ${name}`)),
    [],
  );
  const secure = ['node:crypto', 'node:https', 'node:tls'];
  assert.deepEqual(
    secure.filter((name) => besideJob.includes(name)),
    [],
  );
  assert.deepEqual(here.pings(), ['/start', '']);
});

test('a job whose wrapper has lost its other files is run to its end', async () => {
  await using here = await place();
  const packed = join(here.folder, 'package');
  const program = await buildCompanion(packed);
  await rm(join(packed, 'dist/companion/beside-job.js'));

  const ended = await here.run(['-c', 'echo out; echo err >&2; exit 3'], {
    node: [process.execPath, program],
  });

  assert.deepEqual([ended.code, ended.stdout.toString()], [3, 'out\n']);
  assert.match(ended.stderr, /^tocsin: the rest of tocsin cannot be loaded: /m);
  assert.match(ended.stderr, /^err$/m);
});

test('a run ends as it should although its package is gone by then', async () => {
  await using here = await place();
  const packed = join(here.folder, 'package');
  const node = [process.execPath, await buildCompanion(packed)];

  const args = ['--pass-fd', '3', '--expect-file', 'made', '-c', 'read go <&3; echo text > made'];
  const wrapper = here.start(args, { node, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  await until('the start has come', () => here.pings().length === 1);
  await rm(packed, { recursive: true });
  endInput(wrapper, 'go\n');

  const { code, stderr } = await wrapper.ended;
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(here.pings(), ['/start', '']);
});
