import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { upcomingLocal } from './schedule.test-support.ts';
import { describeSchedule, ScheduleError, validateSchedule } from './schedule.ts';

const page = readFileSync(new URL('../../../docs/schedules.md', import.meta.url), 'utf8');

/** The rows of every table on the page that has these columns. */
function rowsUnder(...columns: string[]): string[][] {
  const header = `| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}\n`;
  return page
    .split(header)
    .slice(1)
    .flatMap((after) => (after.split('\n\n')[0] ?? '').trim().split('\n'))
    .map((row) => row.split(' | ').map((cell) => cell.replace(/^\| |[`]| \|$/g, '')));
}

test('docs/schedules.md says what each of its examples means', () => {
  const rows = rowsUnder('Expression', 'Meaning');

  assert.equal(rows.length, 17);
  for (const [expression = '', meaning] of rows) assert.equal(describeSchedule(expression), meaning);
});

test('docs/schedules.md says when its examples run as the clocks change', () => {
  const rows = rowsUnder('Expression', 'Zone', 'After', 'Runs');

  assert.equal(rows.length, 7);
  for (const [expression = '', zone = '', after = '', runs = ''] of rows) {
    const expected = runs.split(', ');
    assert.deepEqual(upcomingLocal(expression, zone, after, expected.length), expected);
  }
});

test('docs/schedules.md gives the reasons for its refusals', () => {
  const rows = rowsUnder('Expression', 'Reason');

  assert.equal(rows.length, 9);
  for (const [expression = '', reason = ''] of rows) {
    assert.throws(
      () => validateSchedule(expression),
      (error) => error instanceof ScheduleError && error.message === reason,
      `${expression}: ${reason}`,
    );
  }
});
