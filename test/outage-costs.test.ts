import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import type { AccountLimits } from '../src/domain/people/account.ts';
import type { Deps } from '../src/services/core/deps.ts';
import { wakeOutages } from '../src/services/core/outages.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { assertStatus } from './api/answers.ts';
import { START, sharedTestApp } from './app.ts';
import { counted } from './counted-driver.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { checkRecord, incomingPing } from './records.ts';

/** So many more of something must not make a ping of anybody cost more. */
const MANY = 100;

forEachEngine((engine) => {
  const app = sharedTestApp(engine);
  const onPoison = () => undefined;

  async function given(count: number, channelSettings: object = {}) {
    const made = await app().givenProject({ limits: { checks: 1_000, pings: 100 } as AccountLimits });
    const channel = await app().givenChannel(made.project, {
      kind: 'slack',
      settings: { url: 'https://hooks.example/a', ...channelSettings },
    });
    const checks: Check[] = [];
    await app().deps.store.transaction(async (tx) => {
      for (let n = 0; n < count; n++) {
        const facts = { name: `web${n}`, status: 'up', lastPingAt: START } as const;
        const check = await tx.checks.insert(checkRecord(made.project.id, facts));
        await tx.checks.setChannels(check, [channel.id]);
        checks.push(check);
      }
      await tx.projects.usePolicies(made.project.id);
    });
    return { ...made, channel, checks, first: checks[0] ?? assert.fail() };
  }

  /** A connection that counts what is read through it. */
  async function counting() {
    const inner = await openTestDriver(app().database);
    const { driver, statements } = counted(inner);
    const deps: Deps = { ...app().deps, store: createSqlStore(driver) };
    const rowsOf = async (work: () => Promise<unknown>): Promise<number> => {
      statements.rows = 0;
      await work();
      return statements.rows;
    };
    const ping = ({ uuid }: Check, signal: 'fail' | 'success') =>
      rowsOf(() => ingestPings(deps, [incomingPing({ uuid }, { signal })]));
    const wake = () =>
      rowsOf(async () => {
        while (await wakeOutages({ ...deps, onPoison }));
      });
    return { ping, wake, [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose]() };
  }

  const openOf = (checks: readonly Check[]) => app().deps.store.outages.openOf(checks.map(({ id }) => id));

  /** When the plan is asked about them again. */
  const wakesOf = async (checks: readonly Check[]) => [
    ...new Set((await openOf(checks)).map(({ wakeAt }) => wakeAt)),
  ];

  describe('a ping reads as few rows as ever', () => {
    test('after very many failures of which each was told', async () => {
      const { first, key } = await given(1);
      const post = (path: string, body: object) => app().request('POST', `/api/v3/${path}`, { key, body });
      assertStatus(await post('policies/', { name: 'each', each_failure: true }), 201);
      assertStatus(await post('alerting/', { policy: 'each' }), 200);
      await using counted = await counting();
      for (let n = 0; n < 3; n++) await counted.ping(first, 'fail');
      const few = await counted.ping(first, 'fail');

      for (let n = 0; n < MANY; n++) await counted.ping(first, 'fail');

      assert.ok((await app().deps.store.deliveries.ofCheck(first.id, 1_000)).length > MANY);
      assert.equal(await counted.ping(first, 'fail'), few);
    });

    test('though very many checks wait for the one that is pinged', async () => {
      const { checks, first: parent } = await given(MANY + 1);
      const children = checks.slice(1);
      await app().deps.store.transaction(async (tx) => {
        for (const child of children) await tx.checkParents.save({ ...child, parents: parent.uniqueKey });
      });
      await using counted = await counting();
      const alone = await counted.ping(parent, 'fail');
      await counted.ping(parent, 'success');
      for (const child of children) await counted.ping(child, 'fail');
      app().clock.advance({ minutes: 20 });

      assert.equal(await counted.ping(parent, 'fail'), alone);
      assert.deepEqual(await wakesOf(children), [app().clock.now()]);
    });

    test('while a channel collects very many others for one message', async () => {
      const { checks } = await given(MANY, { together_above: 1, together_seconds: 600 });
      await using counted = await counting();
      const rows: number[] = [];
      for (const check of checks) rows.push(await counted.ping(check, 'fail'));

      assert.equal(rows.at(-1), rows[3]);
    });
  });

  test('what waits for a check is asked about once, however often that goes down and comes up', async () => {
    const { checks, first: parent } = await given(MANY + 1);
    const children = checks.slice(1);
    await app().deps.store.transaction(async (tx) => {
      for (const child of children) await tx.checkParents.save({ ...child, parents: parent.uniqueKey });
    });
    await using counted = await counting();
    for (const child of children) await counted.ping(child, 'fail');
    await counted.ping(parent, 'fail');
    const woken = await wakesOf(children);

    app().clock.advance({ seconds: 1 });
    await counted.ping(parent, 'fail');
    await counted.ping(parent, 'success');

    assert.deepEqual(await wakesOf(children), woken);
  });
});
