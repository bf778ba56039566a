import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromTemporal } from '../../lib/instant.ts';
import { listed, timeWords, uptimeWords } from './words.ts';

const at = (text: string) => fromTemporal(Temporal.Instant.from(text));
const NOW = at('2026-11-15T05:14:00Z');

test('a share is cut and not rounded, and 100 means always', () => {
  assert.deepEqual([1, 0.999999, 0.98944, 0.9, 0].map(uptimeWords), [
    '100 %',
    '99.99 %',
    '98.94 %',
    '90 %',
    '0 %',
  ]);
});

test('times are as short as the day allows', () => {
  const words = (text: string) => timeWords(at(text), NOW, 'Europe/Berlin');
  assert.deepEqual(
    ['2026-11-15T01:47:00Z', '2026-11-14T02:06:00Z', '2026-10-07T02:06:00Z', '2025-12-01T12:00:00Z'].map(
      words,
    ),
    ['02:47', 'Sat 03:06', '7 Oct 04:06', '1 Dec 2025 13:00'],
  );
});

test('at most three names are listed', () => {
  assert.deepEqual([['A'], ['A', 'B'], ['A', 'B', 'C'], ['A', 'B', 'C', 'D']].map(listed), [
    ...['A', 'A and B', 'A, B and C', 'A, B and 2 more'],
  ]);
});
