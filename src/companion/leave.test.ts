import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { type Leaving, leave, statusOfSignal } from './leave.ts';

const folder = mkdtempSync(join(tmpdir(), 'leave-'));
after(() => rmSync(folder, { recursive: true }));
const MODULE = JSON.stringify(new URL('./leave.ts', import.meta.url).href);

/** How a process ended that has left so. What comes before may hang, or keep a timer. */
async function ended(
  leaving: Leaving,
  isStuck: boolean,
  before = '',
): Promise<[number | null, string | null]> {
  const code = `const { leave } = await import(${MODULE}); ${before}; leave(${JSON.stringify(leaving)}, ${isStuck});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' });
  const [status, signal] = await once(child, 'exit');
  return [status, signal];
}

const exit = (code: number): Leaving => ({ kind: 'exit', code });
const by = (signal: NodeJS.Signals): Leaving => ({ kind: 'signal', signal });
const TIMER = 'setInterval(() => undefined, 1e6)';

suite('the end of a process', { concurrency: 2 }, () => {
  test('has the exit code of the job, whatever still goes on', async () => {
    assert.deepEqual(await ended(exit(0), false, TIMER), [0, null]);
    assert.deepEqual(await ended(exit(255), false, TIMER), [255, null]);
  });

  test('is by the signal that ended the job, also one that Node ignores or that we listen to', async () => {
    assert.deepEqual(await ended(by('SIGKILL'), false, TIMER), [null, 'SIGKILL']);
    assert.deepEqual(await ended(by('SIGPIPE'), false, TIMER), [null, 'SIGPIPE']);
    const listening = `${TIMER}; process.on('SIGTERM', () => undefined)`;
    assert.deepEqual(await ended(by('SIGTERM'), false, listening), [null, 'SIGTERM']);
  });

  test('leaves no core file: the status tells of a signal that would', async () => {
    assert.deepEqual(await ended(by('SIGSEGV'), false, TIMER), [128 + constants.signals.SIGSEGV, null]);
    assert.equal(statusOfSignal('SIGQUIT'), 131);
  });

  test('is told by the status where a signal does not end a process', async () => {
    assert.deepEqual(await ended(by('SIGURG'), false, TIMER), [128 + constants.signals.SIGURG, null]);
  });

  test('comes although a file hangs', { skip: process.platform === 'win32' }, async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Whoever opens it to read waits for somebody who writes. A thread of Node does.
    const hanging = `(await import('node:fs')).readFile(${JSON.stringify(pipe)}, () => undefined);
      await new Promise((resolve) => setTimeout(resolve, 50))`;
    assert.deepEqual(await ended(exit(6), true, hanging), [6, null]);
    assert.deepEqual(await ended(by('SIGTERM'), true, hanging), [null, 'SIGTERM']);
  });

  test('is left to a parent where something hangs, and to nobody else', () => {
    const told: Leaving[] = [];
    leave(exit(6), true, (leaving) => told.push(leaving));
    assert.deepEqual(told, [exit(6)]);
  });
});
