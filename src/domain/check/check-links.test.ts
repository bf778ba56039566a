import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { asList, circleOf, listed } from './check-links.ts';

const link = (checkId: number, parentId: number) => ({ checkId, parentId });

suite('lists of what a check is linked with', () => {
  test('are the same for any order, name each part once, and read back', () => {
    assert.equal(asList(['b', 'a', 'b']), 'a,b');
    assert.deepEqual(listed(asList(['b', 'a'])), ['a', 'b']);
    assert.deepEqual(listed(asList([])), []);
  });
});

suite('a circle of parents', () => {
  test('is found over any number of checks, and told with the way', () => {
    assert.deepEqual(circleOf(1, [2], [link(2, 3), link(3, 1)]), [1, 2, 3, 1]);
  });

  test('is there if a check is its own parent', () => {
    assert.deepEqual(circleOf(1, [1], []), [1, 1]);
  });

  test('is not made by two ways to the same parent', () => {
    assert.equal(circleOf(1, [2, 3], [link(2, 4), link(3, 4), link(5, 1)]), null);
  });

  test('among other checks does not keep the search from ending', () => {
    assert.equal(circleOf(1, [2], [link(2, 3), link(3, 2)]), null);
  });

  test('is searched along each check once', () => {
    const ladder = Array.from({ length: 200 }, (_, rung) => [
      link(rung * 2, rung * 2 + 2),
      link(rung * 2, rung * 2 + 3),
      link(rung * 2 + 1, rung * 2 + 2),
      link(rung * 2 + 1, rung * 2 + 3),
    ]).flat();

    assert.equal(circleOf(-1, [0, 1], ladder), null);
  });
});
