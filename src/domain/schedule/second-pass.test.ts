import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { clockChanges } from './schedule.test-support.ts';
import { nextOccurrence } from './schedule.ts';

/** Every zone that set its clocks back in 2024, with the span that it lived through twice. */
const repeats = clockChanges('2024-01-01T00:00Z', '2025-01-01T00:00Z')
  .filter(({ seconds }) => seconds < 0)
  .map(({ zone, at, seconds }) => ({ zone, secondPass: at, over: at - seconds * 1e6 }));

const MINUTE = 60e6;

suite('starts in the second pass of a repeated hour, minute by minute, in every zone with one', () => {
  test('there are more than a hundred such zones', () => {
    assert.ok(repeats.length > 100, `${repeats.length}`);
  });

  for (const expression of ['30 1 * * *', '0-59 0-23 * * *', '0,15,30,45 0-5 * * *', '30 0,1,2,3 * * *']) {
    test(`fixed cron ${expression} goes on after the repeated hour`, () => {
      sweep(expression, (next, { over }) => next >= over);
    });
  }

  for (const expression of ['*:*', '*:0/10', '01:30', '*:*:0/30', 'Sun *:15', 'hourly\n0/2:30']) {
    test(`OnCalendar ${JSON.stringify(expression)} goes on after the repeated hour`, () => {
      sweep(expression, (next, { over }) => next >= over);
    });
  }

  test('wildcard cron */5 * * * * goes on through the repeated hour', () => {
    sweep('*/5 * * * *', (next, _repeat, start) => next - start <= 5 * MINUTE);
  });

  test('wildcard cron 30 * * * * runs in the repeated hour if it has not yet', () => {
    sweep('30 * * * *', (next, _repeat, start) => next - start <= 60 * MINUTE);
  });
});

function sweep(
  expression: string,
  isRight: (next: number, repeat: (typeof repeats)[number], start: number) => boolean,
): void {
  for (const repeat of repeats) {
    for (let start = repeat.secondPass; start < repeat.over; start += MINUTE) {
      for (const instant of [start, start + 1, start + 59.5e6]) {
        const next = nextOccurrence(expression, repeat.zone, instant);
        const label = `${expression} ${repeat.zone} ${instant}: ${next}`;
        assert.ok(next !== null && next > instant && isRight(next, repeat, instant), label);
      }
    }
  }
}
