import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSentNumber, runNumbers, type SentNumber } from './declared-numbers.ts';
import { SEARCHED_BODY_BYTES } from './keyword-filter.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

const numbersOf = (
  names: readonly string[],
  body: string | Uint8Array | null,
  sent: readonly SentNumber[] = [],
) => Object.fromEntries(runNumbers(names, typeof body === 'string' ? bytes(body) : body, sent));

test('numbers stand beside their names, apart from other text', () => {
  for (const [body, rows] of [
    ['rows=123\nbytes=4.5e6', 123],
    ['done, rows: 5; ok', 5],
    ['rows:\t-0.5', -0.5],
    ['rows=1 rows=2', 2],
    ['rows=7 rows=many', 7],
    ['all rows=1,rows=3', 3],
    ['rows=+4', 4],
    ['rows=1e3;', 1000],
    ['note: rows=6', 6],
    ['rows: rows=8', 8],
  ] as const)
    assert.deepEqual(numbersOf(['rows'], body), { rows }, body);
});

test('what is no number, or not beside the name, is not taken', () => {
  for (const body of [
    '',
    'rows',
    'rows=',
    'rows=NaN',
    'rows=Infinity',
    'rows=1e400',
    'rows=1000000000000000',
    'rows=12abc',
    'rows="12"',
    'rows =12',
    'rows= 12',
    'arrows=12',
    'rows2=12',
    'x.rows=12',
    'ROWS=12',
    '{"rows": "12"}',
    '{"rows": null}',
    '{"rows": [12]}',
    '{"other": {"rows": 12}}',
  ])
    assert.deepEqual(numbersOf(['rows'], body), {}, body);
});

test('a JSON object has numbers by paths with dots', () => {
  const body = ' {"rows": 3, "stats": {"rows": 7, "no": "5"}, "__proto__": {"x": 1}}';
  assert.deepEqual(numbersOf(['rows', 'stats.rows', 'stats.no', 'stats', 'toString.length'], body), {
    rows: 3,
    'stats.rows': 7,
  });
});

test('a body that is cut, or no text, is searched as far as it goes', () => {
  assert.deepEqual(numbersOf(['rows'], new Uint8Array([0xff, 0xfe, 0x20, ...bytes('rows=5 '), 0xe2, 0x82])), {
    rows: 5,
  });
  assert.deepEqual(numbersOf(['rows'], '{"a": 1, rows=5 '), { rows: 5 });
  assert.deepEqual(numbersOf(['rows'], null), {});
});

test('numbers of the address come before those of the body, and the last one counts', () => {
  assert.deepEqual(
    numbersOf(['rows'], 'rows=1', [
      ['rows', 2],
      ['rows', 3],
      ['other', 4],
    ]),
    { rows: 3 },
  );
});

test('a number of an address is a name, a colon and a number', () => {
  assert.deepEqual(readSentNumber('rows:5'), ['rows', 5]);
  assert.deepEqual(readSentNumber('a:b:5'), ['a:b', 5]);
  for (const text of ['', ':', ':5', 'rows', 'rows:', 'rows:x'])
    assert.equal(readSentNumber(text), null, text);
});

test('a long body without the name costs no more than reading it', () => {
  assert.deepEqual(numbersOf(['rows'], 'rows=x '.repeat(200_000)), {});
});

test('as much of a body is searched as for keywords, however much of it is stored', () => {
  const far = ' '.repeat(SEARCHED_BODY_BYTES - 'rows=1'.length);

  assert.deepEqual(numbersOf(['rows'], `${far}rows=1 `), { rows: 1 });
  assert.deepEqual(numbersOf(['rows'], `${far} rows=1`), {});
  assert.deepEqual(numbersOf(['rows'], `{"text": "${far}", "rows": 1}`), {});
});
