import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Loop, withRests } from './loop.ts';

test('a loop repeats its tick at once while there is work', async () => {
  const done = Promise.withResolvers<void>();
  let left = 5;
  await using _loop = new Loop(
    async () => {
      if (left === 0) done.resolve();
      return left-- > 0;
    },
    { restMs: 60_000, onError: () => undefined },
  );

  await done.promise;
  assert.ok(left <= 0);
});

test('work with rests is followed by a rest as long as it took, or longer, and a rest of its own stays', async () => {
  let now = 0;
  const answers = [true, false, 250, true];
  const work = async () => {
    now += 7_000;
    return answers.shift() ?? false;
  };
  const tick = withRests(work, { monotonic: () => now });
  const lazy = withRests(work, { monotonic: () => now }, 50);

  assert.deepEqual([await tick(), await tick(), await tick()], [7, false, 250]);
  assert.equal(await lazy(), 350);
});

test('a tick that fails is told, and the loop goes on', async () => {
  const errors: unknown[] = [];
  const again = Promise.withResolvers<void>();
  let ticks = 0;
  await using _loop = new Loop(
    async () => {
      if (++ticks === 2) again.resolve();
      throw new Error(`tick ${ticks}`);
    },
    { restMs: 1, onError: (error) => errors.push(error) },
  );

  await again.promise;
  assert.match(String(errors[0]), /tick 1/);
});

test('after a failure a loop rests for ten seconds at the most', async () => {
  const rests: number[] = [];
  for (const restMs of [3_600_000, 1_000]) {
    const rested = Promise.withResolvers<void>();
    await using _loop = new Loop(() => Promise.reject(new Error('no')), {
      restMs,
      onError: () => undefined,
      rest: (ms, signal) => {
        rests.push(ms);
        rested.resolve();
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    await rested.promise;
  }

  assert.deepEqual(rests, [10_000, 1_000]);
});

test('disposing waits for the tick that is under way, and starts no other', async () => {
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  let ticks = 0;
  const loop = new Loop(
    async () => {
      ticks++;
      begun.resolve();
      await finish.promise;
      return true;
    },
    { restMs: 1, onError: () => undefined },
  );
  await begun.promise;

  const disposed = loop[Symbol.asyncDispose]();
  finish.resolve();
  await disposed;

  assert.equal(ticks, 1);
});

test('a loop that is woken does not finish its rest', async () => {
  const ticks = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let count = 0;
  await using loop = new Loop(
    async () => {
      ticks[count++]?.resolve();
      return 60_000;
    },
    { restMs: 60_000, onError: () => undefined },
  );
  await ticks[0]?.promise;

  loop.wake();
  await ticks[1]?.promise;

  assert.equal(count, 2);
});
