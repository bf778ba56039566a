import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { DestinationLimiter } from './destination-limiter.ts';

suite('turns', () => {
  test('so many go to a destination at once, and the others follow in order', async () => {
    const turns = new DestinationLimiter(2);
    const began: number[] = [];
    for (const n of [1, 2, 3, 4]) turns.take('a', 7)?.then(() => began.push(n));
    await Promise.resolve();
    assert.deepEqual(began, [1, 2]);

    turns.end('a');
    turns.end('a');
    await Promise.resolve();

    assert.deepEqual(began, [1, 2, 3, 4]);
  });

  test('one destination does not wait for another', () => {
    const turns = new DestinationLimiter(1);
    turns.take('a', 7);

    assert.ok(turns.take('b', 8) !== null);
    assert.deepEqual(turns.busyChannels(), []);
  });

  test('whoever finds as many waiting is turned away', () => {
    const turns = new DestinationLimiter(1);
    turns.take('a', 7);
    turns.take('a', 7);

    assert.equal(turns.take('a', 8), null);
  });

  test('a channel is crowded as long as anybody waits where it leads', () => {
    const turns = new DestinationLimiter(1);
    turns.take('a', 7);
    turns.take('a', 8);
    turns.take('a', 9);
    assert.deepEqual(turns.busyChannels(), [8, 9]);

    assert.equal(turns.end('a'), true);

    assert.deepEqual(turns.busyChannels(), []);
  });
});
