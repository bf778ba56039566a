import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Instant, seconds } from '../../lib/instant.ts';
import { afterAttempt, type FullAt, secondsUntilAttempt } from './attempt-limit.ts';

const RULE = { maxAttempts: 3, regain: seconds(60) };
const NOW: Instant = 1_709_294_400_000_000;

function attempts(count: number, now: Instant, from: FullAt = null): FullAt {
  let fullAt = from;
  for (let n = 0; n < count; n++) fullAt = afterAttempt(fullAt, RULE, now) ?? assert.fail();
  return fullAt;
}

test('as many attempts as the rule says are allowed at once, and no more', () => {
  const used = attempts(3, NOW);

  assert.equal(afterAttempt(used, RULE, NOW), null);
  assert.equal(secondsUntilAttempt(used, RULE, NOW), 60);
});

test('one attempt is regained after each span, exactly when it was said', () => {
  const used = attempts(3, NOW);

  assert.equal(afterAttempt(used, RULE, NOW + seconds(60) - 1), null);
  const after = attempts(1, NOW + seconds(60), used);
  assert.equal(afterAttempt(after, RULE, NOW + seconds(60)), null);
});

test('after a long rest all attempts are there again, and not more', () => {
  const rested = NOW + seconds(86_400);

  const used = attempts(3, rested, attempts(3, NOW));

  assert.equal(afterAttempt(used, RULE, rested), null);
});

test('a time that a wrong clock has set holds nobody off', () => {
  const wrong = NOW + seconds(86_400 * 365);

  assert.equal(secondsUntilAttempt(wrong, RULE, NOW), 0);
  assert.equal(afterAttempt(wrong, RULE, NOW), NOW + seconds(60));
});

test('a clock that runs a little behind the one before gives no attempts away', () => {
  const used = attempts(3, NOW);

  assert.equal(afterAttempt(used, RULE, NOW - seconds(5)), null);
});
