import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptOutput } from './output.ts';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

function kept(head: number, tail: number, pieces: string[]) {
  const output = new KeptOutput({ head, tail });
  for (const piece of pieces) output.add(Buffer.from(piece, 'latin1'));
  const { head: first, tail: last, total } = output.take();
  return [text(first), text(last), total];
}

test('the last bytes stay, whatever the pieces they come in', () => {
  const all = Array.from({ length: 50 }, (_none, index) => String(index)).join('.');
  for (const size of [1, 2, 3, 7, 10, 11, 40, all.length]) {
    const pieces = all.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];

    assert.deepEqual(kept(0, 10, pieces), ['', all.slice(-10), all.length], `pieces of ${size}`);
    assert.deepEqual(kept(5, 10, pieces), [all.slice(0, 5), all.slice(-10), all.length], `pieces of ${size}`);
    assert.deepEqual(kept(5, 0, pieces), [all.slice(0, 5), '', all.length], `pieces of ${size}`);
  }
});

test('an output that was short enough is there as a whole', () => {
  assert.deepEqual(kept(0, 10, ['abc', 'def']), ['abcdef', 'abcdef', 6]);
  assert.deepEqual(kept(3, 3, ['abcd', 'ef']), ['abcdef', 'abcdef', 6]);
  assert.deepEqual(kept(10, 0, []), ['', '', 0]);
});

test('what is kept does not change when its source does', () => {
  const output = new KeptOutput({ head: 0, tail: 10 });
  const piece = Buffer.from('abc');
  output.add(piece);
  piece.fill(0);

  assert.equal(text(output.take().tail), 'abc');
});
