import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Instant } from '../../lib/instant.ts';
import { aCheck, at, DAY, HOUR, MINUTE, NOW } from './check.test-support.ts';
import type { Check, Status } from './check.ts';
import { deadlineOf, expectedAt, graceStart, isRunOverdue, statusAt, steadySpan } from './status.ts';

const cron = (schedule: string, tz = 'UTC', overrides: Partial<Check> = {}) =>
  aCheck({ status: 'up', kind: 'cron', schedule, tz, ...overrides });
const onCalendar = (schedule: string, overrides: Partial<Check> = {}) =>
  aCheck({ status: 'up', kind: 'oncalendar', schedule, ...overrides });

function assertStatuses(check: Check, expected: readonly [Instant, Status][]): void {
  assert.deepEqual(
    expected.map(([when]) => statusAt(check, when)),
    expected.map(([, status]) => status),
  );
}

suite('a check that is up', () => {
  test('is late from the very instant a ping is due, and down from the very end of grace', () => {
    const check = aCheck({ status: 'up', lastPingAt: NOW });

    assert.equal(expectedAt(check), NOW + DAY);
    assert.equal(deadlineOf(check), NOW + DAY + HOUR);
    assertStatuses(check, [
      [NOW, 'up'],
      [NOW + DAY - 1, 'up'],
      [NOW + DAY, 'grace'],
      [NOW + DAY + HOUR - 1, 'grace'],
      [NOW + DAY + HOUR, 'down'],
      [NOW + 400 * DAY, 'down'],
    ]);
  });

  test('on a cron schedule waits for the next run after its last ping', () => {
    const check = cron('0 0 * * *', 'UTC', { lastPingAt: at('2000-01-01T00:00Z') });

    assertStatuses(check, [
      [at('2000-01-01T23:59:59.999999Z'), 'up'],
      [at('2000-01-02T00:00Z'), 'grace'],
      [at('2000-01-02T00:59:59.999999Z'), 'grace'],
      [at('2000-01-02T01:00Z'), 'down'],
    ]);
  });

  test('on an OnCalendar schedule waits for the earliest of its lines', () => {
    const check = onCalendar('12:00\n00:00', { lastPingAt: at('2000-01-01T00:00Z') });

    assert.equal(expectedAt(check), at('2000-01-01T12:00Z'));
  });

  test('on a schedule without another run stays up for ever', () => {
    const check = onCalendar('2019-01-01', { lastPingAt: at('2020-01-01T00:00Z') });

    assert.equal(expectedAt(check), null);
    assert.equal(graceStart(check), null);
    assert.equal(deadlineOf(check), null);
    assertStatuses(check, [
      [at('2020-01-01T00:00Z'), 'up'],
      [at('2199-12-31T00:00Z'), 'up'],
    ]);
  });

  test('on a schedule without another run is still watched while a job runs', () => {
    const check = onCalendar('2019-01-01', { lastPingAt: at('2020-01-01T00:00Z'), lastStartAt: NOW });

    assert.equal(graceStart(check), NOW);
    assertStatuses(check, [
      [NOW + HOUR - 1, 'up'],
      [NOW + HOUR, 'down'],
    ]);
  });

  test('is not satisfied by a ping just before the run is due', () => {
    const early = cron('0 0 * * *', 'UTC', { lastPingAt: at('2000-01-01T23:59:59.9Z') });
    const onTime = cron('0 0 * * *', 'UTC', { lastPingAt: at('2000-01-02T00:00:00.5Z') });

    assert.equal(expectedAt(early), at('2000-01-02T00:00Z'));
    assert.equal(expectedAt(onTime), at('2000-01-03T00:00Z'));
  });

  test('follows the clock of its zone', () => {
    const brisbane = cron('0 10 * * *', 'Australia/Brisbane', { lastPingAt: at('2000-01-01T00:00Z') });
    const riga = cron('15 * * * *', 'Europe/Riga', {
      graceSeconds: 300,
      lastPingAt: at('2023-10-29T00:55Z'),
    });

    assertStatuses(brisbane, [
      [at('2000-01-01T23:59Z'), 'up'],
      [at('2000-01-02T00:00Z'), 'grace'],
      [at('2000-01-02T01:00Z'), 'down'],
    ]);
    assert.equal(expectedAt(riga), at('2023-10-29T01:15Z'));
    assert.equal(statusAt(riga, at('2023-10-29T01:05Z')), 'up');
  });

  test('has a grace of so many seconds, also while clocks are set back', () => {
    // Clocks go back at 01:00Z: between 03:30 and 04:30 of that day two hours pass in Riga.
    const check = cron('30 3 * * *', 'Europe/Riga', {
      graceSeconds: 3_600,
      lastPingAt: at('2023-10-28T12:00Z'),
    });

    assert.equal(expectedAt(check), at('2023-10-29T00:30Z'));
    assert.equal(deadlineOf(check), at('2023-10-29T01:30Z'));
  });
});

suite('a check that is not up', () => {
  for (const status of ['new', 'down', 'paused'] as const) {
    test(`expects nothing and has no deadline when it is ${status}`, () => {
      const check = aCheck({ status, lastPingAt: NOW - 10 * DAY });

      assert.equal(expectedAt(check), null);
      assert.equal(graceStart(check), null);
      assert.equal(deadlineOf(check), null);
      assertStatuses(check, [
        [NOW, status],
        [NOW + 400 * DAY, status],
      ]);
    });
  }
});

suite('an open run', () => {
  const rows: { stored: Check['status']; deadline: Instant | null; until: Status }[] = [
    { stored: 'new', deadline: NOW + HOUR, until: 'new' },
    { stored: 'up', deadline: NOW + HOUR, until: 'up' },
    { stored: 'down', deadline: null, until: 'down' },
  ];
  for (const { stored, deadline, until } of rows) {
    test(`must end within grace, when the check is ${stored}`, () => {
      const check = aCheck({ status: stored, lastPingAt: NOW - 30 * MINUTE, lastStartAt: NOW });

      assert.equal(deadlineOf(check), deadline);
      assert.equal(graceStart(check), deadline === null ? null : NOW);
      assertStatuses(check, [
        [NOW + HOUR - 1, until],
        [NOW + HOUR, 'down'],
      ]);
      assert.deepEqual([isRunOverdue(check, NOW + HOUR - 1), isRunOverdue(check, NOW + HOUR)], [false, true]);
    });
  }

  test('that an earlier version has left of a paused check is not watched', () => {
    const check = aCheck({ status: 'paused', lastStartAt: NOW });

    assert.deepEqual([graceStart(check), deadlineOf(check)], [null, null]);
    assertStatuses(check, [[NOW + HOUR, 'paused']]);
  });

  test('does not postpone a deadline that is nearer', () => {
    const check = aCheck({
      status: 'up',
      lastPingAt: NOW - DAY - 30 * MINUTE,
      lastStartAt: NOW,
    });

    assert.equal(graceStart(check), NOW - 30 * MINUTE);
    assert.equal(deadlineOf(check), NOW + 30 * MINUTE);
    assertStatuses(check, [
      [NOW, 'grace'],
      [NOW + 30 * MINUTE, 'down'],
    ]);
  });

  test('is not late by the schedule while the schedule is not due', () => {
    const check = aCheck({ status: 'up', lastPingAt: NOW - HOUR, lastStartAt: NOW - 59 * MINUTE });

    assert.equal(statusAt(check, NOW), 'up');
  });

  test('that was reported once neither takes the check down again nor is waited for', () => {
    const check = aCheck({
      status: 'up',
      lastPingAt: NOW,
      lastStartAt: NOW - 2 * HOUR,
      runReported: true,
    });

    assert.equal(isRunOverdue(check, NOW), true);
    assert.equal(graceStart(check), NOW + DAY);
    assertStatuses(check, [
      [NOW, 'up'],
      [NOW + DAY, 'grace'],
      [NOW + DAY + HOUR, 'down'],
    ]);
  });
});

suite('what readers see of a check', () => {
  const micros = fc.integer({ min: 0, max: 4 * DAY });
  const instant = micros.map((after) => NOW + after);
  const arbitraryCheck = fc
    .record({
      status: fc.constantFrom('new', 'up', 'down', 'paused'),
      kind: fc.constantFrom('simple', 'cron'),
      timeoutSeconds: fc.integer({ min: 60, max: 100_000 }),
      graceSeconds: fc.integer({ min: 60, max: 100_000 }),
      schedule: fc.constantFrom('0 * * * *', '30 3 * * *'),
      lastPingAt: fc.option(instant),
      lastStartAt: fc.option(instant),
      runReported: fc.boolean(),
      excusedUntilAt: fc.option(instant),
    } satisfies { [Field in keyof Check]?: fc.Arbitrary<Check[Field]> })
    .map((fields) => aCheck(fields));

  test('is steady from the first to the last instant of its span, and only there', () => {
    const seen = (check: Check, now: Instant) => [statusAt(check, now), isRunOverdue(check, now)];
    fc.assert(
      fc.property(arbitraryCheck, instant, instant, (check, now, other) => {
        const { from, until } = steadySpan(check, now);
        assert.ok(from <= now && now < until);
        const instants = [other, from, until - 1].filter((one) => Number.isFinite(one));
        for (const one of instants.filter((instant) => from <= instant && instant < until))
          assert.deepEqual(seen(check, one), seen(check, now), `at ${one}`);
        if (Number.isFinite(from)) assert.equal(steadySpan(check, from - 1).until, from);
        if (Number.isFinite(until)) assert.equal(steadySpan(check, until).from, until);
      }),
      { seed: 20240301, numRuns: 2_000 },
    );
  });

  test('is steady for ever if nothing is expected', () => {
    assert.deepEqual(steadySpan(aCheck({ status: 'paused' }), NOW), {
      from: Number.NEGATIVE_INFINITY,
      until: Number.POSITIVE_INFINITY,
    });
  });
});
