import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { at, HOUR, MINUTE } from '../check/check.test-support.ts';
import { type Calendar, closesAt, isDate, isOpenAt, opensAt } from './calendar.ts';
import { WORKING_HOURS } from './policy.test-support.ts';

const dayAfter = (date: string, days: number) => Temporal.PlainDate.from(date).add({ days }).toString();

const riga = (text: string) => at(`${text}+02:00`);

test('a calendar is open from its beginning up to its end', () => {
  assert.equal(isOpenAt(WORKING_HOURS, riga('2026-03-04T07:59:59.999999')), false);
  assert.equal(isOpenAt(WORKING_HOURS, riga('2026-03-04T08:00')), true);
  assert.equal(isOpenAt(WORKING_HOURS, riga('2026-03-04T17:59:59.999999')), true);
  assert.equal(isOpenAt(WORKING_HOURS, riga('2026-03-04T18:00')), false);
});

test('it says when it opens and when it closes', () => {
  assert.equal(opensAt(WORKING_HOURS, riga('2026-03-06T22:00')), riga('2026-03-09T08:00'));
  assert.equal(closesAt(WORKING_HOURS, riga('2026-03-06T22:00')), null);
  assert.equal(opensAt(WORKING_HOURS, riga('2026-03-06T12:00')), null);
  assert.equal(closesAt(WORKING_HOURS, riga('2026-03-06T12:00')), riga('2026-03-06T18:00'));
});

test('a day that is excepted is outside from midnight to midnight', () => {
  const calendar = { ...WORKING_HOURS, exceptDates: ['2026-03-05', '2026-03-06'] };

  assert.equal(isOpenAt(calendar, riga('2026-03-05T12:00')), false);
  assert.equal(opensAt(calendar, riga('2026-03-04T20:00')), riga('2026-03-09T08:00'));
  assert.equal(opensAt(calendar, riga('2026-03-05T12:00')), riga('2026-03-09T08:00'));
});

test('days that are excepted may be many, and follow each other over years', () => {
  const days = Array.from({ length: 200 }, (_, n) => dayAfter('2026-03-05', n));
  const calendar = { ...WORKING_HOURS, exceptDates: [...days.toReversed(), '2027-01-04'] };

  assert.equal(opensAt(calendar, riga('2026-03-04T20:00')), at('2026-09-21T08:00+03:00'));
  assert.equal(opensAt(calendar, riga('2027-01-03T20:00')), riga('2027-01-05T08:00'));
  assert.equal(closesAt(calendar, riga('2027-01-01T12:00')), riga('2027-01-01T18:00'));
});

test('a calendar that cannot be read is always open', () => {
  for (const wrong of [{ tz: 'Europe/Atlantis' }, { schedule: 'nonsense' }]) {
    const calendar = { ...WORKING_HOURS, exceptDates: ['2026-03-05'], ...wrong };
    assert.equal(isOpenAt(calendar, riga('2026-03-04T23:00')), true);
    assert.equal(opensAt(calendar, riga('2026-03-04T23:00')), null);
  }
});

suite('hours over midnight', () => {
  const night: Calendar = {
    schedule: '*-*-* 22:00',
    tz: 'Europe/Riga',
    duration: 8 * HOUR,
    exceptDates: ['2026-03-05'],
  };

  test('end and begin at the edges of a day that is excepted', () => {
    assert.equal(closesAt(night, riga('2026-03-04T23:00')), riga('2026-03-05T00:00'));
    assert.equal(isOpenAt(night, riga('2026-03-05T03:00')), false);
    assert.equal(isOpenAt(night, riga('2026-03-05T23:00')), false);
    assert.equal(opensAt(night, riga('2026-03-05T03:00')), riga('2026-03-06T00:00'));
    assert.equal(closesAt(night, riga('2026-03-06T00:00')), riga('2026-03-06T06:00'));
  });
});

test('hours last as long over both changes of clocks', () => {
  const sunday: Calendar = { schedule: 'Sun 01:00', tz: 'Europe/Riga', duration: 4 * HOUR, exceptDates: [] };
  for (const [began, ended] of [
    ['2026-03-29T01:00+02:00', '2026-03-29T06:00+03:00'],
    ['2026-10-25T01:00+03:00', '2026-10-25T04:00+02:00'],
  ] as const) {
    assert.equal(isOpenAt(sunday, at(began)), true);
    assert.equal(closesAt(sunday, at(began)), at(ended));
    assert.equal(isOpenAt(sunday, at(ended) - 1), true);
    assert.equal(isOpenAt(sunday, at(ended)), false);
  }
});

test('hours that follow each other without a gap are one span', () => {
  const always: Calendar = { schedule: '0 * * * *', tz: 'UTC', duration: HOUR, exceptDates: [] };
  const twice: Calendar = { schedule: '0,30 8 * * *', tz: 'UTC', duration: 40 * MINUTE, exceptDates: [] };

  assert.equal(closesAt(always, at('2026-03-04T12:20Z')), null);
  assert.equal(closesAt(twice, at('2026-03-04T08:10Z')), at('2026-03-04T09:10Z'));
});

test('a date is four, two and two digits of a day that exists', () => {
  for (const text of ['2026-12-24', '2028-02-29']) assert.ok(isDate(text), text);
  for (const text of ['2026-02-29', '2026-13-01', '24.12.2026', '2026-12-24T00:00', '+002026-12-24', ''])
    assert.ok(!isDate(text), text);
});
