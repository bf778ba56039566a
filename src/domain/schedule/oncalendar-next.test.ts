import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { upcoming, upcomingLocal } from './schedule.test-support.ts';

test('the last Sunday of each month', () => {
  assert.deepEqual(upcoming('Sun *~7/1', 'UTC', '2020-01-01T00:00Z', 3), [
    '2020-01-26T00:00:00Z',
    '2020-02-23T00:00:00Z',
    '2020-03-29T00:00:00Z',
  ]);
});

test('the next Monday that is 29 February is in 2044', () => {
  assert.deepEqual(upcoming('Mon 2-29', 'UTC', '2020-01-01T00:00Z', 1), ['2044-02-29T00:00:00Z']);
});

suite('clock changes', () => {
  const rows: [string, string, string, string[]][] = [
    ['03:30', 'Europe/Riga', '2021-03-27T12:00+02:00', ['2021-03-29T03:30+03:00']],
    ['*:0/30', 'Europe/Riga', '2021-03-28T02:20+02:00', ['2021-03-28T02:30+02:00', '2021-03-28T04:00+03:00']],
    ['*:0/30', 'Europe/Riga', '2021-10-31T03:20+03:00', ['2021-10-31T03:30+03:00', '2021-10-31T04:00+02:00']],
    ['03:30', 'Europe/Riga', '2024-03-30T22:00Z', ['2024-04-01T03:30+03:00']],
    [
      '*:0/20',
      'Europe/Riga',
      '2024-10-27T00:15Z',
      ['2024-10-27T03:20+03:00', '2024-10-27T03:40+03:00', '2024-10-27T04:00+02:00'],
    ],
    ['daily', 'America/Sao_Paulo', '2017-10-14T12:00Z', ['2017-10-16T00:00-02:00']],
    ['00:30', 'America/St_Johns', '2010-03-14T02:00Z', ['2010-03-15T00:30-02:30']],
    ['01:30', 'America/St_Johns', '2010-03-14T02:00Z', ['2010-03-14T01:30-02:30']],
  ];
  for (const [expression, tz, from, expected] of rows) {
    test(`${expression} in ${tz} from ${from}`, () => {
      assert.deepEqual(upcomingLocal(expression, tz, from, expected.length), expected);
    });
  }
});

test('from the second pass of a repeated hour, the next run is the first one after it', () => {
  assert.deepEqual(upcomingLocal('*:0/10', 'America/New_York', '2024-11-03T01:05-05:00', 2), [
    '2024-11-03T02:00-05:00',
    '2024-11-03T02:10-05:00',
  ]);
  assert.deepEqual(upcomingLocal('01:30', 'America/New_York', '2024-11-03T01:05-05:00', 1), [
    '2024-11-04T01:30-05:00',
  ]);
});

test('every second is skipped in a gap, and only in it', () => {
  assert.deepEqual(upcomingLocal('*:*:*', 'Europe/Riga', '2024-03-31T00:59:58Z', 2), [
    '2024-03-31T02:59:59+02:00',
    '2024-03-31T04:00+03:00',
  ]);
});

test('every second is skipped for a whole day in Apia', () => {
  assert.deepEqual(upcomingLocal('*:*:*', 'Pacific/Apia', '2011-12-30T09:59:58Z', 2), [
    '2011-12-29T23:59:59-10:00',
    '2011-12-31T00:00+14:00',
  ]);
});

test('lines in several zones are merged, and an instant in two of them counts once', () => {
  assert.deepEqual(
    upcoming('10:00 Europe/Riga\n08:00\n09:00 America/New_York', 'UTC', '2024-01-01T00:00Z', 4),
    ['2024-01-01T08:00:00Z', '2024-01-01T14:00:00Z', '2024-01-02T08:00:00Z', '2024-01-02T14:00:00Z'],
  );
});

test('a schedule ends with its last year, and all of them before 2200', () => {
  assert.deepEqual(upcoming('2030..2031-6-1', 'UTC', '2024-01-01T00:00Z', 5), [
    '2030-06-01T00:00:00Z',
    '2031-06-01T00:00:00Z',
  ]);
  assert.deepEqual(upcoming('12-31 23:59:59', 'UTC', '2199-06-01T00:00Z', 5), ['2199-12-31T23:59:59Z']);
  assert.deepEqual(upcoming('hourly', 'America/New_York', '2200-01-01T03:30Z', 5), ['2200-01-01T04:00:00Z']);
});

test('nothing runs before 1970', () => {
  assert.deepEqual(upcoming('daily', 'UTC', '1900-01-01T00:00Z', 1), ['1970-01-01T00:00:00Z']);
});

test('a line that always falls into the gap has no run', () => {
  assert.deepEqual(upcoming('Sun *-3~7/1 01:30 Europe/London', 'UTC', '2000-01-01T00:00Z', 1), []);
});
