import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitTags } from './tags.ts';

test('only spaces separate tags', () => {
  const rows: [tags: string, expected: string[]][] = [
    ['', []],
    ['   ', []],
    ['a', ['a']],
    [' a  b ', ['a', 'b']],
    ['a,b', ['a,b']],
    ['a\tb', ['a\tb']],
    ['a\n b', ['a', 'b']],
    ['a \t b', ['a', 'b']],
    ['b a b', ['b', 'a', 'b']],
    ['A a', ['A', 'a']],
    ['__proto__ *', ['__proto__', '*']],
  ];

  for (const [tags, expected] of rows) assert.deepEqual(splitTags(tags), expected, JSON.stringify(tags));
});
