import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeClock } from '../../test/fake-clock.ts';
import { FakeTimers } from '../../test/fake-timers.ts';
import { StorageError, storageUnavailable } from './driver.ts';
import { OutageRetries, type OutageRetriesOptions } from './outage-retries.ts';
import { describeProgress } from './progress.ts';

const START = 1_767_323_045_000_000;

function create(options: Partial<OutageRetriesOptions> = {}) {
  const clock = new FakeClock(START);
  const told: string[] = [];
  const pauses: number[] = [];
  const retries = new OutageRetries({
    database: 'PostgreSQL, db/tocsin',
    clock,
    // Time passes as soon as somebody waits for it.
    timers: {
      callAfter(ms, callback) {
        pauses.push(ms);
        clock.advance({ seconds: ms / 1000 });
        queueMicrotask(callback);
        return () => undefined;
      },
    },
    tell: (progress) => told.push(describeProgress(progress)),
    maxSeconds: Number.POSITIVE_INFINITY,
    ...options,
  });
  return { clock, told, pauses, retries };
}

/** Work that fails so many times before it succeeds. */
function failing(times: number, error: () => Error): () => Promise<string> {
  let tries = 0;
  return async () => {
    if (++tries <= times) throw error();
    return 'done';
  };
}

const refused = () => storageUnavailable('connection refused');

test('work that succeeds is done once, and nothing is told', async () => {
  const { retries, told, pauses } = create();

  assert.equal(await retries.run(failing(0, refused)), 'done');

  assert.deepEqual([told, pauses], [[], []]);
});

test('work is repeated until the database can be used, after pauses that double up to a bound', async () => {
  const { retries, pauses } = create();

  assert.equal(await retries.run(failing(6, refused)), 'done');

  assert.deepEqual(pauses, [200, 400, 800, 1_600, 2_000, 2_000]);
});

test('what is waited for and why is told at once, then every few seconds, and so is its end', async () => {
  const { retries, told } = create();
  let tries = 0;
  const work = failing(9, () => storageUnavailable(`refused for the ${++tries}. time`));

  await retries.run(work);

  assert.deepEqual(told, [
    'waiting for PostgreSQL, db/tocsin, 0 s so far: refused for the 1. time',
    'waiting for PostgreSQL, db/tocsin, 5 s so far: refused for the 6. time',
    'waiting for PostgreSQL, db/tocsin, 11 s so far: refused for the 9. time',
    'PostgreSQL, db/tocsin answers after 13 s',
  ]);
});

test('the time that a failed attempt took is part of the outage', async () => {
  const { retries, clock, told } = create();
  const attempt = failing(1, refused);

  await retries.run(async () => {
    clock.advance({ seconds: 3 });
    return attempt();
  });

  assert.equal(told[0], 'waiting for PostgreSQL, db/tocsin, 3 s so far: connection refused');
});

test('a failure that does not pass is thrown at once', async () => {
  const { retries, told } = create();
  const fault = new StorageError('fault', 'password authentication failed');

  await assert.rejects(retries.run(failing(1, () => fault)), fault);

  assert.deepEqual(told, []);
});

test('a failure that the caller handles itself is thrown at once', async () => {
  const { retries, told } = create();

  await assert.rejects(
    retries.run(failing(1, refused), () => false),
    { message: 'connection refused' },
  );

  assert.deepEqual(told, []);
});

test('with a limit, the failure is thrown when the outage has lasted that long, and each outage has its own time', async () => {
  const { retries, pauses } = create({ maxSeconds: 5 });

  assert.equal(await retries.run(failing(4, refused)), 'done');
  assert.equal(await retries.run(failing(4, refused)), 'done');
  await assert.rejects(retries.run(failing(100, refused)), { message: 'connection refused' });

  assert.deepEqual(pauses.slice(8), [200, 400, 800, 1_600, 2_000]);
});

test('without any time to wait, the first failure is thrown', async () => {
  const { retries, told } = create({ maxSeconds: 0 });

  await assert.rejects(retries.run(failing(1, refused)), { message: 'connection refused' });

  assert.deepEqual(told, []);
});

test('a stop ends the pause at once with the failure, and nothing is waited for after it', async () => {
  const stopping = new AbortController();
  const timers = new FakeTimers(new FakeClock(START));
  const { retries } = create({ timers, signal: stopping.signal });
  let tries = 0;
  const work = async () => {
    tries++;
    throw refused();
  };

  const waiting = retries.run(work);
  await nextTurn();
  assert.equal(timers.count, 1);
  stopping.abort();

  await assert.rejects(waiting, { message: 'connection refused' });
  await assert.rejects(retries.run(work), { message: 'connection refused' });
  assert.deepEqual([tries, timers.count], [2, 0]);
});
