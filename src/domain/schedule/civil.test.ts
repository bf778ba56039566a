import assert from 'node:assert/strict';
import { test } from 'node:test';
import { civilDate, dayNumber, daysInMonth, isLeapYear, weekdayOf, yearOf } from './civil.ts';

test('1970-01-01 is day 0, a Thursday', () => {
  assert.equal(dayNumber(1970, 1, 1), 0);
  assert.deepEqual(civilDate(0), { year: 1970, month: 1, day: 1 });
  assert.equal(weekdayOf(0), 4);
});

test('every day from 1890 to 2210 agrees with Temporal', () => {
  let date = Temporal.PlainDate.from('1890-01-01');
  for (let number = dayNumber(1890, 1, 1); date.year < 2210; number += 1) {
    const { year, month, day } = date;
    assert.deepEqual(civilDate(number), { year, month, day });
    assert.equal(dayNumber(year, month, day), number);
    assert.equal(weekdayOf(number), date.dayOfWeek % 7);
    date = date.add({ days: 1 });
  }
});

test('months and leap years at the turns of centuries agree with Temporal', () => {
  for (const year of [-1, 0, 1, 4, 1600, 1700, 1900, 1999, 2000, 2023, 2024, 2100, 2200, 2400, 9999]) {
    assert.equal(isLeapYear(year), Temporal.PlainDate.from({ year, month: 1, day: 1 }).inLeapYear);
    for (let month = 1; month <= 12; month += 1) {
      const first = Temporal.PlainDate.from({ year, month, day: 1 });
      assert.equal(daysInMonth(year, month), first.daysInMonth);
      assert.equal(dayNumber(year, month, 1), first.since('1970-01-01').total('days'));
      assert.deepEqual(civilDate(dayNumber(year, month, 1)), { year, month, day: 1 });
    }
  }
});

test('the last second before a year belongs to the year before', () => {
  assert.equal(yearOf(-1), 1969);
  assert.equal(yearOf(0), 1970);
});
