import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteBudget } from '../lib/byte-budget.ts';
import { MessageReader } from './message-reader.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 23;

/** Reads what is sent, in pieces of the given lengths over and over; null where the end was not found. */
function read(
  sent: Buffer,
  lengths: readonly number[],
  limit = 1_000_000,
): { message: Buffer; rest: Buffer } | null {
  const reader = new MessageReader(limit, new ByteBudget(10_000_000));
  for (let at = 0, turn = 0; at < sent.length; turn++) {
    const chunk = sent.subarray(at, at + (lengths[turn % lengths.length] ?? 1));
    const end = reader.push(chunk);
    if (end !== null) return { message: reader.message, rest: sent.subarray(at + end) };
    at += chunk.length;
  }
  return null;
}

test('dots are taken away, and a lone one ends the message', () => {
  const cases: [string, string][] = [
    ['.\r\n', ''],
    ['a\r\n.\r\n', 'a\r\n'],
    ['..\r\n.\r\n', '.\r\n'],
    ['..a\r\n...\r\n.b\r\n.\r\n', '.a\r\n..\r\nb\r\n'],
    ['a.\r\n.\r\n', 'a.\r\n'],
    ['a\n.\nb\r.\rc\n.\r\nd\r\n.\nd\r\n.\r\n', 'a\n.\nb\r.\rc\n.\r\nd\r\n\nd\r\n'],
    ['.\rx\r\n.\r\r\n.\r\n', '\rx\r\n\r\r\n'],
  ];

  for (const [sent, message] of cases) {
    for (const length of [1, 2, 3, 100]) {
      const found = read(Buffer.from(`${sent}QUIT\r\n`), [length]);
      assert.equal(found?.message.toString(), message, JSON.stringify([sent, length]));
      assert.equal(found?.rest.toString(), 'QUIT\r\n');
    }
  }
});

test('a message without its end has none', () => {
  for (const sent of ['', '.', '.\r', 'a\r\n.', 'a\r\n.\r', 'a\n.\n', 'a\n.\r\n', 'a\r.\r']) {
    assert.equal(read(Buffer.from(sent), [1]), null, JSON.stringify(sent));
  }
});

test('any message arrives as it was, in whatever pieces', () => {
  const bytes = fc.array(fc.constantFrom('.', '\r', '\n', '\r\n', '\r\n.', 'a', '\0'), { maxLength: 30 });
  const lengths = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(bytes, lengths, (morsels, pieces) => {
      const message = `${morsels.join('')}\r\n`;
      const sent = Buffer.from(`${message.replace(/(^|\r\n)\./g, '$1..')}.\r\n`);

      assert.equal(read(sent, pieces)?.message.toString(), message);
    }),
    { seed: SEED, numRuns: 2000 },
  );
});

test('a message may have as many bytes as the limit says, and not one more', () => {
  const reader = (length: number) => {
    const one = new MessageReader(1000, new ByteBudget(1_000_000));
    one.push(Buffer.from(`${'x'.repeat(length - 2)}\r\n.\r\n`));
    return one;
  };

  assert.deepEqual([reader(1000).fault, reader(1000).message.length], [null, 1000]);
  assert.deepEqual([reader(1001).fault, reader(1001).message.length], ['too_large', 0]);
  assert.equal(reader(4001).fault, 'endless');
});

test('messages share the room there is, and give it back', () => {
  const room = new ByteBudget(40_000);
  const one = new MessageReader(1_000_000, room);
  const two = new MessageReader(1_000_000, room);

  one.push(Buffer.alloc(20_000, 'x'));
  two.push(Buffer.alloc(20_001, 'x'));
  assert.deepEqual([one.fault, two.fault], [null, 'no_room']);

  one.release();
  const three = new MessageReader(1_000_000, room);
  three.push(Buffer.alloc(40_000, 'x'));
  assert.equal(three.fault, null);
});
