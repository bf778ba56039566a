import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asciiTable } from './ascii-table.ts';

test('columns are as wide as their widest cell', () => {
  const table = asciiTable(
    ['Name', 'N'],
    [
      ['a', '1000'],
      ['Nightly backup', ''],
    ],
  );

  assert.equal(
    table,
    [
      '+----------------+------+',
      '| Name           | N    |',
      '+----------------+------+',
      '| a              | 1000 |',
      '| Nightly backup |      |',
      '+----------------+------+',
    ].join('\n'),
  );
});

test('letters and signs that take twice the room are counted so', () => {
  const [, , , first, second, third] = asciiTable(['日本'], [['🔔'], ['한국어'], ['abcdef']]).split('\n');

  assert.equal(first, '| 🔔     |');
  assert.equal(second, '| 한국어 |');
  assert.equal(third, '| abcdef |');
});

test('a sign of several code points is one', () => {
  const [, , , first] = asciiTable(['1234'], [['👩‍👧é']]).split('\n');

  assert.equal(first, '| 👩‍👧é  |');
});

test('a long cell is cut, and says so', () => {
  const [, , , first] = asciiTable(['1'], [['x'.repeat(1000)]]).split('\n');

  assert.equal(first, `| ${'x'.repeat(39)}… |`);
});
