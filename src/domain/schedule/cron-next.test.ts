import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { upcoming, upcomingLocal } from './schedule.test-support.ts';

suite('clock changes', () => {
  const rows: [string, string, string, string[]][] = [
    [
      '15 3 * * *',
      'Europe/Riga',
      '2021-03-27T12:00+02:00',
      ['2021-03-28T04:00+03:00', '2021-03-29T03:15+03:00'],
    ],
    [
      '30 1,2,3,4,5 * * *',
      'Europe/Riga',
      '2021-03-28T01:30+02:00',
      ['2021-03-28T02:30+02:00', '2021-03-28T04:00+03:00', '2021-03-28T04:30+03:00'],
    ],
    [
      '0 1,2,3,4,5 * * *',
      'Europe/Riga',
      '2021-03-28T01:30+02:00',
      ['2021-03-28T02:00+02:00', '2021-03-28T04:00+03:00', '2021-03-28T05:00+03:00'],
    ],
    [
      '15,45 3,4 * * *',
      'Europe/Riga',
      '2021-03-28T01:00+02:00',
      ['2021-03-28T04:00+03:00', '2021-03-28T04:15+03:00', '2021-03-28T04:45+03:00'],
    ],
    [
      '15 3 * * *',
      'Europe/Riga',
      '2021-10-30T12:00+03:00',
      ['2021-10-31T03:15+03:00', '2021-11-01T03:15+02:00'],
    ],
    [
      '30 1,2,3,4,5 * * *',
      'Europe/Riga',
      '2021-10-31T01:30+03:00',
      ['2021-10-31T02:30+03:00', '2021-10-31T03:30+03:00', '2021-10-31T04:30+02:00'],
    ],
    [
      '0 * * * *',
      'Europe/Riga',
      '2021-03-28T01:30+02:00',
      ['2021-03-28T02:00+02:00', '2021-03-28T04:00+03:00'],
    ],
    [
      '0 * * * *',
      'Europe/Riga',
      '2021-10-31T01:30+03:00',
      [
        '2021-10-31T02:00+03:00',
        '2021-10-31T03:00+03:00',
        '2021-10-31T03:00+02:00',
        '2021-10-31T04:00+02:00',
      ],
    ],
    [
      '0 */2 * * *',
      'Europe/Riga',
      '2021-10-31T01:30+03:00',
      ['2021-10-31T02:00+03:00', '2021-10-31T04:00+02:00'],
    ],
    [
      '0 */3 * * *',
      'Europe/Riga',
      '2021-10-31T01:30+03:00',
      ['2021-10-31T03:00+03:00', '2021-10-31T03:00+02:00', '2021-10-31T06:00+02:00'],
    ],
    [
      '30 */2 * * *',
      'Europe/Riga',
      '2021-10-31T01:30+03:00',
      ['2021-10-31T02:30+03:00', '2021-10-31T04:30+02:00'],
    ],
    ['*/15 3 * * *', 'Europe/Riga', '2021-03-28T01:00+02:00', ['2021-03-29T03:00+03:00']],
    ['15 */3 * * *', 'Europe/Riga', '2021-03-28T01:00+02:00', ['2021-03-28T06:15+03:00']],
    [
      '30 2 * * *',
      'America/New_York',
      '2024-03-09T12:00-05:00',
      ['2024-03-10T03:00-04:00', '2024-03-11T02:30-04:00'],
    ],
    [
      '0 */2 * * *',
      'America/New_York',
      '2024-03-10T00:30-05:00',
      ['2024-03-10T04:00-04:00', '2024-03-10T06:00-04:00'],
    ],
    [
      '*/30 * * * *',
      'America/New_York',
      '2024-11-03T01:20-04:00',
      [
        '2024-11-03T01:30-04:00',
        '2024-11-03T01:00-05:00',
        '2024-11-03T01:30-05:00',
        '2024-11-03T02:00-05:00',
      ],
    ],
    ['10 2 * * *', 'Australia/Lord_Howe', '2021-10-02T07:00+10:30', ['2021-10-03T02:30+11:00']],
    ['0 0 * * *', 'Asia/Beirut', '2021-03-27T14:00+02:00', ['2021-03-28T01:00+03:00']],
  ];
  for (const [expression, tz, from, expected] of rows) {
    test(`${expression} in ${tz} from ${from}`, () => {
      assert.deepEqual(upcomingLocal(expression, tz, from, expected.length), expected);
    });
  }
});

suite('the examples of the specification', () => {
  const rows: [string, string, string, string[]][] = [
    ['30 3 * * *', 'Europe/Riga', '2024-03-30T22:00Z', ['2024-03-31T01:00:00Z', '2024-04-01T00:30:00Z']],
    [
      '0,30 3,4 * * *',
      'Europe/Riga',
      '2024-03-30T22:00Z',
      ['2024-03-31T01:00:00Z', '2024-03-31T01:30:00Z', '2024-04-01T00:00:00Z'],
    ],
    ['30 * * * *', 'Europe/Riga', '2024-03-31T00:00Z', ['2024-03-31T00:30:00Z', '2024-03-31T01:30:00Z']],
    ['30 3 * * *', 'Europe/Riga', '2024-10-26T22:00Z', ['2024-10-27T00:30:00Z', '2024-10-28T01:30:00Z']],
    [
      '*/30 3 * * *',
      'Europe/Riga',
      '2024-10-26T22:00Z',
      ['2024-10-27T00:00:00Z', '2024-10-27T00:30:00Z', '2024-10-27T01:00:00Z', '2024-10-27T01:30:00Z'],
    ],
    ['31 23 * * *', 'Pacific/Apia', '2011-12-30T09:59:59Z', ['2011-12-30T10:00:00Z', '2011-12-31T09:31:00Z']],
  ];
  for (const [expression, tz, from, expected] of rows) {
    test(`${expression} in ${tz} from ${from}`, () => {
      assert.deepEqual(upcoming(expression, tz, from, expected.length), expected);
    });
  }
});

suite('days that depend on the month, from 2020-01-01', () => {
  const rows: [string, string[]][] = [
    ['0 0 L * *', ['2020-01-31', '2020-02-29']],
    ['0 0 LW * *', ['2020-01-31', '2020-02-28']],
    ['0 0 15,L * *', ['2020-01-15', '2020-01-31']],
    ['0 0 * * 5L', ['2020-01-31', '2020-02-28']],
    ['0 0 * * 0L', ['2020-01-26']],
    ['0 0 * * 7L', ['2020-01-26']],
    ['0 0 * * MON#1', ['2020-01-06']],
    ['0 0 * * 1#5', ['2020-03-30']],
  ];
  for (const [expression, expected] of rows) {
    test(`${expression} is ${expected.join(', ')}`, () => {
      const dates = upcoming(expression, 'UTC', '2020-01-01T00:00Z', expected.length);
      assert.deepEqual(
        dates.map((instant) => instant.slice(0, 10)),
        expected,
      );
    });
  }
});

test('a start in the second pass of a repeated hour never leads back into the first', () => {
  assert.deepEqual(upcomingLocal('30 1 * * *', 'America/New_York', '2024-11-03T01:10-05:00', 1), [
    '2024-11-04T01:30-05:00',
  ]);
  assert.deepEqual(upcoming('30 1 * * *', 'America/New_York', '2032-11-07T06:01Z', 1), [
    '2032-11-08T06:30:00Z',
  ]);
});

test('the day that Apia skipped is made up for at the start of the next', () => {
  assert.deepEqual(upcomingLocal('0 12 * * *', 'Pacific/Apia', '2011-12-29T00:00-10:00', 3), [
    '2011-12-29T12:00-10:00',
    '2011-12-31T00:00+14:00',
    '2011-12-31T12:00+14:00',
  ]);
});

test('a wildcard with a day restriction runs at real instants only, also when midnight is skipped', () => {
  assert.deepEqual(upcomingLocal('* * 28 * *', 'Asia/Beirut', '2021-03-27T14:00+02:00', 1), [
    '2021-03-28T01:00+03:00',
  ]);
});

test('a wildcard in a zone that shifts by half an hour misses nothing', () => {
  assert.deepEqual(upcomingLocal('*/15 * * * *', 'Australia/Lord_Howe', '2021-04-04T01:40+11:00', 5), [
    '2021-04-04T01:45+11:00',
    '2021-04-04T01:30+10:30',
    '2021-04-04T01:45+10:30',
    '2021-04-04T02:00+10:30',
    '2021-04-04T02:15+10:30',
  ]);
});

test('the clock change at 00:01 in Newfoundland repeats nothing for ever', () => {
  assert.deepEqual(upcoming('15 */2 * * *', 'America/St_Johns', '2001-10-28T02:00Z', 4), [
    '2001-10-28T03:45:00Z',
    '2001-10-28T05:45:00Z',
    '2001-10-28T07:45:00Z',
    '2001-10-28T09:45:00Z',
  ]);
});

test('a run that a gap of uneven length swallowed happens at the next full minute', () => {
  // Monrovia, 1972: after 00:00:00 came 00:44:30.
  for (const from of ['1972-01-06T12:00Z', '1972-01-07T00:44:29Z', '1972-01-07T00:44:45Z']) {
    assert.deepEqual(upcomingLocal('30 0 * * *', 'Africa/Monrovia', from, 2), [
      '1972-01-07T00:45+00:00',
      '1972-01-08T00:30+00:00',
    ]);
  }
});

test('a wildcard that always falls into the gap has no run, and says so quickly', () => {
  assert.deepEqual(upcoming('*/30 2 8-14 3 */7', 'America/New_York', '2024-01-01T00:00Z', 1), []);
});

test('the fraction of a second of the start does not count', () => {
  assert.deepEqual(upcoming('0 0 * * *', 'UTC', '2024-01-01T23:59:59.9Z', 1), ['2024-01-02T00:00:00Z']);
  assert.deepEqual(upcoming('0 0 * * *', 'UTC', '2024-01-02T00:00:00.5Z', 1), ['2024-01-03T00:00:00Z']);
});

test('29 February on a Sunday is found across the year 2100', () => {
  assert.deepEqual(upcoming('0 0 29 2 */7', 'UTC', '2073-01-01T00:00Z', 1), ['2088-02-29T00:00:00Z']);
  assert.deepEqual(upcoming('0 0 29 2 */7', 'UTC', '2089-01-01T00:00Z', 1), ['2128-02-29T00:00:00Z']);
});
