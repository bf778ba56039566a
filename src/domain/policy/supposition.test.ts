import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCheck, at, HOUR } from '../check/check.test-support.ts';
import type { Check } from '../check/check.ts';
import type { QuietTime } from '../check/quiet-time.ts';
import { deadlineOf } from '../check/status.ts';
import { type Supposition, suppose, withComingQuiet } from './supposition.ts';

const NOW = at('2026-03-04T16:00Z');

function nightly(overrides: Partial<Check> = {}): Check {
  const check = aCheck({
    ...{ kind: 'cron', schedule: '0 3 * * *', tz: 'UTC', graceSeconds: 3_600 },
    ...{ status: 'up', lastPingAt: at('2026-03-04T03:10Z'), ...overrides },
  });
  return { ...check, deadlineAt: deadlineOf(check) };
}

function supposed(check: Check, event: Supposition['event'], when: string | null = null, hasOutage = false) {
  const asked = { event, at: when === null ? null : at(when) };
  const { at: happens, cause, check: after } = suppose(check, asked, hasOutage, NOW);
  const time = new Date(happens / 1_000).toISOString().slice(8, 16);
  if (cause === null) return [time, 'nothing'];
  if (cause.kind !== 'flip') return [time, cause.kind];
  return [
    time,
    `${cause.flip.oldStatus} ${cause.flip.newStatus} ${cause.flip.reason}`.trim(),
    after.badCount,
  ];
}

test('a missed deadline is the next one, and with a time it is then', () => {
  assert.deepEqual(supposed(nightly(), 'down_timeout'), ['05T04:00', 'up down timeout', 0]);
  assert.deepEqual(supposed(nightly(), 'down_timeout', '2026-03-06T22:00Z'), [
    '06T22:00',
    'up down timeout',
    0,
  ]);
  const fresh = nightly({ status: 'new', lastPingAt: null });
  assert.deepEqual(supposed(fresh, 'down_timeout'), ['05T04:00', 'up down timeout', 0]);
  const paused = nightly({ status: 'paused' });
  assert.deepEqual(supposed(paused, 'down_timeout'), ['05T04:00', 'up down timeout', 0]);
});

test('a failure is now or then, with the bad runs before it, unless the job ran well meanwhile', () => {
  assert.deepEqual(supposed(nightly(), 'down_fail'), ['04T16:00', 'up down fail', 1]);
  assert.deepEqual(supposed(nightly({ badCount: 2 }), 'down_fail'), ['04T16:00', 'up down fail', 3]);
  assert.deepEqual(supposed(nightly({ badCount: 2 }), 'down_fail', '2026-03-09T16:00Z'), [
    '09T16:00',
    'up down fail',
    1,
  ]);
});

test('a failure is one of the run that is under way', () => {
  const every5Minutes = { kind: 'simple', timeoutSeconds: 300, lastPingAt: at('2026-03-04T15:00Z') } as const;
  const run = { lastStartAt: at('2026-03-04T15:04Z'), lastStartRid: '6b1cba0e-6b70-4a5d-9c4e-2f4c0f7e2a11' };
  assert.deepEqual(supposed(nightly({ ...every5Minutes, ...run }), 'down_fail'), [
    '04T16:00',
    'up down fail',
    1,
  ]);
});

test('of a check that is down, a further failure and the success that ends it are told, and nothing else changes', () => {
  const down = nightly({ status: 'down', lastFlipAt: at('2026-03-04T04:00Z') });
  assert.deepEqual(supposed(down, 'down_timeout', null, true), ['04T16:00', 'nothing']);
  assert.deepEqual(supposed(down, 'down_fail', null, true), ['04T16:00', 'result']);
  assert.deepEqual(supposed(down, 'down_fail'), ['04T16:00', 'nothing']);
  assert.deepEqual(supposed(down, 'up'), ['04T16:00', 'down up', 0]);
  assert.deepEqual(supposed(nightly(), 'up'), ['04T16:00', 'nothing']);
  assert.deepEqual(supposed(nightly(), 'up', null, true), ['04T16:00', 'result']);
});

test('a quiet time that will come puts the next deadline off, also one after another', () => {
  const quiet = (from: string, hours: number): QuietTime => ({
    ...{ id: 1, uuid: '', projectId: 1, name: '', reason: '', madeBy: '', checkIds: [], tags: '' },
    ...{ fromAt: at(from), untilAt: at(from) + hours * HOUR, schedule: '', tz: 'UTC' },
    ...{ durationSeconds: hours * 3_600, nextAt: null, createdAt: 0 },
  });
  const deadline = (...times: QuietTime[]) => {
    const found = deadlineOf(withComingQuiet(nightly(), times));
    return found === null ? null : new Date(found / 1_000).toISOString().slice(8, 16);
  };
  assert.equal(deadline(), '05T04:00');
  assert.equal(deadline(quiet('2026-03-05T03:30Z', 2)), '05T06:30');
  assert.equal(deadline(quiet('2026-03-05T02:00Z', 2)), '06T04:00');
  assert.equal(deadline(quiet('2026-03-05T03:30Z', 2), quiet('2026-03-05T06:00Z', 1)), '05T08:00');
});
