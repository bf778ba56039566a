import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseCron } from './cron-parse.ts';
import { monthOf } from './day-mask.ts';
import { ScheduleError } from './schedule-error.ts';

function minutes(field: string): readonly number[] {
  return parseCron(`${field} * * * *`).pattern.minutes.values;
}

function months(field: string): readonly number[] {
  return parseCron(`0 0 * ${field} *`).pattern.months.values;
}

/** The days of January 2020, which began on a Wednesday. */
function days(dayOfMonth: string, dayOfWeek: string): number[] {
  const mask = parseCron(`0 0 ${dayOfMonth} * ${dayOfWeek}`).pattern.days(monthOf(2020, 1));
  return Array.from({ length: 31 }, (_, index) => index + 1).filter((day) => (mask >> (day - 1)) & 1);
}

suite('terms of a cron field', () => {
  const terms: [string, number[]][] = [
    ['5', [5]],
    ['005', [5]],
    ['1-3', [1, 2, 3]],
    ['3-3', [3]],
    ['*/20', [0, 20, 40]],
    ['10-20/5', [10, 15, 20]],
    ['10-19/5', [10, 15]],
    ['5/15', [5, 20, 35, 50]],
    ['5-5/15', [5, 20, 35, 50]],
    ['59/1', [59]],
    ['*/100', [0]],
    ['*/99999999999999999999999999', [0]],
    ['1,10-12,*/30', [0, 1, 10, 11, 12, 30]],
    ['7,3,7', [3, 7]],
  ];
  for (const [field, expected] of terms) {
    test(`minute ${field} is ${expected.join(', ')}`, () => assert.deepEqual(minutes(field), expected));
  }

  test('leading zeros and names in any case are read', () => {
    assert.deepEqual(parseCron('00 09 * * *').pattern.hours.values, [9]);
    assert.deepEqual(months('jan-MAR,Dec'), [1, 2, 3, 12]);
    assert.deepEqual(months('oct/1'), [10, 11, 12]);
    assert.deepEqual(days('*', 'mon'), [6, 13, 20, 27]);
  });

  test('blanks of any kind and number separate the fields', () => {
    assert.deepEqual(parseCron(' \t5   4\t*\u00a0* * ').pattern.minutes.values, [5]);
  });

  test('day-of-week 0 and 7 are both Sunday', () => {
    assert.deepEqual(days('*', '0'), [5, 12, 19, 26]);
    assert.deepEqual(days('*', '7'), [5, 12, 19, 26]);
    assert.deepEqual(days('*', '6-7'), [4, 5, 11, 12, 18, 19, 25, 26]);
  });

  test('a day-of-week with a step runs on to 7, which is Sunday', () => {
    assert.deepEqual(days('*', '1/2'), days('*', '1,3,5,7'));
    assert.deepEqual(days('*', 'MON/2'), days('*', '1,3,5,0'));
    assert.deepEqual(days('*', '*/2'), days('*', '0,2,4,6'));
    assert.deepEqual(days('*', '0-7/2'), days('*', '0,2,4,6'));
    assert.deepEqual(days('*', 'SUN-TUE'), days('*', '0,1,2'));
  });
});

suite('the day rule', () => {
  const mondays = [6, 13, 20, 27];
  const everyDay = days('*', '*');
  const rows: [string, string, number[]][] = [
    ['13', '5', [3, 10, 13, 17, 24, 31]],
    ['*/2', '1', [13, 27]],
    ['1', '*/2', []],
    ['2', '*/2', [2]],
    ['1-31', '1', everyDay],
    ['*,5', '1', mondays],
    ['5,*', '1', everyDay],
    ['13', '*/1', [13]],
    ['*/2', '5', [3, 17, 31]],
    ['1-31/2', '5', [1, 3, 5, 7, 9, 10, 11, 13, 15, 17, 19, 21, 23, 24, 25, 27, 29, 31]],
    ['1-7', '*/7', [5]],
  ];
  for (const [dayOfMonth, dayOfWeek, expected] of rows) {
    test(`${dayOfMonth} with ${dayOfWeek} are the days ${expected.join(' ')} of January 2020`, () => {
      assert.deepEqual(days(dayOfMonth, dayOfWeek), expected);
    });
  }
});

suite('days that depend on the month', () => {
  const rows: [string, string, number[]][] = [
    ['L', '*', [31]],
    ['15,L', '*', [15, 31]],
    ['LW', '*', [31]],
    ['L/2', '*', [31]],
    ['LW/7', '*', [31]],
    ['*', '5L', [31]],
    ['*', '05L', [31]],
    ['*', '0L', [26]],
    ['*', '7L', [26]],
    ['*', 'MON#1', [6]],
    ['*', '1#05', []],
    ['*', '5#5', [31]],
    ['*', '1L,3#2,TUE', [7, 8, 14, 21, 27, 28]],
  ];
  for (const [dayOfMonth, dayOfWeek, expected] of rows) {
    test(`${dayOfMonth} ${dayOfWeek} is ${expected.join(' ') || 'no day'} of January 2020`, () => {
      assert.deepEqual(days(dayOfMonth, dayOfWeek), expected);
    });
  }
});

suite('how a clock change is met depends on the text', () => {
  const rows: [string, boolean][] = [
    ['* 3 * * *', true],
    ['0 * * * *', true],
    ['*/5 3 * * *', true],
    ['*,5 3 * * *', true],
    ['0-59 0-23 * * *', false],
    ['5,* 3 * * *', false],
    ['0 0/1 * * *', false],
  ];
  for (const [expression, expected] of rows) {
    test(`${expression} is ${expected ? 'a wildcard' : 'fixed'}`, () => {
      assert.equal(parseCron(expression).isWildcard, expected);
    });
  }
});

suite('refusals name the field and the reason', () => {
  const rows: [string, string | null, RegExp][] = [
    ['* * * *', null, /five fields .* not 4\.$/],
    ['60 * * * *', 'minute', /^In the minute field, "60" is not between 0 and 59\.$/],
    ['0 24 * * *', 'hour', /"24" is not between 0 and 23/],
    ['0 0 0 * *', 'day-of-month', /"0" is not between 1 and 31/],
    ['0 0 * 13 *', 'month', /"13" is not between 1 and 12/],
    ['0 0 * * 8', 'day-of-week', /"8" is not between 0 and 7/],
    ['*/0 * * * *', 'minute', /step "0" after the slash/],
    ['*/ * * * *', 'minute', /step "" after the slash/],
    ['*/-1 * * * *', 'minute', /step "-1" after the slash/],
    ['*/5/5 * * * *', 'minute', /step "5\/5" after the slash/],
    ['5-1 * * * *', 'minute', /"5-1" runs backwards: write "5-59,0-1"/],
    ['1,,2 * * * *', 'minute', /empty place in its list/],
    ['1- * * * *', 'minute', /a number is missing/],
    ['+5 * * * *', 'minute', /"\+5" is not known: it is not a number/],
    ['٣ * * * *', 'minute', /"٣" is not known/],
    ['H * * * *', 'minute', /"H" is not known/],
    ['0 0 ? * *', 'day-of-month', /write "\*"/],
    ['0 0 L-3 * *', 'day-of-month', /the last day takes no range/],
    ['0 0 L/0 * *', 'day-of-month', /step "0"/],
    ['0 0 1W * *', 'day-of-month', /the only form with W is LW/],
    ['0 0 *L * *', 'day-of-month', /"\*L" is not known/],
    ['0 0 30 2 *', 'day-of-month', /no month that the expression allows has a day 30/],
    ['0 0 30 2 1', 'day-of-month', /day 30/],
    ['0 0 31 2,4,6,9,11 *', 'day-of-month', /day 31/],
    ['0 0 * JANUARY *', 'month', /three letters, as in "JAN"/],
    ['0 0 * foo *', 'month', /neither a number nor a name such as "FEB"/],
    ['0 0 * nov-feb *', 'month', /write "11-12,1-2"/],
    ['0 0 * * L', 'day-of-week', /before an L stands a digit/],
    ['0 0 * * MONL', 'day-of-week', /before an L stands a digit/],
    ['0 0 * * 8L', 'day-of-week', /"8" is not between 0 and 7/],
    ['0 0 * * 5L/2', 'day-of-week', /"5L" is not known/],
    ['0 0 * * 1#6', 'day-of-week', /"6" after the # is not between 1 and 5/],
    ['0 0 * * 1#1/2', 'day-of-week', /"1\/2" after the #/],
    ['0 0 * * 1-3#2', 'day-of-week', /"1-3" is not known/],
    ['0 0 * * FRI-MON', 'day-of-week', /write "5-7,0-1"/],
    ['0 0 * * FRI-SUN', 'day-of-week', /write "5-7"\./],
    ['0 0 * * MONDAY', 'day-of-week', /three letters, as in "MON"/],
  ];
  for (const [expression, field, reason] of rows) {
    test(`${expression} is refused`, () => {
      assert.throws(
        () => parseCron(expression),
        (error) => error instanceof ScheduleError && error.field === field && reason.test(error.message),
      );
    });
  }

  test('a long piece of text is quoted in part', () => {
    assert.throws(() => parseCron(`${'🕐'.repeat(90)} * * * *`), /"(🕐){40}…" is not known/u);
  });

  test('29 February and the last day of February are possible', () => {
    parseCron('0 0 29 2 *');
    parseCron('0 0 31,L 2 *');
    parseCron('0 0 30,LW 2 *');
  });

  test('what the hints propose is accepted', () => {
    for (const proposal of ['0 0 * * 5-7,0-1', '0 0 * * 5-7', '0 0 * 11-12,1-2 *', '5-59,0-1 * * * *']) {
      parseCron(proposal);
    }
  });
});
