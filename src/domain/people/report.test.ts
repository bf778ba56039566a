import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fromTemporal, type Instant } from '../../lib/instant.ts';
import { inZone } from '../../lib/zone.ts';
import { nextReportAt, periodStarts, type ReportPeriod, reportBoundaries } from './report.ts';

function instant(text: string): Instant {
  return fromTemporal(Temporal.Instant.from(text));
}

/** The wall time in the zone, without the zone. */
function wall(at: Instant, timeZone: string): string {
  return inZone(at, timeZone).toPlainDateTime().toString({ smallestUnit: 'minute' });
}

suite('the date of the next report', () => {
  // A Wednesday.
  const now = instant('2020-01-15T12:00:00Z');
  const dates: [period: ReportPeriod, date: string][] = [
    ['daily', '2020-01-16'],
    ['weekly', '2020-01-20'],
    ['monthly', '2020-02-01'],
  ];
  for (const [period, date] of dates) {
    test(`a ${period} one comes on ${date}, between 09:00 and 10:59`, () => {
      assert.equal(wall(nextReportAt(period, 'UTC', now, 0), 'UTC'), `${date}T09:00`);
      assert.equal(wall(nextReportAt(period, 'UTC', now, 0.5), 'UTC'), `${date}T10:00`);
      assert.equal(wall(nextReportAt(period, 'UTC', now, 0.999_999), 'UTC'), `${date}T10:59`);
    });
  }

  test('is after today even when today matches and it is early', () => {
    const mondayTheFirst = instant('2020-06-01T00:00:00Z');

    assert.equal(wall(nextReportAt('daily', 'UTC', mondayTheFirst, 0), 'UTC'), '2020-06-02T09:00');
    assert.equal(wall(nextReportAt('weekly', 'UTC', mondayTheFirst, 0), 'UTC'), '2020-06-08T09:00');
    assert.equal(wall(nextReportAt('monthly', 'UTC', mondayTheFirst, 0), 'UTC'), '2020-07-01T09:00');
  });

  test('follows the last day of a year, and the Sunday of a week', () => {
    const sunday = instant('2023-12-31T23:59:59Z');

    assert.equal(wall(nextReportAt('daily', 'UTC', sunday, 0), 'UTC'), '2024-01-01T09:00');
    assert.equal(wall(nextReportAt('weekly', 'UTC', sunday, 0), 'UTC'), '2024-01-01T09:00');
    assert.equal(wall(nextReportAt('monthly', 'UTC', sunday, 0), 'UTC'), '2024-01-01T09:00');
  });

  test('today is a day of the zone of the account', () => {
    const lastEvening = instant('2020-01-31T23:30:00Z');

    assert.equal(
      wall(nextReportAt('monthly', 'America/New_York', lastEvening, 0), 'America/New_York'),
      '2020-02-01T09:00',
    );
    assert.equal(
      wall(nextReportAt('monthly', 'Pacific/Kiritimati', lastEvening, 0), 'Pacific/Kiritimati'),
      '2020-03-01T09:00',
    );
  });

  test('the day after clocks changed it is still at nine', () => {
    const saturday = instant('2020-03-28T12:00:00Z');

    assert.equal(nextReportAt('daily', 'Europe/Riga', saturday, 0), instant('2020-03-29T06:00:00Z'));
  });

  test('a day that the zone skipped is made up for on the next one', () => {
    // Samoa had no 30 December 2011.
    const at = nextReportAt('daily', 'Pacific/Apia', instant('2011-12-30T05:00:00Z'), 0);

    assert.equal(wall(at, 'Pacific/Apia'), '2011-12-31T09:00');
  });

  test('a zone that nobody knows counts as UTC', () => {
    assert.equal(nextReportAt('daily', 'Mars/Olympus', now, 0), instant('2020-01-16T09:00:00Z'));
  });
});

suite('the periods of a report', () => {
  const now = instant('2020-01-15T12:00:00Z');
  const rows: [period: ReportPeriod, starts: string[]][] = [
    ['daily', ['2020-01-15', '2020-01-14', '2020-01-13']],
    ['weekly', ['2020-01-13', '2020-01-06', '2019-12-30']],
    ['monthly', ['2020-01-01', '2019-12-01', '2019-11-01']],
  ];
  for (const [period, starts] of rows) {
    test(`a ${period} one shows the two complete periods before the current one`, () => {
      assert.deepEqual(
        reportBoundaries(period, 'UTC', now),
        starts.map((day) => instant(`${day}T00:00:00Z`)),
      );
    });
  }

  test('begin at midnight of the zone, east and west of Greenwich', () => {
    assert.deepEqual(
      reportBoundaries('daily', 'Europe/Riga', instant('2020-01-14T22:30:00Z')),
      ['2020-01-14T22:00:00Z', '2020-01-13T22:00:00Z', '2020-01-12T22:00:00Z'].map(instant),
    );
    assert.deepEqual(
      reportBoundaries('daily', 'America/New_York', instant('2020-01-15T04:30:00Z')),
      ['2020-01-14T05:00:00Z', '2020-01-13T05:00:00Z', '2020-01-12T05:00:00Z'].map(instant),
    );
  });

  test('are longer or shorter where clocks change', () => {
    assert.deepEqual(
      reportBoundaries('weekly', 'Europe/Riga', instant('2020-03-31T12:00:00Z')),
      ['2020-03-29T21:00:00Z', '2020-03-22T22:00:00Z', '2020-03-15T22:00:00Z'].map(instant),
    );
  });

  test('a day without midnight begins at one', () => {
    const [today] = reportBoundaries('daily', 'America/Sao_Paulo', instant('2018-11-04T12:00:00Z'));

    assert.equal(wall(today ?? 0, 'America/Sao_Paulo'), '2018-11-04T01:00');
  });

  test('there can be more of them', () => {
    const starts = periodStarts('monthly', 'UTC', instant('2020-03-31T12:00:00Z'), 13);

    assert.deepEqual(
      starts.map((at) => wall(at, 'UTC').slice(0, 10)),
      ['2020-03', '2020-02', '2020-01']
        .concat(Array.from({ length: 11 }, (_, ago) => `2019-${String(12 - ago).padStart(2, '0')}`))
        .map((month) => `${month}-01`),
    );
  });
});
