import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { monthOf } from './day-mask.ts';
import { type OnCalendarLine, parseOnCalendar } from './oncalendar-parse.ts';
import { ScheduleError } from './schedule-error.ts';

function parseOne(expression: string): OnCalendarLine {
  const { lines } = parseOnCalendar(expression);
  assert.equal(lines.length, 1);
  return lines[0] ?? assert.fail();
}

/** The days of January 2020, which began on a Wednesday. */
function days(expression: string): number[] {
  const mask = parseOne(expression).pattern.days(monthOf(2020, 1));
  return Array.from({ length: 31 }, (_, index) => index + 1).filter((day) => (mask >> (day - 1)) & 1);
}

suite('the parts of a line', () => {
  test('a time alone runs every day', () => {
    const { time, date, weekdays, zone } = parseOne('12:34');

    assert.deepEqual([time.hours.values, time.minutes.values, time.seconds.values], [[12], [34], [0]]);
    assert.deepEqual([date.years.size, date.months.size, date.days.size], [230, 12, 31]);
    assert.equal(weekdays, 0b1111111);
    assert.equal(zone, null);
  });

  test('a date alone runs at midnight', () => {
    const { time, date } = parseOne('2030-6-1');

    assert.deepEqual([date.years.values, date.months.values, date.days.values], [[2030], [6], [1]]);
    assert.deepEqual([time.hours.values, time.minutes.values, time.seconds.values], [[0], [0], [0]]);
  });

  test('years of one or two digits are in this century up to 69', () => {
    assert.deepEqual(parseOne('0-1-1').date.years.values, [2000]);
    assert.deepEqual(parseOne('69-1-1').date.years.values, [2069]);
    assert.deepEqual(parseOne('70..72-1-1').date.years.values, [1970, 1971, 1972]);
  });

  test('weekdays are read in full and in short, in any case, in lists and ranges', () => {
    for (const written of [
      'Mon..Fri',
      'mon-fri',
      'MONDAY..Fri',
      'Mon,Tue,Wed..Fri',
      'Fri,Mon-Thu,',
      'Mon..Fri,,',
    ]) {
      assert.equal(parseOne(`${written} 09:00`).weekdays, 0b0111110, written);
    }
    assert.equal(parseOne('Sat..Sun').weekdays, 0b1000001);
  });

  test('weekdays and date must both match', () => {
    assert.deepEqual(days('Mon *-*-1..14'), [6, 13]);
  });

  test('every shorthand stands for its line, in any case', () => {
    const rows: [string, string][] = [
      ['minutely', '*:*:00'],
      ['hourly', '*:00:00'],
      ['daily', '00:00:00'],
      ['weekly', 'Mon'],
      ['monthly', '*-01'],
      ['quarterly', '1,4,7,10-1'],
      ['semiannually', '1,7-1'],
      ['yearly', '1-1'],
      ['annually', '1-1'],
    ];
    for (const [shorthand, written] of rows) {
      for (const spelling of [shorthand, shorthand.toUpperCase()]) {
        const { date, time, weekdays } = parseOne(spelling);
        const expected = parseOne(written);
        assert.deepEqual(
          { date, time, weekdays },
          { date: expected.date, time: expected.time, weekdays: expected.weekdays },
        );
      }
    }
  });
});

suite('terms of a component', () => {
  const rows: [string, number[]][] = [
    ['5', [5]],
    ['05,7', [5, 7]],
    ['1..3', [1, 2, 3]],
    ['0/20', [0, 20, 40]],
    ['10..20/5', [10, 15, 20]],
    ['50/5', [50, 55]],
    ['2..2/30', [2, 32]],
    ['59/1', [59]],
    ['0/60', [0]],
    ['0/99999999999999999999999', [0]],
  ];
  for (const [written, expected] of rows) {
    test(`minute ${written} is ${expected.join(', ')}`, () => {
      assert.deepEqual(parseOne(`*:${written}`).time.minutes.values, expected);
    });
  }
});

suite('days counted from the end of the month', () => {
  const rows: [string, number[]][] = [
    ['*~1', [31]],
    ['*-*~1', [31]],
    ['*~1..3', [29, 30, 31]],
    ['*~1,8', [24, 31]],
    ['*~7/1', [25, 26, 27, 28, 29, 30, 31]],
    ['*~3/2', [29, 31]],
    ['*~1..5/2', [27, 29, 31]],
    ['*~2..5/2', [27, 29]],
    ['*~1/2', [31]],
    ['*~7..7/2', [25, 27, 29, 31]],
    ['*~28..31', [1, 2, 3, 4]],
    ['*~*', days('*-*')],
    ['Sun *~7/1', [26]],
  ];
  for (const [written, expected] of rows) {
    test(`${written} is ${expected.join(' ')} of January`, () => assert.deepEqual(days(written), expected));
  }
});

suite('zones', () => {
  test('the last part may name a zone, of today or older', () => {
    assert.equal(parseOne('12:34 Europe/Riga').zone, 'Europe/Riga');
    assert.equal(parseOne('Mon *-*-* 12:34 Europe/Kiev').zone, 'Europe/Kiev');
    assert.equal(parseOne('daily EST').zone, 'EST');
    assert.equal(parseOne('Mon UTC').zone, 'UTC');
    assert.equal(parseOne('12:34 Etc/GMT+5').zone, 'Etc/GMT+5');
  });

  test('leap seconds are ignored in the zones that count them', () => {
    assert.equal(parseOne('10:00 right/Europe/Riga').zone, 'Europe/Riga');
    assert.equal(parseOne('10:00 posix/Europe/Riga').zone, 'Europe/Riga');
  });

  test('a zone is separated by a space', () => {
    assert.equal(parseOne('Mon 10:00\tUTC').zone, 'UTC');
    assert.throws(
      () => parseOnCalendar('Mon\t10:00\tUTC'),
      /"UTC" is out of place: one zone comes last, after a space/,
    );
  });

  test('each line has its own zone', () => {
    const { lines } = parseOnCalendar('10:00 Europe/Riga\n10:00 America/New_York\r\n10:00\n');
    assert.deepEqual(
      lines.map(({ zone }) => zone),
      ['Europe/Riga', 'America/New_York', null],
    );
  });
});

suite('accepted', () => {
  for (const expression of [
    'Mon..Fri 09:00',
    'Mon, 12:34',
    '*:0/15',
    '*-02~1',
    'Sun *~7/1',
    '\tMon\t*-*-*\u00a021:24 ',
  ]) {
    test(JSON.stringify(expression), () => void parseOnCalendar(expression));
  }
});

suite('refusals name the field and the reason', () => {
  const rows: [string, string | null, RegExp][] = [
    ['*:*/15', 'minute', /^In the minute field, "\*" must stand alone: write "0\/15"\.$/],
    ['*-*-1,*', 'day', /"\*" must stand alone\.$/],
    ['*-*-*..5', 'day', /"\*" is not a whole number/],
    ['Fri..Mon', 'weekday', /"Fri..Mon" runs backwards: write "Fri..Sun,Mon..Mon"/],
    ['Mon..Wed..Fri', 'weekday', /not a range/],
    ['Mon,,Tue', 'weekday', /"" is not a weekday/],
    ['Mon/2', 'weekday', /"Mon\/2" is not a weekday/],
    ['* 1-1', 'weekday', /"\*" is not a weekday/],
    ['12', 'weekday', /"12" is not a weekday/],
    ['UTC', 'weekday', /"UTC" is not a weekday/],
    ['Mon Tue', null, /"Tue" is out of place/],
    ['*~29', 'day', /"29" is not between 1 and 28/],
    ['*~0', 'day', /"0" is not between 1 and 31/],
    ['*-*~3..1', 'day', /"3..1" runs backwards/],
    ['1-1-1-1', 'date', /not a date: write Y-M-D or M-D/],
    ['*-*-~1', 'date', /not a date/],
    ['*-*-', 'day', /a number is missing/],
    ['*-*-1/0', 'day', /step "0"/],
    ['100-1-1', 'year', /"100" is not between 1970 and 2199/],
    ['2030..2020-1-1', 'year', /runs backwards/],
    ['24:00', 'hour', /"24" is not between 0 and 23/],
    ['12:00:00.5', 'second', /"00.5" is not a whole number/],
    ['12:0,,5', 'minute', /a number is missing/],
    ['1:2:3:4', 'time', /too many colons/],
    ['10:00 utc', 'timezone', /"utc" is not a known time zone/],
    ['daily Europe/Nowhere', 'timezone', /"Europe\/Nowhere" is not a known time zone/],
    ['10:00 +02:00', 'hour', /"\+02" is not a whole number/],
    [
      '10:00 Europe/Riga UTC',
      'timezone',
      /"Europe\/Riga" is out of place: one zone comes last, after a space/,
    ],
    ['12:00\n\n13:00', null, /^Line 2: The expression is empty\.$/],
    ['12:00\n25:00', 'hour', /^Line 2: In the hour field, "25"/],
    ['', null, /empty/],
  ];
  for (const [expression, field, reason] of rows) {
    test(`${JSON.stringify(expression)} is refused`, () => {
      assert.throws(
        () => parseOnCalendar(expression),
        (error) => error instanceof ScheduleError && error.field === field && reason.test(error.message),
      );
    });
  }
});
