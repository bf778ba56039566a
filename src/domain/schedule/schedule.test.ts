import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { CivilPattern } from './civil-pattern.ts';
import { nextCronRun } from './cron-next.ts';
import { parseCron } from './cron-parse.ts';
import { detectKind } from './detect.ts';
import { nextOnCalendarRun } from './oncalendar-next.ts';
import { parseOnCalendar } from './oncalendar-parse.ts';
import { at, inUtc, upcoming } from './schedule.test-support.ts';
import { describeSchedule, nextOccurrence, ScheduleError, validateSchedule } from './schedule.ts';
import { zoneOffsets } from './zone-offsets.ts';

suite('validity', () => {
  test('the kind of a valid expression is told', () => {
    assert.equal(validateSchedule('* * * * *'), 'cron');
    assert.equal(validateSchedule('daily'), 'oncalendar');
  });

  test('a date in the past is valid when it lies after 2000-01-01T00:00Z', () => {
    for (const expression of [
      '2005-01-01',
      '2019-01-01',
      '2000-01-01 00:00:01',
      '2000-01-01 America/New_York',
    ]) {
      assert.equal(validateSchedule(expression), 'oncalendar');
    }
    for (const expression of ['1999-12-31', '2000-01-01', '2000-01-01 Europe/Riga', '1980..1990-1-1']) {
      assert.throws(() => validateSchedule(expression), /never runs/, expression);
    }
  });

  test('too few fields, too many, and an alias are refused, each with a reason', () => {
    for (const expression of ['* * * *', '* * * * * *', '0 0 0 * * *', '@daily']) {
      assert.throws(() => validateSchedule(expression), ScheduleError, expression);
    }
  });

  test('what can never match is refused', () => {
    for (const expression of ['* * */20 * 1L', '0 0 */20 * 1L', '*-4-31', '*-2-30', '*-02-30\n*-2-31']) {
      assert.throws(() => validateSchedule(expression), ScheduleError, expression);
    }
  });

  test('one line that never matches does no harm beside another', () => {
    assert.equal(validateSchedule('*-2-30\ndaily'), 'oncalendar');
  });

  test('text beyond any reasonable length is not worked on', () => {
    for (const text of [`${'0-59,'.repeat(200_000)}0 * * * *`, 'daily\n'.repeat(200_000)]) {
      assert.throws(() => validateSchedule(text), /longer than 1000 characters/);
    }
  });

  test('hostile text within the limits is refused in its own words', () => {
    for (const text of [
      '*',
      '-',
      ',',
      '/',
      '..',
      '~',
      ':',
      '#',
      ' ',
      '\n',
      '\0',
      '\ud800',
      '9',
      'L',
      'Mon,',
    ]) {
      for (const times of [1, 2, 5, 100, 999]) {
        for (const expression of [
          text.repeat(times),
          `${text.repeat(times)} * * * *`,
          `0 0 ${text.repeat(times)} * *`,
        ]) {
          try {
            validateSchedule(expression);
          } catch (error) {
            assert.ok(error instanceof ScheduleError, `${JSON.stringify(expression)}: ${error}`);
            assert.match(error.message, /\.$/);
          }
        }
      }
    }
  });
});

suite('zones', () => {
  test('a check may have its zone under an older name', () => {
    assert.deepEqual(
      upcoming('0 12 * * *', 'Europe/Kiev', '2024-07-01T00:00Z', 1),
      upcoming('0 12 * * *', 'Europe/Kyiv', '2024-07-01T00:00Z', 1),
    );
  });

  test('an unknown zone is refused, even when the expression names its own', () => {
    assert.throws(
      () => nextOccurrence('12:00 Europe/Riga', 'Europe/Nowhere', at('2024-01-01T00:00Z')),
      (error) => error instanceof ScheduleError && error.field === 'timezone',
    );
  });
});

suite('instants far away', () => {
  const zones = ['UTC', 'Europe/Riga', 'Pacific/Apia', 'Africa/Monrovia'];

  test('before 1970 cron runs in the time of that place', () => {
    assert.deepEqual(upcoming('0 12 * * *', 'UTC', '1900-02-28T12:00Z', 1), ['1900-03-01T12:00:00Z']);
    assert.deepEqual(upcoming('0 12 * * *', 'Europe/Riga', '1900-01-01T00:00Z', 1), ['1900-01-01T10:23:26Z']);
  });

  test('after 2200 cron runs on, and OnCalendar has ended', () => {
    assert.deepEqual(upcoming('0 0 29 2 *', 'UTC', '2296-03-01T00:00Z', 1), ['2304-02-29T00:00:00Z']);
    assert.deepEqual(upcoming('daily', 'UTC', '2300-01-01T00:00Z', 1), []);
  });

  test('the ends of time neither throw nor hang', () => {
    const instants = [-8.64e18, -1e17, -62_135_596_800e6, -1, 0, 2 ** 53, 2.5e17, 8.64e18, Number.MAX_VALUE];
    for (const instant of [...instants, ...instants.map((value) => -value), Number.NaN, 1 / 0, -1 / 0]) {
      for (const zone of zones) {
        for (const expression of [
          '*/5 * * * *',
          '30 3 * * *',
          '0 0 29 2 */7',
          'daily',
          'Mon 2-29',
          '*:*:*',
        ]) {
          const next = nextOccurrence(expression, zone, instant);
          assert.ok(next === null || next > instant, `${expression} ${zone} ${instant}`);
        }
      }
    }
  });

  test('an occurrence is a whole number of seconds', () => {
    assert.equal(
      nextOccurrence('* * * * *', 'UTC', at('2024-01-01T00:00:00.123456Z')),
      at('2024-01-01T00:01Z'),
    );
  });
});

suite('hostile expressions are bounded', () => {
  const hostile: [string, string][] = [
    ['0 0 29 2 *', 'Europe/Riga'],
    ['* * 29 2 */7', 'America/New_York'],
    ['0 0 */20 * 1L', 'Europe/Riga'],
    ['*/30 2 8-14 3 */7', 'America/New_York'],
    ['Sun *-3~7/1 01:30:0/1 Europe/London', 'Europe/Riga'],
    ['2199-12-31 23:59:59', 'Pacific/Apia'],
    ['2-30\n'.repeat(20).trim(), 'Europe/Riga'],
    ['*:*:*', 'Pacific/Apia'],
  ];
  for (const [expression, zone] of hostile) {
    test(`${JSON.stringify(expression.slice(0, 40))} in ${zone} looks at no month more often than needed`, () => {
      const from = at('2001-01-01T00:00Z') / 1e6;

      const { looked, lines } = monthsLookedAt(expression, zone, from);

      // From 2001 to the last year that can match, each month once, for each line.
      assert.ok(looked > 0 && looked <= lines * (2200 - 2001) * 12, `${looked} months`);
    });
  }
});

/** The number of months that the search for the next run looks at: the days of each are worked out anew. */
function monthsLookedAt(
  expression: string,
  timezone: string,
  after: number,
): { looked: number; lines: number } {
  let looked = 0;
  const counted = (pattern: CivilPattern): CivilPattern => ({
    ...pattern,
    days: (month) => {
      looked++;
      return pattern.days(month);
    },
  });
  const zone = zoneOffsets(timezone);
  if (detectKind(expression) === 'cron') {
    const cron = parseCron(expression);
    nextCronRun({ ...cron, pattern: counted(cron.pattern) }, zone, after);
    return { looked, lines: 1 };
  }
  const calendar = parseOnCalendar(expression);
  const lines = calendar.lines.map((line) => ({ ...line, pattern: counted(line.pattern) }));
  nextOnCalendarRun({ ...calendar, lines }, zone, after);
  return { looked, lines: lines.length };
}

test('a schedule is described and evaluated the same whatever has been asked before', () => {
  const before = upcoming('30 3 * * *', 'Europe/Riga', '2024-03-30T22:00Z', 2);
  for (let minute = 0; minute < 60; minute += 1) {
    for (let hour = 0; hour < 24; hour += 1) {
      const next = nextOccurrence(`${minute} ${hour} * * *`, 'UTC', at('2024-01-01T23:59Z'));
      const time = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
      assert.equal(next === null ? null : inUtc(next), `2024-01-02T${time}:00Z`);
      assert.equal(describeSchedule(`${minute} ${hour} * * *`), `At ${time}, every day`);
    }
  }

  assert.deepEqual(upcoming('30 3 * * *', 'Europe/Riga', '2024-03-30T22:00Z', 2), before);
});
