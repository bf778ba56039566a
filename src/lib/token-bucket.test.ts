import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from './instant.ts';
import {
  filled,
  fullBucket,
  MAX_TOKENS,
  secondsUntil,
  type TokenRule,
  tokensIn,
  without,
} from './token-bucket.ts';

const NOW = 1_709_294_400_000_000;
const YEAR = seconds(31_536_000);

const emptyBucket = (rule: TokenRule) => without(fullBucket(rule, NOW), rule.capacity);

test('a bucket is full at first', () => {
  assert.equal(tokensIn(fullBucket({ perMinute: 7, capacity: 20 }, NOW)), 20);
});

test('it fills at the sustained rate, and never beyond its size', () => {
  const rule = { perMinute: 100, capacity: 200 };
  const bucket = emptyBucket(rule);

  assert.equal(tokensIn(filled(bucket, rule, NOW + seconds(30))), 50);
  assert.equal(tokensIn(filled(bucket, rule, NOW + YEAR)), 200);
});

test('after as long as it says the tokens are there, and a second earlier they are not', () => {
  for (let perMinute = 1; perMinute <= 200; perMinute++) {
    const rule = { perMinute, capacity: 1_000 };
    for (const tokens of [1, 2, 7, 640]) {
      const wait = secondsUntil(emptyBucket(rule), tokens, rule, NOW);

      const at = (second: number) => tokensIn(filled(emptyBucket(rule), rule, NOW + seconds(second)));
      assert.ok(at(wait) >= tokens, `${tokens} at ${perMinute} a minute`);
      assert.ok(at(wait - 1) < tokens, `${tokens} at ${perMinute} a minute`);
    }
  }
});

test('to look at it often loses nothing', () => {
  for (const perMinute of [1, 7, 59, 61, 100]) {
    const rule = { perMinute, capacity: 1_000 };
    let bucket = emptyBucket(rule);
    for (let tenth = 1; tenth <= 600; tenth++) bucket = filled(bucket, rule, NOW + tenth * 100_000);

    assert.equal(tokensIn(bucket), perMinute);
  }
});

test('a clock that is set back leaves what is in it, and it goes on filling', () => {
  const rule = { perMinute: 60, capacity: 100 };
  const bucket = without(fullBucket(rule, NOW), 50);

  const earlier = filled(bucket, rule, NOW - YEAR);

  assert.equal(tokensIn(earlier), 50);
  assert.equal(tokensIn(filled(earlier, rule, NOW - YEAR + seconds(5))), 55);
});

test('two clocks that differ a little do not count the same time twice', () => {
  const rule = { perMinute: 60, capacity: 100 };
  let bucket = emptyBucket(rule);

  for (let round = 0; round < 100; round++) {
    bucket = filled(bucket, rule, NOW + seconds(10));
    bucket = filled(bucket, rule, NOW);
  }

  assert.equal(tokensIn(bucket), 10);
  assert.equal(secondsUntil(bucket, 11, rule, NOW), 11);
});

test('the greatest bucket and the greatest rate are counted exactly', () => {
  const rule = { perMinute: 1_000_000_000, capacity: MAX_TOKENS };
  const bucket = fullBucket(rule, NOW);

  assert.equal(tokensIn(without(bucket, 1)), MAX_TOKENS - 1);
  assert.ok(Number.isSafeInteger(bucket.credit));
  assert.deepEqual(filled(without(bucket, 1_000), rule, NOW + YEAR), { ...bucket, filledAt: NOW + YEAR });
});

test('a smaller size that was set meanwhile holds at once', () => {
  const bucket = fullBucket({ perMinute: 100, capacity: 5_000 }, NOW);

  assert.equal(tokensIn(filled(bucket, { perMinute: 100, capacity: 200 }, NOW)), 200);
});
