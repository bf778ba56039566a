import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Processes } from '../processes.ts';
import { MemoryFiles } from './files.test-support.ts';
import { takeLock } from './lock.ts';

/** What a process sees of which these are alive. */
function seenBy(ownId: number, alive: ReadonlySet<number>, bootId = 'a-b') {
  const processes: Processes = {
    identify: async (processId) => (alive.has(processId) ? { processId, startedAt: '7', bootId } : null),
  };
  return { processes, ownId, random };
}

let randoms = 0;
const random = () => (randoms++).toString(16);

suite('the lock of a folder', () => {
  test('is had by one process, until it gives it back', async () => {
    const files = new MemoryFiles();
    const alive = new Set([1, 2]);
    const release = await takeLock(files, '/spool', seenBy(1, alive));
    assert.ok(release);
    assert.equal(await takeLock(files, '/spool', seenBy(2, alive)), null);
    await release();
    assert.ok(await takeLock(files, '/spool', seenBy(2, alive)));
  });

  test('of a process that died, or of an earlier boot, does not hold', async () => {
    const files = new MemoryFiles();
    await takeLock(files, '/spool', seenBy(1, new Set([1])));
    await takeLock(files, '/spool', seenBy(2, new Set([2]), 'c-d'));
    const release = await takeLock(files, '/spool', seenBy(3, new Set([2, 3])));
    assert.ok(release);
    await release();
    assert.deepEqual(await files.list('/spool'), []);
  });

  test('is never had by two, whatever order their steps come in', async () => {
    for (let order = 0; order < 1 << 8; order += 1) {
      const files = new MemoryFiles();
      const alive = new Set([1, 2]);
      const turns = [new Turns(files), new Turns(files)] as const;
      const tries = turns.map((turn, nth) =>
        turn.run((own) => takeLock(own, '/spool', seenBy(nth + 1, alive))),
      );
      for (let step = 0; step < 8; step += 1) await turns[(order >> step) & 1 ? 1 : 0].step();
      for (const turn of turns) await turn.finish();
      const held = (await Promise.all(tries)).filter((release) => release !== null);
      assert.ok(held.length <= 1, `order ${order.toString(2)}`);
    }
  });
});

/** Lets one of several users of the same files go on by one call at a time. */
class Turns {
  readonly #files: MemoryFiles;
  #next: (() => void) | null = null;
  #isDone = false;

  constructor(files: MemoryFiles) {
    this.#files = files;
  }

  async run<T>(use: (files: MemoryFiles) => Promise<T>): Promise<T> {
    const waiting = new Proxy(this.#files, {
      get: (files, name) => {
        const value = Reflect.get(files, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          await new Promise<void>((resolve) => {
            this.#next = resolve;
          });
          return await Reflect.apply(value, files, args);
        };
      },
    });
    try {
      return await use(waiting);
    } finally {
      this.#isDone = true;
    }
  }

  async step(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#next?.();
    this.#next = null;
    await new Promise((resolve) => setImmediate(resolve));
  }

  async finish(): Promise<void> {
    while (!this.#isDone) await this.step();
  }
}
