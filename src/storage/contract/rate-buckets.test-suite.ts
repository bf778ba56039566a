import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../store.ts';
import { furnishedProject } from './records.test-support.ts';

export function rateBuckets(store: () => Store): void {
  const FRESH = { credit: 6_000_000_000_000_000, filledAt: 1_709_294_400_000_000 };

  test('a bucket is made once, and is then what was saved', async () => {
    const { project } = await furnishedProject(store());
    const lock = (credit: number) =>
      store().transaction((tx) => tx.rateBuckets.lock(project.id, { ...FRESH, credit }));

    assert.deepEqual(await lock(FRESH.credit), FRESH);
    assert.deepEqual(await lock(1), FRESH);
    const saved = { credit: 7, filledAt: 8 };
    await store().transaction((tx) => tx.rateBuckets.save(project.id, saved));

    assert.deepEqual(await lock(1), saved);
  });

  test('whoever takes from it at the same time waits for its turn', async () => {
    const { project } = await furnishedProject(store());
    const takeOne = () =>
      store().transaction(async (tx) => {
        const bucket = await tx.rateBuckets.lock(project.id, { ...FRESH, credit: 100 });
        await tx.rateBuckets.save(project.id, { ...bucket, credit: bucket.credit - 1 });
      });

    await Promise.all(Array.from({ length: 20 }, takeOne));

    const bucket = await store().transaction((tx) => tx.rateBuckets.lock(project.id, FRESH));
    assert.equal(bucket.credit, 80);
  });
}
