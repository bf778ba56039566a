import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startProcess } from '../../test/process.ts';
import { STALLED, type WatchedThread } from './watchdog.ts';

async function exitOf(thread: WatchedThread, way: string) {
  const program = import.meta.filename.replace('.test.ts', '.test-support.ts');
  await using running = startProcess(process.execPath, [program, thread, way], { cwd: import.meta.dirname });
  return await running.exit();
}

suite('the watchdog', { concurrency: true }, () => {
  for (const thread of ['main', 'writer'] as const) {
    test(`ends a process whose ${thread} thread loops, and shows where`, async () => {
      const { code, stderr } = await exitOf(thread, 'loops');

      assert.equal(code, STALLED, stderr);
      assert.match(stderr, new RegExp(`^The ${thread} thread has not turned`, 'm'));
      assert.match(stderr, /^ {4}at loops \(file:.+:\d+:\d+\)$/m);
    });
  }

  test('ends a process that hangs outside of JavaScript, where no stack can be seen', async () => {
    const { code, stderr } = await exitOf('writer', 'queries');

    assert.equal(code, STALLED, stderr);
    assert.match(stderr, /it waits outside of JavaScript/);
  });
});
