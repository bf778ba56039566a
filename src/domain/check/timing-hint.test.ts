import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCheck, DAY, HOUR, MINUTE, NOW } from './check.test-support.ts';
import type { Check } from './check.ts';
import { hintSentence, timingHint, timingKey } from './timing-hint.ts';

/** So many times, that far apart, the last one now. */
const every = (gap: number, times: number) =>
  Array.from({ length: times }, (_, n) => NOW - (times - 1 - n) * gap);

const hintOf = (check: Partial<Check>, successes: readonly number[]) =>
  timingHint(aCheck(check), successes, NOW);

test('pings every quarter of an hour against a day are told, with the timing that fits', () => {
  const hint = hintOf({}, every(15 * MINUTE, 20));

  assert.deepEqual(hint, {
    every: 900,
    expected: 86_400,
    noticedAfter: 90_000,
    timeoutSeconds: 900,
    graceSeconds: 60,
  });
  assert.equal(
    hint && hintSentence(hint),
    'Pings come every 15 minutes, you expect one a day: an outage would be noticed after 25 hours.',
  );
  assert.equal(hintOf({ timeoutSeconds: 900, graceSeconds: 60 }, every(15 * MINUTE, 20)), null);
});

test('jitter of some seconds changes nothing, and the grace covers the longest gap', () => {
  const times = every(15 * MINUTE, 20).map((at, n) => at + (n % 3) * 2_000_000);
  const hint = hintOf({ timeoutSeconds: 3_600 }, [...times.slice(0, -1), NOW + 5 * MINUTE]);

  assert.deepEqual([hint?.timeoutSeconds, hint?.graceSeconds], [900, 300]);
});

test('there is no hint for three times as often, few successes, irregular gaps or old ones', () => {
  assert.equal(hintOf({}, every(8 * HOUR, 20)), null);
  assert.equal(hintOf({}, every(15 * MINUTE, 9)), null);
  assert.equal(hintOf({}, [...every(15 * MINUTE, 12), NOW + 40 * MINUTE]), null);
  assert.equal(
    hintOf(
      {},
      every(15 * MINUTE, 20).map((at) => at - 31 * DAY),
    ),
    null,
  );
  assert.equal(hintOf({}, every(15 * MINUTE, 10)) === null, false);
});

test('a schedule expects as many runs as it has between the pings', () => {
  const nightly = { kind: 'cron', schedule: '0 3 * * *' } as const;

  assert.equal(hintOf(nightly, every(6 * HOUR, 10))?.timeoutSeconds, 21_600);
  assert.equal(hintOf(nightly, every(6 * HOUR, 20))?.expected, 86_400);
  assert.equal(hintOf(nightly, every(8 * HOUR, 20)), null);
  assert.equal(hintOf({ kind: 'cron', schedule: '*/15 * * * *' }, every(15 * MINUTE, 20)), null);
  assert.equal(hintOf({ kind: 'cron', schedule: 'nonsense' }, every(15 * MINUTE, 20)), null);
  assert.equal(hintOf({ kind: 'oncalendar', schedule: 'daily' }, every(HOUR, 20))?.expected, 86_400);
});

test('the timing is another one as soon as any part of it differs', () => {
  const keys = [
    aCheck(),
    aCheck({ graceSeconds: 60 }),
    aCheck({ timeoutSeconds: 60 }),
    aCheck({ kind: 'cron' }),
    aCheck({ kind: 'cron', tz: 'Europe/Riga' }),
  ].map(timingKey);

  assert.equal(new Set(keys).size, keys.length);
  assert.equal(timingKey(aCheck({ name: 'other', tz: 'Europe/Riga' })), timingKey(aCheck()));
});
