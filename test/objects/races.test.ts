import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectKey } from '../../src/objects/object-key.ts';
import { deleteCheck } from '../../src/services/check/checks.ts';
import { type Actor, systemActor } from '../../src/services/core/actor.ts';
import type { Deps } from '../../src/services/core/deps.ts';
import { moveBodies } from '../../src/services/ping/bodies.ts';
import type { Store, Writes } from '../../src/storage/store.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import {
  deleteAll,
  givenPingedCheck,
  longBody,
  moveAll,
  type PingedCheck,
  pruneAll,
  withObjects,
} from './bodies.ts';
import { brokenStore, MemoryStore } from './memory-store.ts';

/** The duration of a claim: after it the work of a process that died is anybody's. */
const CLAIM = { minutes: 15 };

/** The services of a process that is killed instead of beginning the given transaction, counted from one. */
function killedBefore(deps: Deps, fatal: number): Deps {
  let count = 0;
  const store: Store = {
    ...deps.store,
    transaction: async <T>(work: (tx: Writes) => Promise<T>) => {
      if (++count === fatal) throw new Error('killed');
      return deps.store.transaction(work);
    },
  };
  return { ...deps, store };
}

const inDatabase = async (app: TestApp, { check }: PingedCheck, n: number) =>
  (await app.deps.store.pings.body(check.id, n)) !== null;

/** Bodies and deletions that wait for their turn, whenever that is. */
async function waiting({ deps }: TestApp): Promise<number> {
  const { bodies } = deps.store;
  const moves = await bodies.dueMoves(Number.MAX_SAFE_INTEGER, 1_000);
  return moves.length + ((await bodies.dueDeletion(Number.MAX_SAFE_INTEGER)) === null ? 0 : 1);
}

/** An upload that has begun, and goes on when it is told to. */
function heldUpload(objects: MemoryStore): { begun: Promise<void>; next: () => void } {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  objects.beforePut = () => {
    begun.resolve();
    return released.promise;
  };
  return { begun: begun.promise, next: released.resolve };
}

forEachEngine((engine) => {
  const start = (objects: MemoryStore | null) => startTestApp(engine, {}, {}, objects);

  test('without object storage nothing is queued, and long bodies stay', async () => {
    await using app = await start(null);
    const pinged = await givenPingedCheck(app);

    await pinged.ping(longBody(1));

    assert.equal(await waiting(app), 0);
    assert.equal((await pinged.body(1)).text, longBody(1));

    await app.deps.store.transaction((tx) => tx.checks.delete(pinged.check));

    assert.equal(await waiting(app), 0, 'there is no object to remove');
  });

  test('bodies that were queued wait while storage is turned off, and move when it is on again', async () => {
    const objects = new MemoryStore();
    await using app = await start(objects);
    const pinged = await givenPingedCheck(app);
    await pinged.ping(longBody(1));

    assert.deepEqual(await moveBodies(withObjects(app, null)), { done: 0, failures: [] });
    assert.equal(await waiting(app), 1);

    await moveAll(app.deps);
    assert.deepEqual([...objects.objects.keys()], [objectKey(pinged.check.uuid, 1)]);
    assert.equal(await waiting(app), 0);
  });

  test('of several nodes that move at once, each body is uploaded by one', async () => {
    const objects = new MemoryStore();
    await using app = await start(objects);
    const [one, two] = [await givenPingedCheck(app), await givenPingedCheck(app)];
    for (const { ping } of [one, two]) await ping(...Array.from({ length: 50 }, (_, n) => longBody(n)));

    await Promise.all(Array.from({ length: 4 }, () => moveAll(app.deps)));
    await moveAll(app.deps);

    assert.equal(objects.puts.length, 100);
    assert.equal(new Set(objects.puts).size, 100);
    assert.equal(await waiting(app), 0);
  });

  test('a process killed at any point of a move loses nothing, and another finishes after the claim', async () => {
    for (const fatal of [1, 2]) {
      const objects = new MemoryStore();
      await using app = await start(objects);
      const pinged = await givenPingedCheck(app);
      await pinged.ping(longBody(1));

      await assert.rejects(moveBodies(killedBefore(app.deps, fatal)), /killed/);
      assert.equal(objects.puts.length, fatal - 1);
      assert.equal((await pinged.body(1)).text, longBody(1));
      assert.equal(await inDatabase(app, pinged, 1), true);

      if (fatal === 2) assert.deepEqual(await moveBodies(app.deps), { done: 0, failures: [] });
      app.clock.advance(CLAIM);
      await moveAll(app.deps);
      assert.equal(await inDatabase(app, pinged, 1), false);
      assert.equal((await pinged.body(1)).text, longBody(1));
      assert.equal(await waiting(app), 0);
    }
  });

  test('while storage refuses, bodies are tried some at a time, later and later', async () => {
    await using app = await start(new MemoryStore());
    const broken = withObjects(app, brokenStore);
    const pinged = await givenPingedCheck(app);
    await pinged.ping(...Array.from({ length: 20 }, (_, n) => longBody(n)));

    const { done, failures } = await moveBodies(broken);
    assert.equal(done, 0);
    assert.ok(failures.length <= 8, 'no more than there are seats');
    assert.deepEqual(await moveBodies(broken), { done: 0, failures: [] }, 'all of them rest');

    for (const pause of [10, 20, 40, 80]) {
      app.clock.advance({ seconds: pause - 1 });
      assert.deepEqual((await moveBodies(broken)).failures, [], `not yet ${pause} seconds`);
      app.clock.advance({ seconds: 1 });
      assert.notDeepEqual((await moveBodies(broken)).failures, [], `${pause} seconds`);
    }
    app.clock.advance({ minutes: 15 });
    assert.deepEqual(await moveAll(app.deps), []);
    assert.equal(await waiting(app), 0);
  });

  test('a body that is pruned before it moved disappears from the queue', async () => {
    const objects = new MemoryStore();
    await using app = await start(objects);
    const pinged = await givenPingedCheck(app, { checks: 5, pings: 10 });
    await pinged.ping(...Array.from({ length: 100 }, (_, n) => longBody(n + 1)));

    await pruneAll(app.deps);
    await moveAll(app.deps);

    assert.deepEqual(
      objects.puts.sort(),
      numbers(91, 100)
        .map((n) => objectKey(pinged.check.uuid, n))
        .sort(),
    );
    assert.equal(await waiting(app), 0);
  });

  test('an upload that ends after its ping was pruned leaves no object', async () => {
    const objects = new MemoryStore();
    await using app = await start(objects);
    const pinged = await givenPingedCheck(app, { checks: 5, pings: 10 });
    await pinged.ping(longBody(1));
    const { begun, next } = heldUpload(objects);

    const moving = moveBodies(app.deps);
    await begun;
    await pinged.ping(...Array<null>(99).fill(null));
    await pruneAll(app.deps);
    await deleteAll(app.deps);
    next();
    await moving;

    assert.equal(objects.objects.size, 1, 'it came after all');
    app.clock.advance(CLAIM);
    await deleteAll(app.deps);
    assert.equal(objects.objects.size, 0);
    assert.equal(await waiting(app), 0);
  });

  test('an upload that ends after its check was deleted leaves no object, even if the process dies then', async () => {
    for (const isKilled of [false, true]) {
      const objects = new MemoryStore();
      await using app = await start(objects);
      const { check, given, ping } = await givenPingedCheck(app);
      await ping(longBody(1));
      const { begun, next } = heldUpload(objects);

      const moving = moveBodies(isKilled ? killedBefore(app.deps, 2) : app.deps);
      await begun;
      const actor: Actor = systemActor(given.project.id);
      await deleteCheck(app.deps, actor, check.id);
      await deleteAll(app.deps);
      next();
      if (isKilled) await assert.rejects(moving, /killed/);
      else await moving;

      assert.equal(objects.objects.size, 1, 'it came after all');
      app.clock.advance(CLAIM);
      await deleteAll(app.deps);
      assert.equal(objects.objects.size, 0);
      assert.equal(await waiting(app), 0);
    }
  });
});

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
