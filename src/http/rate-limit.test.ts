import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/fake-clock.ts';
import { AppError } from '../domain/errors.ts';
import type { TokenRule } from '../lib/token-bucket.ts';
import { MAX_PORTION } from '../services/core/rate-buckets.ts';
import { BODY_BYTES_PER_TOKEN } from './limits.ts';
import { type DrawTokens, RateLimit, tokensFor, tokensInMemory } from './rate-limit.ts';

const START = 1_709_294_400_000_000;

function givenLimit(rule: TokenRule, drawn?: DrawTokens) {
  const clock = new FakeClock(START);
  const draw = drawn ?? tokensInMemory(rule, clock);
  let draws = 0;
  const failures: unknown[] = [];
  const counted: DrawTokens = (projectId, needed) => {
    draws++;
    return draw(projectId, needed);
  };
  const limit = new RateLimit(rule, clock, counted, (error) => failures.push(error));
  return { limit, clock, failures, draws: () => draws };
}

/** Null where the request is admitted, else after how many seconds to come again. */
async function refusal(limit: RateLimit, projectId = 1, tokens = 1, paid = 0): Promise<number | null> {
  try {
    await limit.take(projectId, tokens, paid);
    return null;
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'too_many_requests');
    return error.retryAfterSeconds;
  }
}

async function taken(limit: RateLimit, projectId = 1, most = 10_000): Promise<number> {
  let count = 0;
  while (count < most && (await refusal(limit, projectId)) === null) count++;
  return count;
}

test('as many requests as the burst are admitted at once, and each project has its own', async () => {
  for (const [perMinute, capacity] of [
    [1, 1],
    [100, 5_000],
    [1_000, 10],
  ] as const) {
    const { limit } = givenLimit({ perMinute, capacity });

    assert.equal(await taken(limit), capacity);
    assert.equal(await taken(limit, 2), capacity);
  }
});

test('waiting as long as it was told is always enough, and a second less is not', async () => {
  for (let perMinute = 1; perMinute <= 200; perMinute++) {
    const { limit, clock } = givenLimit({ perMinute, capacity: perMinute * 2 });
    await taken(limit);
    for (let round = 0; round < 5; round++) {
      const wait = await refusal(limit);
      assert.ok(wait !== null && wait >= 1 && wait <= 60, `${perMinute} a minute: ${wait}`);
      clock.advance({ seconds: wait - 1 });
      if (perMinute < 60)
        assert.notEqual(await refusal(limit), null, `${perMinute} a minute, round ${round}`);
      clock.advance({ seconds: 1 });
      assert.equal(await refusal(limit), null, `${perMinute} a minute, round ${round}`);
      await taken(limit);
    }
  }
});

test('trying in vain meanwhile neither shortens nor lengthens the wait, and asks nobody', async () => {
  for (let perMinute = 1; perMinute <= 60; perMinute++) {
    const { limit, clock, draws } = givenLimit({ perMinute, capacity: 10 });
    await taken(limit);
    const before = draws();

    const tenths = Math.ceil(600 / perMinute);
    for (let tenth = 1; tenth < tenths; tenth++) {
      clock.advance({ seconds: 0.1 });
      assert.notEqual(await refusal(limit), null, `${perMinute} a minute, after ${tenth} tenths`);
    }
    assert.equal(draws(), before);
    clock.advance({ seconds: 0.1 });

    assert.equal(await taken(limit), 1, `${perMinute} a minute`);
  }
});

test('the requests of a minute are admitted after a minute, and never more than the burst', async () => {
  const { limit, clock } = givenLimit({ perMinute: 100, capacity: 200 });
  await taken(limit);

  clock.advance({ seconds: 30 });
  assert.equal(await taken(limit), 50);
  clock.advance({ days: 365 });
  assert.equal(await taken(limit), 200);
});

test('a clock that is set back takes nothing away', async () => {
  const { limit, clock } = givenLimit({ perMinute: 100, capacity: 200 });
  await limit.take(1, 1);

  clock.advance({ days: -1 });

  assert.equal(await taken(limit), 199);
  assert.equal(await refusal(limit), 1);
});

test('a clock that is set back while nothing is left fills the bucket at the same rate as before', async () => {
  const { limit, clock } = givenLimit({ perMinute: 60, capacity: 10 });
  await taken(limit);

  clock.advance({ days: -1 });

  assert.equal(await refusal(limit), 1);
  clock.advance({ seconds: 1 });
  assert.equal(await taken(limit), 1);
  clock.advance({ seconds: 5 });
  assert.equal(await taken(limit), 5);
});

test('with zero requests a minute there is no limit', async () => {
  const { limit, draws } = givenLimit({ perMinute: 0, capacity: 1 });

  assert.equal(await taken(limit, 1, 1_000), 1_000);
  assert.equal(draws(), 0);
});

test('a project is forgotten once ten thousand others were used after it', async () => {
  const { limit } = givenLimit({ perMinute: 1, capacity: 2 });
  await taken(limit, 0);

  for (let project = 1; project < 10_000; project++) await limit.take(project, 1);
  assert.notEqual(await refusal(limit, 0), null, 'it is remembered, and now the one used last');
  for (let project = 10_000; project < 20_000; project++) await limit.take(project, 1);

  assert.equal(await taken(limit, 0), 2);
});

test('a body costs one token for each started 4 KiB', () => {
  const lengths = [0, 1, 4_095, 4_096, 4_097, 8_192, 100_000, 2_621_440];

  assert.equal(BODY_BYTES_PER_TOKEN, 4_096);
  assert.deepEqual(lengths.map(tokensFor), [1, 1, 1, 1, 2, 2, 25, 640]);
});

test('the rest of what a long body costs is taken later, and waiting as told is enough for all of it', async () => {
  const { limit, clock } = givenLimit({ perMinute: 60, capacity: 100 });
  await limit.take(1, 1);
  await limit.take(1, 60, 1);
  await limit.take(1, 1);

  const wait = await refusal(limit, 1, 60, 1);

  // 39 are left, and the next try costs 60.
  assert.equal(wait, 21);
  clock.advance({ seconds: 20 });
  await limit.take(1, 1);
  assert.notEqual(await refusal(limit, 1, 60, 1), null);
  clock.advance({ seconds: 2 });
  await limit.take(1, 1);
  assert.equal(await refusal(limit, 1, 60, 1), null);
});

test('a request that costs more than the burst is admitted when the bucket is full', async () => {
  const { limit } = givenLimit({ perMinute: 60, capacity: 10 });
  await limit.take(1, 1);

  assert.equal(await refusal(limit, 1, 640, 1), null);
  assert.equal(await refusal(limit), 1);
  assert.equal(await refusal(limit, 1, 640), 10);
});

test('requests that come at once share what is drawn, and none is admitted twice', async () => {
  const rule = { perMinute: 60, capacity: 30 };
  const clock = new FakeClock(START);
  const memory = tokensInMemory(rule, clock);
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const draw: DrawTokens = async (projectId) => {
    await answer;
    return memory(projectId, 10);
  };
  const { limit, draws } = givenLimit(rule, draw);

  const asked = Array.from({ length: 100 }, () => refusal(limit));
  resolve();
  const admitted = (await Promise.all(asked)).filter((one) => one === null);

  assert.equal(admitted.length, 30);
  assert.equal(draws(), 3);
});

test('when tokens cannot be asked for, requests are admitted, and it is told', async () => {
  const { limit, failures, draws } = givenLimit({ perMinute: 1, capacity: 1 }, () =>
    Promise.reject(new Error('the database is away')),
  );

  assert.equal(await taken(limit, 1, 3 * MAX_PORTION), 3 * MAX_PORTION);
  assert.equal(draws(), 3);
  assert.equal(failures.length, 3);
});
