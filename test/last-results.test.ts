import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receivePing } from '../src/domain/ping/transition.ts';
import { fillLastResults, lastResultsProgress } from '../src/services/check/last-results.ts';
import type { Store } from '../src/storage/store.ts';
import { forEachEngine, openTestDatabase } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { addCheck, givenProject, pingRecord, storedChecks } from './records.ts';

/** The signals of kept pings, the oldest first, and what they tell of the last success and the last result. */
const LIVES = [
  { signals: [], told: [null, null] },
  { signals: ['success'], told: [1, 'success'] },
  { signals: ['success', 'start', 'fail', 'log'], told: [1, 'fail'] },
  { signals: ['fail', 'success', 'ign'], told: [2, 'success'] },
  { signals: ['start', 'log'], told: [null, null] },
  { signals: ['fail'], told: [null, 'fail'] },
  { signals: ['success', 'success', 'start'], told: [2, 'success'] },
] as const;

/** A store whose transactions end now and then as if the process were killed: before or after the commit. */
function mortal(store: Store, chance: () => number): Store {
  const transaction: Store['transaction'] = async (work, options) => {
    const fate = chance();
    const done = await store.transaction(async (tx) => {
      const result = await work(tx);
      if (fate < 0.3) throw new Error('killed');
      return result;
    }, options);
    if (fate > 0.7) throw new Error('killed');
    return done;
  };
  return new Proxy(store, {
    get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)),
  });
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

forEachEngine((engine) => {
  async function givenOlderChecks(store: Store) {
    const { project } = await givenProject(store);
    for (const { signals } of LIVES) {
      const check = await addCheck(store, project, { pingCount: signals.length });
      const pings = signals.map((signal, index) =>
        pingRecord(check.id, { n: index + 1, createdAt: index + 1, signal }),
      );
      await store.transaction((tx) => tx.pings.insertMany(pings));
    }
    const results = async () =>
      (await storedChecks(store, project)).map(({ lastSuccessAt, lastResult }) => [
        lastSuccessAt,
        lastResult,
      ]);
    return { project, results };
  }

  test('older checks are filled with what their kept pings tell, wherever a node is killed', async () => {
    await using database = await openTestDatabase(engine);
    const { store } = database;
    const { results } = await givenOlderChecks(store);
    const deps = { store: mortal(store, seeded(11)), clock: new FakeClock(1_000) };

    let killed = 0;
    for (let isOpen = true; isOpen; ) {
      try {
        isOpen = await fillLastResults(deps, 2);
      } catch (error) {
        if (!(error instanceof Error) || error.message !== 'killed') throw error;
        killed++;
      }
    }

    assert.ok(killed > 0);
    assert.deepEqual(
      await results(),
      LIVES.map(({ told }) => [...told]),
    );
  });

  test('what a newer ping has written stays, and what is filled once is not looked at again', async () => {
    await using database = await openTestDatabase(engine);
    const { store } = database;
    const { project, results } = await givenOlderChecks(store);
    const [, , second, third] = await storedChecks(store, project);
    assert.ok(second && third);
    const { check } = receivePing(third, 'fail', null, 50);
    await store.transaction((tx) => tx.checks.saveStates([check]));
    const deps = { store, clock: new FakeClock(1_000) };

    const progress = [await lastResultsProgress(deps)];
    await fillLastResults(deps, 2);
    progress.push(await lastResultsProgress(deps));
    while (await fillLastResults(deps));
    progress.push(await lastResultsProgress(deps));
    const filled = await results();
    await store.transaction((tx) => tx.pings.insertMany([pingRecord(second.id, { n: 9, createdAt: 9 })]));

    assert.deepEqual(filled[3], [2, 'fail']);
    const [begun = 1, half = 1, done] = progress;
    assert.ok(begun === 0 && half > 0 && half < 1 && done === 1, String(progress));
    assert.equal(await fillLastResults(deps), false);
    assert.deepEqual(await results(), filled);
  });
});
