import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

const drain = (queue: FairQueue<string>) => {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
};

test('owners take turns, and the items of each keep their order', () => {
  const queue = new FairQueue<string>({ maxQueued: 10 });
  for (const item of ['a1', 'a2', 'a3']) queue.add('a', item);
  queue.add('b', 'b1');
  queue.add('c', 'c1');

  assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'a3']);
  assert.equal(queue.length, 0);
});

test('an owner that comes back waits until the others have had their turn', () => {
  const queue = new FairQueue<string>({ maxQueued: 10 });
  queue.add('a', 'a1');
  queue.add('b', 'b1');

  assert.equal(queue.take(), 'a1');
  queue.add('a', 'a2');

  assert.deepEqual(drain(queue), ['b1', 'a2']);
});

test('one owner cannot fill the queue for the others', () => {
  const queue = new FairQueue<string>({ maxQueued: 4 });

  assert.deepEqual(
    ['a1', 'a2', 'a3'].map((item) => queue.add('a', item)),
    [true, true, false],
  );
  assert.equal(queue.add('b', 'b1'), true);
  assert.equal(queue.add('c', 'c1'), true);
  assert.equal(queue.add('d', 'd1'), false, 'it is full');
  assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2']);
});

test('an item that was taken leaves its place to another', () => {
  const queue = new FairQueue<string>({ maxQueued: 1 });
  queue.add('a', 'a1');
  assert.equal(queue.add('b', 'b1'), false);

  assert.equal(queue.take(), 'a1');

  assert.equal(queue.add('b', 'b1'), true);
});

test('an item that is added anyway takes no place, also when the queue is full', () => {
  const queue = new FairQueue<string>({ maxQueued: 1 });
  queue.add('a', 'a1');

  queue.addAnyway('a', 'a2');

  assert.deepEqual(drain(queue), ['a1', 'a2']);
  assert.equal(queue.add('b', 'b1'), true);
  assert.equal(queue.add('c', 'c1'), false);
});

test('items of the urgent owner come first, also when the queue is full', () => {
  const queue = new FairQueue<string>({ maxQueued: 2, urgentOwner: 'u' });
  queue.add('a', 'a1');
  queue.add('b', 'b1');

  assert.deepEqual(
    ['u1', 'u2'].map((item) => queue.add('u', item)),
    [true, true],
  );
  assert.equal(queue.add('c', 'c1'), false);
  assert.deepEqual(drain(queue), ['u1', 'u2', 'a1', 'b1']);
});
