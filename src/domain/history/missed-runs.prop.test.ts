import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { aCheck, at, DAY, MINUTE } from '../check/check.test-support.ts';
import { nextOccurrence } from '../schedule/schedule.ts';
import { dueRuns, MAX_MISSED_RUNS, nextMissedAt } from './missed-runs.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const OPTIONS = { seed: 20240301, numRuns: 100 };

/** Around the hour that is skipped in Berlin. */
const START = at('2024-03-30T00:00Z');
const SPAN = 3 * DAY;

const check = fc
  .record({
    schedule: fc.constantFrom('* * * * *', '*/7 2-4 * * *', '30 2 * * *', '0 * * * 1', 'hourly', '*:0/20'),
    tz: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu'),
    isPeriod: fc.boolean(),
    timeoutSeconds: fc.constantFrom(60, 3_600, 5_000),
    graceSeconds: fc.constantFrom(60, 3_600, 100_000),
  })
  .map(({ isPeriod, schedule, ...config }) => {
    const kind = isPeriod ? 'simple' : schedule.split(' ').length === 5 ? 'cron' : 'oncalendar';
    return aCheck({ ...config, kind, schedule, status: 'down', lastPingAt: START });
  });

const silence = fc
  .tuple(fc.nat(SPAN), fc.nat(SPAN))
  .map(([one, other]) => ({ from: START + one, until: START + other, endedAt: START }));

suite('whatever the schedule', () => {
  test('the count is that of all minutes that are due', () => {
    fc.assert(
      fc.property(check, silence, (check, silence) => {
        let due = 0;
        if (check.kind === 'simple') {
          const period = check.timeoutSeconds * 1_000_000;
          for (let time = START; time <= silence.until; time += period) if (time > silence.from) due++;
        } else {
          const first = Math.floor(silence.from / MINUTE) * MINUTE;
          for (let minute = first; minute <= silence.until; minute += MINUTE)
            if (
              minute > silence.from &&
              nextOccurrence(check.schedule, check.tz, minute - 1_000_000) === minute
            )
              due++;
        }
        assert.equal(dueRuns(check, silence, 10_000), due);
      }),
      OPTIONS,
    );
  });

  test('two neighbouring silences have the runs of both, and no silence more than the bound', () => {
    fc.assert(
      fc.property(check, silence, fc.nat(SPAN), (check, { from, until, endedAt }, middle) => {
        const [start, end] = [Math.min(from, until), Math.max(from, until)];
        const between = Math.min(Math.max(START + middle, start), end);
        const count = (from: number, until: number, most = 10_000) =>
          dueRuns(check, { from, until, endedAt }, most);
        assert.equal(count(start, between) + count(between, end), count(start, end));
        assert.equal(count(start, end, MAX_MISSED_RUNS), Math.min(count(start, end), MAX_MISSED_RUNS));
      }),
      OPTIONS,
    );
  });

  test('the next run that will be missed is one more than now', () => {
    fc.assert(
      fc.property(check, fc.nat(SPAN), (check, after) => {
        const now = START + after;
        const grace = check.graceSeconds * 1_000_000;
        const next = nextMissedAt(check, now);
        assert.ok(next !== null && next > now);
        const until = (at: number) =>
          dueRuns(check, { from: now - grace, until: at - grace, endedAt: START }, 2);
        assert.deepEqual([until(next - 1), until(next)], [0, 1]);
      }),
      OPTIONS,
    );
  });
});
