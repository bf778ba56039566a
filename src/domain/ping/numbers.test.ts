import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_NUMBER_LINE, MAX_NUMBERS, readNumbers } from './numbers.ts';

const read = (body: string) => [...readNumbers(Buffer.from(body))];

test('the first line of a body may be numbers', () => {
  assert.deepEqual(read('files=120 bytes_added=1234 bytes_total=99999 errors=0\nsnapshot 1a2b saved\n'), [
    ['files', 120],
    ['bytes_added', 1_234],
    ['bytes_total', 99_999],
    ['errors', 0],
  ]);
  assert.deepEqual(read('load.avg-1=0.25'), [['load.avg-1', 0.25]]);
  assert.deepEqual(read('freed=-12\r\nmore'), [['freed', -12]]);
});

test('of two pairs with one name the later one counts', () => {
  assert.deepEqual(read('files=1 files=2'), [['files', 2]]);
});

test('a line with anything else is text', () => {
  for (const body of [
    ...['', '\nfiles=1', 'done', 'files', 'files=', '=1', 'files=one', 'files=1 done', 'done files=1'],
    ...[' files=1', 'files=1 ', 'files=1  errors=0', 'files=1\terrors=0', 'files =1', 'files= 1', 'files=1,'],
    ...[
      '1st=1',
      '-a=1',
      'a b=1',
      'größe=1',
      'a=+1',
      'a=.5',
      'a=5.',
      'a=1e3',
      'a=0x10',
      'a=NaN',
      'a=Infinity',
    ],
    ...['a=1_000', 'a=1,5', 'a=١', `${'n'.repeat(64)}=1`, 'a=1\0', 'PATH=/usr/bin', 'exit=0;'],
  ])
    assert.deepEqual(read(body), [], JSON.stringify(body));
});

test('values are below 10^15', () => {
  assert.deepEqual(read('a=999999999999999 b=-999999999999999'), [
    ['a', 999_999_999_999_999],
    ['b', -999_999_999_999_999],
  ]);
  for (const value of ['1000000000000000', '-1000000000000000', '999999999999999.999999999999999'])
    assert.deepEqual(read(`a=${value}`), [], value);
});

test('the longest line of numbers is read, and one with more numbers is text', () => {
  const value = `-${'9'.repeat(14)}1.${'5'.repeat(15)}`;
  const pairs = Array.from(
    { length: MAX_NUMBERS + 1 },
    (_, place) => `${place}`.padStart(63, 'n') + `=${value}`,
  );

  const longest = pairs.slice(0, MAX_NUMBERS).join(' ');
  assert.ok(longest.length < MAX_NUMBER_LINE - 2);
  assert.equal(read(`${longest}\r\n`).length, MAX_NUMBERS);
  assert.deepEqual(read(pairs.join(' ')), []);
});

test('a line that does not end within what is looked at is text, however much of the body there is', () => {
  const zeros = `a=1 b=${'0'.repeat(MAX_NUMBER_LINE)}`;

  assert.deepEqual(read(zeros), []);
  assert.deepEqual(read(zeros.slice(0, MAX_NUMBER_LINE)), []);
  assert.deepEqual(read(`files=1\n${'x'.repeat(5 * MAX_NUMBER_LINE)}`), [['files', 1]]);
});
