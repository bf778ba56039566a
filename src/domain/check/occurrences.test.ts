import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Instant } from '../../lib/instant.ts';
import { aCheck, at, DAY, HOUR, MINUTE, NOW } from './check.test-support.ts';
import type { Check } from './check.ts';
import {
  ALWAYS_WATCHED,
  badRunsAt,
  badRunsReachAt,
  closeGap,
  type Gap,
  MAX_LISTED,
  MAX_MISSED,
  missedBefore,
  type Unwatched,
} from './occurrences.ts';

/** Every night at 03:00, an hour of grace. */
const nightly = aCheck({ kind: 'cron', schedule: '0 3 * * *', tz: 'UTC' });
const night = (day: number, time: string) => at(`2024-03-0${day}T${time}Z`);

function told(check: Check, gap: Partial<Gap> & Pick<Gap, 'from' | 'endedAt'>, unwatched = ALWAYS_WATCHED) {
  const { claimed, noShows } = closeGap(check, { startedAt: null, aliveAt: null, ...gap }, unwatched);
  return {
    claimed: claimed === null ? null : new Date(claimed / 1000).toISOString().slice(5, 16),
    rest: noShows.map(({ result, count }) => `${count} ${result}`).join(', '),
  };
}

suite('between two ends', () => {
  test('an end claims the last occurrence before it, and the others are missed', () => {
    assert.deepEqual(told(nightly, { from: night(1, '03:10'), endedAt: night(2, '03:10') }), {
      claimed: '03-02T03:00',
      rest: '',
    });
    assert.deepEqual(told(nightly, { from: night(1, '03:10'), endedAt: night(3, '03:10') }), {
      claimed: '03-03T03:00',
      rest: '1 missed',
    });
  });

  test('an end that is late claims its own, and nothing is missed', () => {
    assert.deepEqual(told(nightly, { from: night(1, '03:10'), endedAt: night(2, '05:00') }), {
      claimed: '03-02T03:00',
      rest: '',
    });
  });

  test('a second end before the next occurrence claims nothing', () => {
    assert.equal(told(nightly, { from: night(1, '03:10'), endedAt: night(1, '12:00') }).claimed, null);
  });

  test('minutes are missed although the grace time is longer', () => {
    const minutely = aCheck({ kind: 'cron', schedule: '* * * * *', tz: 'UTC', graceSeconds: 300 });
    assert.deepEqual(told(minutely, { from: NOW, endedAt: NOW + 5 * MINUTE }), {
      claimed: '03-01T12:05',
      rest: '4 missed',
    });
  });

  test('a run belongs to the time at which it began, and others are skipped while it is within its limit', () => {
    const hourly = aCheck({ kind: 'cron', schedule: '0 * * * *', tz: 'UTC', graceSeconds: 2 * 3600 });
    const gap = { from: NOW + 10 * MINUTE, startedAt: NOW + HOUR + MINUTE };
    assert.deepEqual(told(hourly, { ...gap, endedAt: NOW + 2.5 * HOUR }), {
      claimed: '03-01T13:00',
      rest: '1 skipped',
    });
    assert.deepEqual(told(hourly, { ...gap, endedAt: NOW + 5.5 * HOUR }), {
      claimed: '03-01T13:00',
      rest: '2 skipped, 2 missed',
    });
    const unlimited = { ...hourly, runRules: '{"end_within":0}' };
    assert.equal(told(unlimited, { ...gap, endedAt: NOW + 5.5 * HOUR }).rest, '4 missed');
  });

  test('a run that began before the time claims it by its end', () => {
    const gap = { from: night(1, '03:10'), startedAt: night(2, '02:50'), endedAt: night(2, '03:10') };
    assert.deepEqual(told(nightly, gap), { claimed: '03-02T03:00', rest: '' });
  });

  test('a run that may come early counts for the time after it', () => {
    const early = { ...nightly, runRules: '{"early":900}' };
    const gap = { from: night(1, '03:00'), endedAt: night(2, '02:50') };
    assert.deepEqual(told(early, gap), { claimed: '03-02T03:00', rest: '' });
    assert.equal(told(early, { ...gap, endedAt: night(2, '02:40') }).claimed, null);
  });

  test('a period counts from the end before', () => {
    const hourly = aCheck({ timeoutSeconds: 3_600 });
    assert.deepEqual(told(hourly, { from: NOW + MINUTE, endedAt: NOW + 4.5 * HOUR }), {
      claimed: '03-01T16:01',
      rest: '3 missed',
    });
  });

  test('nothing is said of the time before the schedule was changed', () => {
    const edited = { ...nightly, timedAt: night(4, '12:00') };
    assert.equal(told(edited, { from: night(1, '03:10'), endedAt: night(7, '03:10') }).rest, '2 missed');
    assert.deepEqual(told(edited, { from: night(1, '03:10'), endedAt: night(4, '03:10') }), {
      claimed: null,
      rest: '',
    });
  });

  test('quiet times are skipped, and what nobody watched is unknown', () => {
    const unwatched: Unwatched = {
      quiet: [{ from: night(2, '02:00'), until: night(2, '05:00') }],
      // At the deadlines, not when the runs were due.
      blind: [{ from: night(4, '03:30'), until: night(5, '04:00') }],
    };
    const gap = { from: night(1, '03:10'), endedAt: night(7, '03:10') };
    assert.equal(told(nightly, gap, unwatched).rest, '1 skipped, 1 missed, 1 unknown, 2 missed');
  });

  test('hours that are skipped or shown twice by clocks are those of the schedule', () => {
    const riga = aCheck({ kind: 'cron', schedule: '*/30 * * * *', tz: 'Europe/Riga' });
    const day = (from: string) => {
      const start = at(from);
      return closeGap(riga, { from: start, startedAt: null, aliveAt: null, endedAt: start + 6 * HOUR })
        .noShows;
    };
    assert.equal(day('2024-03-30T22:00Z')[0]?.count, 11);
    const daily = { ...riga, schedule: '30 3 * * *' };
    const gap = { startedAt: null, aliveAt: null };
    for (const start of ['2024-03-29T12:00Z', '2024-10-25T12:00Z'])
      assert.equal(
        closeGap(daily, { ...gap, from: at(start), endedAt: at(start) + 3 * DAY }).noShows[0]?.count,
        2,
      );
  });

  test('three months of minutes are counted, and the newest are listed', () => {
    const minutely = aCheck({ kind: 'cron', schedule: '* * * * *', tz: 'UTC' });
    const gap = { from: NOW, startedAt: null, aliveAt: null, endedAt: NOW + 90 * DAY + MINUTE };
    const [missed, ...others] = closeGap(minutely, gap).noShows;
    assert.deepEqual([missed?.count, missed?.listed.length, others.length], [129_600, MAX_LISTED, 0]);
    assert.deepEqual([missed?.first, missed?.listed.at(-1)], [NOW + MINUTE, NOW + 90 * DAY]);
  });

  test('a schedule that cannot be evaluated expects nothing', () => {
    const broken = aCheck({ kind: 'cron', schedule: 'now and then', tz: 'UTC' });
    assert.deepEqual(told(broken, { from: NOW, endedAt: NOW + DAY }), { claimed: null, rest: '' });
  });
});

test('of the runs that were missed before a failure, no more than a hundred are counted', () => {
  const secondly = aCheck({
    kind: 'oncalendar',
    schedule: '*:*:*',
    tz: 'UTC',
    status: 'up',
    lastPingAt: NOW,
  });
  const missed = (after: Instant, blind: Unwatched['blind'] = []) =>
    missedBefore(secondly, null, NOW + after, { quiet: [], blind });

  assert.equal(missed(60e6), 59);
  assert.equal(missed(30 * DAY), MAX_MISSED);
  const limit = secondly.graceSeconds * 1e6;
  assert.equal(missed(30 * DAY, [{ from: NOW + limit, until: NOW + 30 * DAY + limit - 50e6 }]), 50);
});

suite('bad runs in a row', () => {
  const every5 = aCheck({ kind: 'cron', schedule: '*/5 * * * *', tz: 'UTC', graceSeconds: 60 });
  const silent: Check = { ...every5, status: 'up', lastPingAt: NOW };
  const bad = (check: Check, now: Instant, unwatched = ALWAYS_WATCHED) => badRunsAt(check, unwatched, now);
  const reach = (check: Check, most: number, unwatched = ALWAYS_WATCHED) =>
    ((badRunsReachAt(check, unwatched, most, NOW) ?? Number.NaN) - NOW) / MINUTE;

  test('grow with each deadline that passes', () => {
    assert.deepEqual(
      [6 * MINUTE - 1, 6 * MINUTE, 11 * MINUTE, 16 * MINUTE].map((after) => bad(silent, NOW + after)),
      [0, 1, 2, 3],
    );
    assert.deepEqual(
      [1, 2, 3].map((most) => reach(silent, most)),
      [6, 11, 16],
    );
  });

  test('begin with the failures before', () => {
    const failed = { ...silent, status: 'down' as const, badCount: 2 };
    assert.equal(bad(failed, NOW), 2);
    assert.deepEqual([reach(failed, 2), reach(failed, 3)], [0, 6]);
  });

  test('include an open run that lasts too long, and what is missed after its limit', () => {
    const hung: Check = { ...silent, runRules: '{"end_within":600}', lastStartAt: NOW + 5 * MINUTE };
    assert.deepEqual(
      [14, 15, 16, 21].map((minutes) => bad(hung, NOW + minutes * MINUTE)),
      [0, 1, 2, 3],
    );
    assert.deepEqual(
      [1, 2, 3].map((most) => reach(hung, most)),
      [15, 16, 21],
    );
  });

  test('count one for a run of a new check that lasts too long', () => {
    const first: Check = { ...every5, status: 'new', lastStartAt: NOW };
    assert.deepEqual([bad(first, NOW + 59e6), bad(first, NOW + MINUTE)], [0, 1]);
    assert.ok(Number.isNaN(reach(first, 2)));
  });

  test('do not count what a quiet time or blindness covers', () => {
    const quiet = [{ from: NOW + MINUTE, until: NOW + 12 * MINUTE }];
    assert.equal(bad(silent, NOW + 16 * MINUTE, { quiet, blind: [] }), 1);
    assert.equal(reach(silent, 1, { quiet, blind: [] }), 16);
    const blind = [{ from: NOW + 4 * MINUTE, until: NOW + 10 * MINUTE }];
    assert.equal(bad(silent, NOW + 16 * MINUTE, { quiet: [], blind }), 2);
  });

  test('wait for a deadline that was put off', () => {
    const excused: Check = { ...silent, excusedUntilAt: NOW + 30 * MINUTE };
    assert.equal(bad(excused, NOW + 29 * MINUTE), 0);
    assert.equal(reach(excused, 1), 30);
  });

  test('are none while a check is paused, or expects nothing', () => {
    assert.equal(bad({ ...silent, status: 'paused' }, NOW + DAY), 0);
    assert.equal(bad({ ...silent, lastPingAt: null }, NOW + DAY), 0);
    assert.ok(Number.isNaN(reach({ ...silent, status: 'paused' }, 1)));
  });
});
