import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBudget } from './byte-budget.ts';
import { GrowingBlock } from './growing-block.ts';

test('a block holds the pieces in their order, whatever their sizes', () => {
  const block = new GrowingBlock(100_000, new ByteBudget(1_000_000));
  const expected: Buffer[] = [];
  for (const length of [1, 0, 5_000, 1, 12_345, 3]) {
    const piece = Buffer.alloc(length, expected.length + 1);
    expected.push(piece);
    assert.equal(block.append(piece), true);
  }

  assert.deepEqual(block.bytes, Buffer.concat(expected));
  assert.equal(block.length, 17_350);
});

test('a thousand single bytes take no more memory than a thousand bytes at once', () => {
  const budget = new ByteBudget(1_000_000);
  const block = new GrowingBlock(100_000, budget);

  for (let index = 0; index < 1_000; index++) block.append(Buffer.from([index & 0xff]));

  assert.equal(block.length, 1_000);
  assert.ok(budget.usedBytes <= 4_096, `${budget.usedBytes} bytes`);
});

test('a block never reserves more than its limit', () => {
  const budget = new ByteBudget(1_000_000);
  const block = new GrowingBlock(5_000, budget);

  block.append(Buffer.alloc(4_500));
  block.append(Buffer.alloc(500));

  assert.equal(budget.usedBytes, 5_000);
  assert.throws(() => block.append(Buffer.alloc(1)), RangeError);
});

test('a piece for which the budget has no room is not appended', () => {
  const budget = new ByteBudget(5_000);
  const block = new GrowingBlock(100_000, budget);
  block.append(Buffer.from('first'));

  assert.equal(block.append(Buffer.alloc(5_000)), false);

  assert.equal(block.bytes.toString(), 'first');
  block.release();
  assert.equal(budget.usedBytes, 0);
  assert.equal(block.length, 0);
});

test('memory is given back even if the bytes have moved to another thread', () => {
  const budget = new ByteBudget(100_000);
  const block = new GrowingBlock(10_000, budget);
  block.append(new Uint8Array(10));

  structuredClone(block.bytes, { transfer: [block.bytes.buffer as ArrayBuffer] });
  block.release();

  assert.equal(budget.usedBytes, 0);
});
