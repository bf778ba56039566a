import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { cutTo, longestFitting, sizeOf, type Unit } from './text-size.ts';

suite('the size of a text', () => {
  test('is counted in the unit of whoever limits it', () => {
    assert.deepEqual(
      (['bytes', 'units', 'code points', 'bytes of JSON'] as const).map((unit) => sizeOf('a<é👩\n', unit)),
      [9, 6, 5, 15],
    );
  });
});

suite('a text that is cut', () => {
  test('ends in an ellipsis, and stays whole if it fits', () => {
    assert.equal(cutTo('abcdef', 6, 'units'), 'abcdef');
    assert.equal(cutTo('abcdef', 5, 'units'), 'abcd…');
    assert.equal(cutTo('abcdef', 5, 'bytes'), 'ab…');
    assert.equal(cutTo('ab cdef', 4, 'code points'), 'ab…');
    assert.equal(cutTo('abc', 0, 'units'), '');
    assert.equal(
      longestFitting('abc', () => false),
      '',
    );
  });

  test('fits in every unit, and no code point is cut', () => {
    const unit = fc.constantFrom<Unit>('bytes', 'units', 'code points', 'bytes of JSON');
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 80 }), unit, (whole, most, counted) => {
        const cut = cutTo(whole, most, counted);
        assert.ok(sizeOf(cut, counted) <= most);
        assert.ok(cut.isWellFormed());
        assert.ok(cut === whole || cut === '' || whole.startsWith(cut.slice(0, -1)));
      }),
      { seed: 20240310, numRuns: 1_000 },
    );
  });
});
