import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dayBit,
  daysOn,
  firstDayFrom,
  lastDaysOn,
  lastWorkday,
  monthOf,
  nthDaysOn,
  wholeMonth,
} from './day-mask.ts';

const SUNDAY = 0b0000001;
const FRIDAY = 0b0100000;
const MONDAY_TO_FRIDAY = 0b0111110;

function listDays(mask: number): number[] {
  const days: number[] = [];
  for (let day = firstDayFrom(mask, 1); day !== 0; day = day === 31 ? 0 : firstDayFrom(mask, day + 1))
    days.push(day);
  return days;
}

test('a month has all its days and no more', () => {
  assert.deepEqual(listDays(wholeMonth(28)).at(-1), 28);
  assert.equal(listDays(wholeMonth(31)).length, 31);
});

test('the first day not before another is found, also on the 31st', () => {
  assert.equal(firstDayFrom(dayBit(31) | dayBit(5), 6), 31);
  assert.equal(firstDayFrom(dayBit(31), 31), 31);
  assert.equal(firstDayFrom(dayBit(5), 6), 0);
});

test('weekdays of every month from 1970 to 2040 fall where Temporal puts them', () => {
  for (let year = 1970; year <= 2040; year += 1) {
    for (let month = 1; month <= 12; month += 1) {
      const first = Temporal.PlainDate.from({ year, month, day: 1 });
      const dates = Array.from({ length: first.daysInMonth }, (_, index) => first.add({ days: index }));
      const fridays = dates.filter(({ dayOfWeek }) => dayOfWeek === 5).map(({ day }) => day);
      const workdays = dates.filter(({ dayOfWeek }) => dayOfWeek <= 5).map(({ day }) => day);

      const of = monthOf(year, month);
      assert.deepEqual(listDays(daysOn(FRIDAY, of)), fridays);
      assert.deepEqual(listDays(daysOn(MONDAY_TO_FRIDAY, of)), workdays);
      assert.deepEqual(listDays(lastDaysOn(FRIDAY, of)), fridays.slice(-1));
      assert.deepEqual(listDays(lastWorkday(of)), workdays.slice(-1));
      for (let nth = 1; nth <= 5; nth += 1) {
        assert.deepEqual(listDays(nthDaysOn(FRIDAY, nth, of)), fridays.slice(nth - 1, nth));
      }
    }
  }
});

test('several weekdays are counted each for itself', () => {
  // October 2023 began on a Sunday.
  assert.deepEqual(listDays(nthDaysOn(SUNDAY | FRIDAY, 1, monthOf(2023, 10))), [1, 6]);
  assert.deepEqual(listDays(lastDaysOn(SUNDAY | FRIDAY, monthOf(2023, 10))), [27, 29]);
});
