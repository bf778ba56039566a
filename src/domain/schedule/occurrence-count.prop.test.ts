import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Instant } from '../../lib/instant.ts';
import { lastRuns } from './occurrence-count.ts';
import { at, clockChanges } from './schedule.test-support.ts';
import { countOccurrences, lastOccurrences, nextOccurrence } from './schedule.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const OPTIONS = { seed: 20241027, numRuns: 300 };

const DAY = 86_400e6;

const expression = fc.constantFrom(
  '*/20 * * * *',
  '17 */5 * * *',
  '30 2 * * *',
  '0,30 1-3 * * *',
  '45 23 * * 1-5',
  '0 0 1,15 * 5',
  '*:0/20',
  'Mon,Wed 02:30\nhourly',
  '*-*-26..28 01..02:*:*',
  'Sat 23:00 America/New_York\n02:15\n*-*-1 00:00 Asia/Tokyo',
);
const change = fc.constantFrom(...clockChanges('1990-01-01T00:00Z', '2045-01-01T00:00Z'));
const stretch = fc
  .tuple(change, fc.integer({ min: -6 * 86_400, max: 2 * 86_400 }), fc.integer({ max: 12 * 86_400, min: 0 }))
  .map(([{ zone, at: changed }, from, length]) => {
    const after = changed + from * 1e6;
    return { tz: zone, after, until: after + length * 1e6 };
  });

function walked(text: string, tz: string, after: Instant, until: Instant): Instant[] {
  const found: Instant[] = [];
  for (let next = nextOccurrence(text, tz, after); next !== null && next <= until; ) {
    found.push(next);
    next = nextOccurrence(text, tz, next);
  }
  return found;
}

suite('around changes of clocks', () => {
  test('the count is that of all occurrences, one after the other', () => {
    fc.assert(
      fc.property(expression, stretch, (text, { tz, after, until }) => {
        assert.equal(countOccurrences(text, tz, { after, until }), walked(text, tz, after, until).length);
      }),
      OPTIONS,
    );
  });

  test('the last ones are the last of all', () => {
    fc.assert(
      fc.property(expression, stretch, fc.integer({ min: 1, max: 40 }), (text, span, most) => {
        const { tz, after, until } = span;
        assert.deepEqual(lastOccurrences(text, tz, span, most), walked(text, tz, after, until).slice(-most));
      }),
      OPTIONS,
    );
  });
});

test('three months of minutes and a year of seconds are counted', () => {
  const after = at('2026-01-01T00:00Z');
  assert.equal(countOccurrences('* * * * *', 'UTC', { after, until: after + 90 * DAY }), 129_600);
  assert.equal(
    countOccurrences('*:*:*', 'Europe/Riga', { after, until: after + 365 * DAY }),
    365 * 86_400 - 3_600,
  );
});

test('the last of many millions long ago are found without a walk through all of them', () => {
  let calls = 0;
  const second = at('2001-12-31T23:59:59Z') / 1e6;
  /** Each second up to then. */
  const next = (after: number) => {
    calls++;
    return after < second ? after + 1 : null;
  };

  assert.deepEqual(lastRuns(next, 0, at('2026-01-01T00:00Z') / 1e6, 3), [second - 2, second - 1, second]);
  assert.ok(calls < 50_000, String(calls));
  assert.deepEqual(
    lastOccurrences('2001-*-* *:*:*', 'UTC', { after: 0, until: at('2026-01-01T00:00Z') }, 1),
    [second * 1e6],
  );
});
