import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { momentAt } from '../ping.test-support.ts';
import { MemoryFiles } from './files.test-support.ts';
import { diskFiles } from './files.ts';
import { type Processes, type ProcessId, realProcesses, startIn, takeLock } from './lock.ts';

/** Processes of which these are alive. */
function processesOf(pid: number, alive: ReadonlySet<number>, bootId = 'a-b'): Processes {
  return {
    self: async () => ({ pid, started: '7', bootId }),
    isAlive: async (id: ProcessId) => id.bootId === bootId && id.started === '7' && alive.has(id.pid),
  };
}

suite('the lock of a folder', () => {
  let randoms = 0;
  const random = () => (randoms++).toString(16);

  test('is had by one process, until it gives it back', async () => {
    const files = new MemoryFiles();
    const alive = new Set([1, 2]);
    const release = await takeLock(files, '/spool', processesOf(1, alive), random);
    assert.ok(release);
    assert.equal(await takeLock(files, '/spool', processesOf(2, alive), random), null);
    await release();
    assert.ok(await takeLock(files, '/spool', processesOf(2, alive), random));
  });

  test('of a process that died, or of an earlier boot, does not hold', async () => {
    const files = new MemoryFiles();
    await takeLock(files, '/spool', processesOf(1, new Set([1])), random);
    await takeLock(files, '/spool', processesOf(2, new Set([2]), 'c-d'), random);
    const release = await takeLock(files, '/spool', processesOf(3, new Set([2, 3])), random);
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
        turn.run((own) => takeLock(own, '/spool', processesOf(nth + 1, alive), random)),
      );
      for (let step = 0; step < 8; step += 1) await turns[(order >> step) & 1 ? 1 : 0].step();
      for (const turn of turns) await turn.finish();
      const held = (await Promise.all(tries)).filter((release) => release !== null);
      assert.ok(held.length <= 1, `order ${order.toString(2)}`);
    }
  });

  test('is told by the start of a process, whatever its name is', () => {
    const fields = Array.from({ length: 30 }, (_, nth) => String(nth + 3));
    assert.equal(startIn(`42 (a) b) c) S ${fields.slice(1).join(' ')}`), '22');
  });

  test('knows the processes of this machine', async () => {
    const machine = { moment: () => momentAt(0) };
    const own = realProcesses(machine, diskFiles, process.pid);
    const self = await own.self();
    assert.equal(await own.isAlive(self), true);
    assert.equal(await own.isAlive({ ...self, bootId: 'another' }), false);
    assert.equal(await own.isAlive({ ...self, pid: 2 ** 22 + 1, started: null }), false);
    if (self.started !== null) assert.equal(await own.isAlive({ ...self, started: '1' }), false);
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
