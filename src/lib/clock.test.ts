import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';
import { fromTemporal, seconds } from './instant.ts';

test("the clock tells the system's time, in whole microseconds", () => {
  const before = fromTemporal(Temporal.Now.instant());
  const now = systemClock.now();
  const after = fromTemporal(Temporal.Now.instant());

  assert.ok(Number.isSafeInteger(now));
  // A reading may be carried on for a moment, so that it can be off by the loss of that moment.
  assert.ok(now >= before - seconds(0.01) && now <= after + seconds(0.01), `${before} ${now} ${after}`);
});

test('the clock goes on between two looks at it', () => {
  const first = systemClock.now();
  let last = first;
  for (let look = 0; look < 100_000; look++) {
    const now = systemClock.now();
    assert.ok(now >= last - seconds(0.001), 'it fell back');
    last = now;
  }

  assert.ok(last > first);
});
