import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/fake-clock.ts';
import { AppError } from '../domain/errors.ts';
import type { ObjectStore } from './object-store.ts';
import { guardReads, ReadBreaker } from './read-breaker.ts';

function given(): { clock: FakeClock; breaker: ReadBreaker } {
  const clock = new FakeClock(1_709_294_400_000_000);
  return { clock, breaker: new ReadBreaker(clock) };
}

test('three failures open the breaker, and twenty seconds let one more read through', () => {
  const { clock, breaker } = given();

  for (const count of [1, 2, 3]) {
    assert.equal(breaker.isOpen, false, `before failure ${count}`);
    breaker.recordFailure();
  }
  assert.equal(breaker.isOpen, true);
  assert.equal(breaker.retryAfterSeconds, 20);

  clock.advance({ seconds: 19.999_999 });
  assert.equal(breaker.isOpen, true);
  assert.equal(breaker.retryAfterSeconds, 1);
  clock.advance({ seconds: 0.000_001 });
  assert.equal(breaker.isOpen, false);
  breaker.recordFailure();
  assert.equal(breaker.isOpen, true);
});

test('after a quiet minute three failures are let through again, and no more', () => {
  const { clock, breaker } = given();
  for (let count = 0; count < 3; count++) breaker.recordFailure();

  clock.advance({ hours: 1 });

  for (let count = 0; count < 3; count++) {
    assert.equal(breaker.isOpen, false);
    breaker.recordFailure();
  }
  assert.equal(breaker.isOpen, true);
});

test('failures spread over more than a minute never open it', () => {
  const { clock, breaker } = given();

  for (let count = 0; count < 50; count++) {
    breaker.recordFailure();
    clock.advance({ seconds: 20 });
    assert.equal(breaker.isOpen, false);
  }
});

test('a hundred reads that fail at once close the door no longer than three do', () => {
  const { clock, breaker } = given();

  for (let count = 0; count < 100; count++) breaker.recordFailure();

  assert.equal(breaker.retryAfterSeconds, 20);
  clock.advance({ seconds: 20 });
  assert.equal(breaker.isOpen, false);
});

test('a clock that jumps back neither fills nor empties it', () => {
  const { clock, breaker } = given();
  breaker.recordFailure();
  breaker.recordFailure();

  clock.advance({ hours: -5 });

  assert.equal(breaker.isOpen, false);
  breaker.recordFailure();
  assert.equal(breaker.isOpen, true);
});

test('only failed reads count: a missing object, and work in the background, do not', async () => {
  const clock = new FakeClock(0);
  const broken = async (): Promise<never> => {
    throw new Error('broken');
  };
  const store: ObjectStore = { put: broken, delete: broken, list: broken, get: async () => null };
  const guarded = guardReads(store, clock);

  for (let count = 0; count < 10; count++) {
    await assert.rejects(guarded.put('key', new Uint8Array(1)), /broken/);
    await assert.rejects(guarded.delete('key'), /broken/);
    await assert.rejects(guarded.list('prefix', ''), /broken/);
    assert.equal(await guarded.get('key', 10), null);
  }
});

test('a failed read tells when to come back, and keeps what happened as its cause', async () => {
  const broken = async (): Promise<never> => {
    throw new Error('broken');
  };
  const guarded = guardReads({ put: broken, delete: broken, list: broken, get: broken }, new FakeClock(0));
  const failures: unknown[] = [];

  for (let count = 0; count < 4; count++) await guarded.get('key', 10).catch((error) => failures.push(error));

  assert.deepEqual(
    failures.map((error) =>
      error instanceof AppError ? [error.code, error.retryAfterSeconds, String(error.cause)] : error,
    ),
    [
      ['body_unavailable', 1, 'Error: broken'],
      ['body_unavailable', 1, 'Error: broken'],
      ['body_unavailable', 20, 'Error: broken'],
      ['body_unavailable', 20, 'undefined'],
    ],
  );
});
