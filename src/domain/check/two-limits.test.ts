import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { readVectors } from '../schedule/schedule.test-support.ts';
import { aCheck, at } from './check.test-support.ts';
import type { Check } from './check.ts';
import { deadlineOf, expectedAt } from './status.ts';

interface Vector {
  readonly expr: string;
  readonly tz: string;
  readonly from: string;
  readonly next: string[];
  readonly cat: string;
}

suite('around clock changes, with two limits', () => {
  for (const kind of ['cron', 'oncalendar'] as const) {
    const vectors = readVectors<Vector>(`${kind}.jsonl`).filter(
      ({ cat, next }) => cat.startsWith('dst') && next.length > 1,
    );

    test(`runs of all ${vectors.length} schedules for ${kind} are due when the schedule says, and limits are so many seconds`, () => {
      for (const { expr, tz, from, next } of vectors) {
        const [first, second] = next.map((text) => at(text));
        assert.ok(first !== undefined && second !== undefined);
        const check = (rules: object, overrides: Partial<Check> = {}) =>
          aCheck({
            status: 'up',
            kind,
            schedule: expr,
            tz,
            lastPingAt: at(from),
            runRules: JSON.stringify(rules),
            ...overrides,
          });
        const waiting = check({ begin_within: 300, end_within: 14_400 });
        const running = check({ begin_within: 300, end_within: 14_400 }, { lastStartAt: first });
        const endless = check({ begin_within: 300, end_within: 0 }, { lastStartAt: first });

        assert.deepEqual(
          [expectedAt(waiting), deadlineOf(waiting), deadlineOf(running), deadlineOf(endless)],
          [first, first + seconds(300), first + seconds(14_400), second + seconds(300)],
          `${expr} in ${tz} from ${from}`,
        );
      }
    });
  }
});
