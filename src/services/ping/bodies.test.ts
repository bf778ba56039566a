import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MICROS_PER_SECOND } from '../../lib/instant.ts';
import { pauseAfter } from './bodies.ts';

test('pauses double from ten seconds up to a quarter of an hour', () => {
  const pauses = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2_000].map(
    (attempts) => pauseAfter(attempts) / MICROS_PER_SECOND,
  );

  assert.deepEqual(pauses, [10, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900]);
});
