import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { stopWithParent, stopWithStarter } from '../bin/stop-with-parent.js';
import { REPOSITORY, temporaryFolder } from './process.ts';

const PARENT = 4_711;
const ANOTHER = 1;

/** A process whose parent ends when the test says so. */
function given(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  let ppid = PARENT;
  t.mock.timers.enable({ apis: ['setInterval'] });
  const property = Object.getOwnPropertyDescriptor(process, 'ppid') ?? {};
  Object.defineProperty(process, 'ppid', { configurable: true, get: () => ppid });
  const kill = t.mock.method(process, 'kill', () => true);
  const before = process.env;
  process.env = { PATH: before.PATH, ...env };
  t.after(() => {
    process.env = before;
    Object.defineProperty(process, 'ppid', property);
  });
  return {
    loseParent: () => {
      ppid = ANOTHER;
    },
    /** The signals it has sent itself, many looks later. */
    signals: () => {
      for (let looks = 0; looks < 10; looks++) t.mock.timers.tick(1_000);
      return kill.mock.calls.map(({ arguments: [pid, signal] }) => (pid === process.pid ? signal : pid));
    },
  };
}

test('a process asks itself to stop when its parent has ended, once, and not before', (t) => {
  const { loseParent, signals } = given(t);

  stopWithParent();

  assert.deepEqual(signals(), []);
  loseParent();
  assert.deepEqual(signals(), ['SIGTERM']);
  assert.deepEqual(signals(), ['SIGTERM']);
});

test('a program that npm did not start goes on without its parent', (t) => {
  const { loseParent, signals } = given(t);

  stopWithStarter();
  loseParent();

  assert.deepEqual(signals(), []);
});

test('a program that a script of another package started goes on without its parent', async (t) => {
  await using other = await temporaryFolder();
  const { loseParent, signals } = given(t, { npm_package_json: join(other.path, 'package.json') });

  stopWithStarter();
  loseParent();

  assert.deepEqual(signals(), []);
});

test('a program that npm started from this checkout ends with it, whatever path led there', async (t) => {
  await using elsewhere = await temporaryFolder();
  await symlink(REPOSITORY, join(elsewhere.path, 'link'));
  const { loseParent, signals } = given(t, { npm_package_json: join(elsewhere.path, 'link/package.json') });

  stopWithStarter();
  loseParent();

  assert.deepEqual(signals(), ['SIGTERM']);
});

test('a program whose launcher ended before it looked for the first time ends as well', (t) => {
  const { loseParent, signals } = given(t, { TOCSIN_LAUNCHER: String(PARENT) });

  loseParent();
  stopWithStarter();

  assert.equal(process.env.TOCSIN_LAUNCHER, undefined);
  assert.deepEqual(signals(), ['SIGTERM']);
});
