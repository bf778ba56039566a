import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import type { Identity, Processes } from '../processes.ts';
import { type Lock, type LockRequest, lockFolder, takeLock } from './lock.ts';

const root = mkdtempSync(join(tmpdir(), 'lock-'));
after(() => rmSync(root, { recursive: true }));
const NOW = new Date('2026-11-18T12:00:00.000Z');
let folders = 0;

/** A machine of its own: a folder for locks, and the processes that live. */
class Machine implements Processes {
  readonly folder = join(root, String(folders++));
  readonly #alive = new Map<number, Identity>();

  live(...ids: number[]): this {
    for (const id of ids) this.#alive.set(id, { processId: id, startedAt: `start of ${id}`, bootId: 'one' });
    return this;
  }

  /** Another process gets the number of one that has ended. */
  reuse(id: number): void {
    this.#alive.set(id, { processId: id, startedAt: 'later', bootId: 'one' });
  }

  reboot(): void {
    for (const [id, one] of this.#alive) this.#alive.set(id, { ...one, bootId: 'two' });
  }

  kill(id: number): void {
    this.#alive.delete(id);
  }

  async identify(processId: number): Promise<Identity | null> {
    return this.#alive.get(processId) ?? null;
  }

  take(ownId: number, name = 'backup', more: Partial<LockRequest> = {}) {
    const userId = process.getuid?.() ?? null;
    return takeLock({ folder: this.folder, name, userId, ownId, now: NOW, processes: this, ...more });
  }

  async taken(ownId: number, name?: string): Promise<Lock> {
    const locking = await this.take(ownId, name);
    assert.equal(locking.kind, 'taken');
    return locking.kind === 'taken' ? locking.lock : assert.fail();
  }
}

suite('a lock', () => {
  test('is held by one at a time, and tells since when and by whom', async () => {
    const machine = new Machine().live(1, 2);
    const lock = await machine.taken(1);
    assert.deepEqual(await machine.take(2), { kind: 'held', since: NOW.toISOString(), processId: 1 });
    await machine.taken(2, 'another name');

    await lock.release();

    await machine.taken(2);
  });

  test('goes to one of many that ask at once', async () => {
    const ids = Array.from({ length: 10 }, (_, nth) => nth + 1);
    const machine = new Machine().live(...ids);
    const kinds = (await Promise.all(ids.map((id) => machine.take(id)))).map(({ kind }) => kind);
    assert.deepEqual(kinds.toSorted(), [...Array(9).fill('held'), 'taken']);
    assert.deepEqual(readdirSync(machine.folder), ['backup.lock']);
  });

  test('of the dead goes to one of many that ask at once', async () => {
    const machine = new Machine().live(99);
    await machine.taken(99);
    machine.kill(99);
    const ids = Array.from({ length: 10 }, (_, nth) => nth + 1);
    machine.live(...ids);
    const kinds = (await Promise.all(ids.map((id) => machine.take(id)))).map(({ kind }) => kind);
    assert.equal(kinds.filter((kind) => kind === 'taken').length, 1, kinds.join());
  });

  test('is held as long as the job lives, although its wrapper is dead', async () => {
    const machine = new Machine().live(1, 2, 7);
    await (await machine.taken(1)).hand(7);
    machine.kill(1);
    assert.deepEqual(await machine.take(2), { kind: 'held', since: NOW.toISOString(), processId: 7 });

    machine.kill(7);

    await machine.taken(2);
  });

  test('is not held by another process with the same number, nor after the machine has started anew', async () => {
    const machine = new Machine().live(1, 2);
    await machine.taken(1);
    machine.reuse(1);
    await machine.taken(2);
    machine.reboot();
    await machine.taken(1);
  });

  test('that nobody can read, or whose remover died, keeps nobody out', async () => {
    const machine = new Machine().live(1, 2);
    await (await machine.taken(1)).release();
    writeFileSync(join(machine.folder, 'backup.lock'), '{"since":');
    writeFileSync(join(machine.folder, 'backup.lock.removing'), '');
    await machine.taken(2);
    assert.deepEqual(readdirSync(machine.folder), ['backup.lock']);
  });

  test('has a file that only its user can read, and no name leads out of the folder', async () => {
    const machine = new Machine().live(1);
    await machine.taken(1, '../../etc/x y');
    assert.deepEqual(readdirSync(machine.folder), ['..%2F..%2Fetc%2Fx%20y.lock']);
    const file = join(machine.folder, '..%2F..%2Fetc%2Fx%20y.lock');
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).wrapper.processId, 1);
  });

  test('is not made in a folder of others, or where others may write', async () => {
    const machine = new Machine().live(1);
    await (await machine.taken(1)).release();
    const others = await machine.take(1, 'backup', { userId: 4_000_000 });
    assert.equal(others.kind, 'faulty');
    chmodSync(machine.folder, 0o777);
    const open = await machine.take(1);
    assert.deepEqual(open, {
      kind: 'faulty',
      reason: `${machine.folder} belongs to others, or others may write there`,
    });
    assert.deepEqual(readdirSync(machine.folder), []);
  });

  test('is faulty where there can be no folder', async () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    const { kind } = await new Machine().live(1).take(1, 'backup', { folder: join(file, 'below') });
    assert.equal(kind, 'faulty');
  });
});

test('locks are in the folder of the system, of the session or of the user', () => {
  const inSession = { XDG_RUNTIME_DIR: '/run/user/7' };
  assert.equal(lockFolder({ environment: inSession, userId: 0 }, '/tmp'), '/run/tocsin');
  assert.equal(lockFolder({ environment: inSession, userId: 7 }, '/tmp'), '/run/user/7/tocsin');
  assert.equal(lockFolder({ environment: {}, userId: 7 }, '/tmp'), '/tmp/tocsin-7');
  assert.equal(lockFolder({ environment: {}, userId: null }, '/tmp'), '/tmp/tocsin-user');
});
