import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { seconds } from '../../lib/instant.ts';
import type { StoredStatus } from '../check/check.ts';
import { downtimes, type TimeSpan, uptimes } from './downtime.ts';
import { historyOf, uptime } from './uptime.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const OPTIONS = { seed: 20200115, numRuns: 500 };

const NOW = Date.UTC(2020, 0, 15) * 1000;
const OLDEST = NOW - seconds(1000);

// Few and coarse instants, so that flips, boundaries and spans often coincide.
const time = fc.integer({ min: 0, max: 100 }).map((step) => OLDEST + step * seconds(10));
const status = fc.constantFrom<StoredStatus>('new', 'up', 'down', 'paused');
const flips = fc
  .array(fc.record({ createdAt: time, oldStatus: status }), { maxLength: 20 })
  .map((unordered) =>
    unordered.toSorted((a, b) => a.createdAt - b.createdAt).map((flip, id) => ({ ...flip, id })),
  );
const boundaries = fc
  .uniqueArray(time, { maxLength: 8 })
  .map((starts) => [...new Set([...starts, OLDEST])].toSorted((a, b) => b - a));
const spans = fc.array(
  fc.tuple(time, time).map(([a, b]): TimeSpan => ({ from: Math.min(a, b), until: Math.max(a, b) })),
  { maxLength: 4 },
);
const history = fc.tuple(boundaries, status, flips, spans);

/** Looks at every moment on its own. */
function secondsDown(from: number, until: number, isDownAt: (at: number) => boolean): number {
  let total = 0;
  for (let at = from; at < until; at += seconds(10)) if (isDownAt(at)) total += seconds(10);
  return total;
}

suite('whatever a check went through', () => {
  test('the downtime of each interval is the time in it at which the check was seen to be down', () => {
    fc.assert(
      fc.property(history, ([starts, statusNow, flips, blind]) => {
        const isDownAt = (at: number): boolean => {
          const next = flips.find(({ createdAt }) => createdAt > at);
          const isUnseen = blind.some(({ from, until }) => from <= at && at < until);
          return (next?.oldStatus ?? statusNow) === 'down' && !isUnseen;
        };

        const found = downtimes(starts, { status: statusNow, createdAt: OLDEST }, flips, blind, NOW);

        const durations = starts.map((start, index) =>
          secondsDown(start, starts[index - 1] ?? NOW, isDownAt),
        );
        assert.deepEqual(
          found.map((downtime) => downtime?.duration),
          durations,
        );
        for (const downtime of found) assert.ok(downtime?.duration === 0 || (downtime?.count ?? 0) > 0);
      }),
      OPTIONS,
    );
  });

  test('the uptime is the share of the seen time, and a status page tells the same', () => {
    fc.assert(
      fc.property(boundaries, flips, spans, ([...starts], flips, blind) => {
        const [first, ...rest] = flips;
        const known = first === undefined ? [] : [{ ...first, oldStatus: 'new' as const }, ...rest];
        const check = { status: 'down' as const, createdAt: OLDEST };
        fc.pre(known.length > 0);
        const statusOf = (at: number) =>
          known.find(({ createdAt }) => createdAt > at)?.oldStatus ?? check.status;
        const told = (starts: readonly number[]) =>
          uptimes(starts, check, known, downtimes(starts, check, known, blind, NOW), blind, NOW);
        const isSeen = (at: number) =>
          !['new', 'paused'].includes(statusOf(at)) &&
          !blind.some((span) => span.from <= at && at < span.until);
        const isDown = (at: number) => isSeen(at) && statusOf(at) === 'down';

        const shares = starts.map((start, index) => {
          const seen = secondsDown(start, starts[index - 1] ?? NOW, isSeen);
          return seen === 0 ? null : 1 - secondsDown(start, starts[index - 1] ?? NOW, isDown) / seen;
        });
        assert.deepEqual(told(starts), shares);
        const span = { from: OLDEST, until: NOW };
        assert.equal(uptime(historyOf(known, check.status, span), blind), told([OLDEST])[0]);
      }),
      OPTIONS,
    );
  });

  test('time in which no node watched changes no uptime', () => {
    fc.assert(
      fc.property(flips, fc.integer({ min: 1, max: 100 }), (flips, steps) => {
        const check = { status: 'down' as const, createdAt: OLDEST };
        const later = NOW + steps * seconds(10);
        const off = [{ from: NOW, until: later }];
        const told = (now: number, blind: readonly TimeSpan[]) =>
          uptimes([OLDEST], check, flips, downtimes([OLDEST], check, flips, blind, now), blind, now);

        assert.deepEqual(told(later, off), told(NOW, []));
      }),
      OPTIONS,
    );
  });

  test('neither does time in which it is paused', () => {
    fc.assert(
      fc.property(flips, fc.integer({ min: 1, max: 100 }), (flips, steps) => {
        const check = (status: StoredStatus) => ({ status, createdAt: OLDEST });
        const paused = [...flips, { id: flips.length, createdAt: NOW, oldStatus: 'down' as const }];
        const later = NOW + steps * seconds(10);
        const [before] = uptimes(
          ...([[OLDEST], check('down'), flips] as const),
          ...([downtimes([OLDEST], check('down'), flips, [], NOW), [], NOW] as const),
        );
        const [after] = uptimes(
          ...([[OLDEST], check('paused'), paused] as const),
          ...([downtimes([OLDEST], check('paused'), paused, [], later), [], later] as const),
        );

        assert.equal(after, before);
      }),
      OPTIONS,
    );
  });

  test('intervals together are as long down as the whole', () => {
    fc.assert(
      fc.property(history, ([starts, statusNow, flips, blind]) => {
        const check = { status: statusNow, createdAt: OLDEST };

        const parts = downtimes(starts, check, flips, blind, NOW);
        const [whole] = downtimes([OLDEST], check, flips, blind, NOW);

        const sum = parts.reduce((total, part) => total + (part?.duration ?? 0), 0);
        const most = (whole?.count ?? 0) + starts.length - 1;
        const count = parts.reduce((total, part) => total + (part?.count ?? 0), 0);
        assert.equal(sum, whole?.duration);
        assert.ok(count >= (whole?.count ?? 0) && count <= most);
      }),
      OPTIONS,
    );
  });
});
