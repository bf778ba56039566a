import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerLines, headersIn } from '../../web/pages/integrations/header-lines.ts';

test('headers are written one in a line, and read again as they were', () => {
  const headers = { Authorization: 'Bearer a:b', 'X-Job': '$NAME' };

  assert.equal(headerLines(headers), 'Authorization: Bearer a:b\nX-Job: $NAME');
  assert.deepEqual(headersIn(headerLines(headers)), headers);
});

test('blanks around names and values, and empty lines, mean nothing', () => {
  assert.deepEqual(headersIn('\n  A :  b  \r\n\n \nC:d'), { A: 'b', C: 'd' });
});

test('of two headers with one name the last counts, and a line without a colon has no value', () => {
  assert.deepEqual(headersIn('A: 1\nB\nA: 2'), { A: '2', B: '' });
});
