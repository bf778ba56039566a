import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptList, KeptLists } from './kept-lists.ts';

const LIMITS = { maxKeptBytes: 100_000, maxHeldBytes: 100_000 };

test('short lists with long filters are bounded by what they occupy, not by their texts alone', () => {
  const lists = new KeptLists(LIMITS);
  const keyOf = (n: number) => `${n} ${'x'.repeat(1_000)}`;

  for (let n = 0; n < 1_000; n++) lists.set(keyOf(n), new KeptList([]));
  const kept = Array.from({ length: 1_000 }, (_, n) => lists.get(keyOf(n))).filter(Boolean);

  assert.ok(kept.length > 0);
  assert.ok(kept.length * 1_000 <= LIMITS.maxKeptBytes, `${kept.length} are kept`);
});
