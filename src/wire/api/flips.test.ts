import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { StoredStatus } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { AppError } from '../../domain/errors.ts';
import { flipListForm, flipListText, parseFlipSpan, type V3Flips } from './flips.ts';
import type { ApiVersion } from './version.ts';

const NOW = 1_591_014_272_123_456;

function flip(oldStatus: StoredStatus, newStatus: StoredStatus, createdAt = NOW): Flip {
  return { id: 1, checkId: 1, createdAt, oldStatus, newStatus, reason: '', cause: '' };
}

suite('the list of flips', () => {
  const flips = [
    flip('new', 'down'),
    flip('paused', 'new'),
    flip('up', 'paused'),
    flip('down', 'up'),
    flip('up', 'down'),
    flip('new', 'up'),
  ];
  const timestamp = '2020-06-01T12:24:32+00:00';

  async function listOf(version: ApiVersion, v3Flips: V3Flips, pageSize = 2): Promise<unknown> {
    async function* pages() {
      for (let from = 0; from < flips.length; from += pageSize) yield flips.slice(from, from + pageSize);
    }
    const texts = await Array.fromAsync(flipListText(pages(), flipListForm(version, v3Flips)));
    return JSON.parse(texts.join(''));
  }

  test('is a bare array of changes into up and down in version 3', async () => {
    assert.deepEqual(await listOf(3, 'array'), [
      { timestamp, up: 0 },
      { timestamp, up: 1 },
      { timestamp, up: 0 },
      { timestamp, up: 1 },
    ]);
  });

  for (const version of [1, 2] as const) {
    test(`is an object with all changes in version ${version}`, async () => {
      assert.deepEqual(await listOf(version, 'array'), {
        flips: [0, 0, 0, 1, 0, 1].map((up) => ({ timestamp, up })),
      });
    });
  }

  test('is the object of version 2 in version 3, where the operator says so', async () => {
    assert.deepEqual(await listOf(3, 'object'), await listOf(2, 'array'));
  });

  test('is the same however many pages it is read in', async () => {
    for (const pageSize of [1, 3, 6, 7])
      assert.deepEqual(await listOf(3, 'array', pageSize), await listOf(3, 'array'));
  });
});

suite('the span of flips', () => {
  const spanOf = (query: string) => parseFlipSpan(new URLSearchParams(query), NOW);

  const accepted: [query: string, from: number | null, before: number | null][] = [
    ['', null, null],
    ['start=1591014180', 1_591_014_180_000_000, null],
    ['end=1591014180', null, 1_591_014_180_000_000],
    ['start=0&end=0', 0, 0],
    ['start=10000000000', 10_000_000_000_000_000, null],
    ['start=0001', 1_000_000, null],
    ['start=1&start=2', 2_000_000, null],
    ['start=abc&start=2', 2_000_000, null],
    ['start=%2B7', 7_000_000, null],
    ['start=%207%20', 7_000_000, null],
    ['seconds=3600', NOW - 3_600_000_000, null],
    ['seconds=31536000', NOW - 31_536_000_000_000, null],
    ['seconds=1', NOW - 1_000_000, null],
    ['seconds=&seconds=60', NOW - 60_000_000, null],
    ['seconds=60&start=1', NOW - 60_000_000, null],
    ['seconds=60&start=1591014271', 1_591_014_271_000_000, null],
    ['other=abc&Start=x', null, null],
  ];
  for (const [query, from, before] of accepted) {
    test(`?${query} is understood`, () => assert.deepEqual(spanOf(query), { from, before }));
  }

  const refused: [query: string, error: string][] = [
    ...['start', 'end'].flatMap((name) =>
      ['abc', '-123', '1.5', '', '%20', '12345678901234567890', '10000000001', '1e3', '0x10', 'NaN', '١'].map(
        (value): [string, string] => [
          `${name}=${value}`,
          `${name} is not a whole number from 0 to 10000000000`,
        ],
      ),
    ),
    ...['', '0', '60&seconds=', 'abc', '-123', '1.5', '31536001', '%20', 'Infinity'].map(
      (value): [string, string] => [`seconds=${value}`, 'seconds is not a whole number from 1 to 31536000'],
    ),
    ['start=2&start=abc', 'start is not a whole number from 0 to 10000000000'],
    ['seconds=1&end=x', 'end is not a whole number from 0 to 10000000000'],
  ];
  for (const [query, error] of refused) {
    test(`?${query} is refused`, () => {
      assert.throws(
        () => spanOf(query),
        (thrown) => thrown instanceof AppError && thrown.code === 'invalid_query' && thrown.message === error,
      );
    });
  }
});
