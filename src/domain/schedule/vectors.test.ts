import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readVectors, upcoming } from './schedule.test-support.ts';
import { ScheduleError, validateSchedule } from './schedule.ts';

interface Golden {
  readonly expr: string;
  readonly tz: string;
  readonly from: string;
  readonly next: string[];
  readonly end?: true;
  readonly cat: string;
}

interface Refused {
  readonly expr: string;
  readonly error: true;
  readonly cat: string;
}

interface CronQuirk {
  readonly expr: string;
  readonly tz: string;
  readonly from: string;
  readonly ideal: string[];
  readonly kind: string;
}

interface Disagreement {
  readonly expr: string;
  readonly tz: string;
  readonly from: string;
  readonly service_accepts: boolean;
  readonly reference: string[] | 'rejects';
}

for (const file of ['cron.jsonl', 'oncalendar.jsonl'] as const) {
  suite(`golden vectors in ${file}`, () => {
    const byCategory = Map.groupBy(readVectors<Golden | Refused>(file), ({ cat }) => cat);
    for (const [category, rows] of byCategory) {
      test(`all ${rows.length} of category ${category}`, () => {
        for (const row of rows) {
          if ('error' in row) assertRefused(row.expr);
          else assertNext(row, row.next, row.end ?? false);
        }
      });
    }
  });
}

suite('vectors where the reference departs from its own rules', () => {
  const byKind = Map.groupBy(readVectors<CronQuirk>('cron-quirks.jsonl'), ({ kind }) => kind);
  for (const [kind, rows] of byKind) {
    test(`cron follows the rules in all ${rows.length} of kind ${kind}`, () => {
      for (const row of rows) assertNext(row, row.ideal);
    });
  }
});

suite('vectors where the reference and systemd disagree', () => {
  const rows = readVectors<Disagreement>('oncalendar-disagreements.jsonl');

  test('we accept what the service accepts, and compute what it computes', () => {
    for (const row of rows) {
      if (!row.service_accepts || row.reference === 'rejects') assertRefused(row.expr);
      // From inside the second pass of a repeated hour the reference answers with runs of the first pass,
      // which are over. We go on with the first run after the hour (decision record 0011).
      else
        assertNext(
          row,
          row.reference.filter((instant) => instant > row.from),
        );
    }
  });

  test('some of them start in the second pass of a repeated hour', () => {
    const inThePast = rows.filter(
      ({ from, reference }) => Array.isArray(reference) && reference[0] !== undefined && reference[0] <= from,
    );
    assert.ok(inThePast.length >= 25, `${inThePast.length}`);
  });
});

function assertNext(row: { expr: string; tz: string; from: string }, expected: string[], ends = false): void {
  const label = JSON.stringify({ expr: row.expr, tz: row.tz, from: row.from });
  validateSchedule(row.expr);
  assert.deepEqual(upcoming(row.expr, row.tz, row.from, expected.length + (ends ? 1 : 0)), expected, label);
}

function assertRefused(expression: string): void {
  assert.throws(() => validateSchedule(expression), ScheduleError, JSON.stringify(expression));
}
