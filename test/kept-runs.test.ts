import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { DAY, HOUR, MINUTE } from '../src/domain/check/check.test-support.ts';
import type { Check } from '../src/domain/check/check.ts';
import { performCommands } from '../src/services/check/check-commands.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { readHistory } from '../src/services/history/check-board.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { Pruner } from '../src/services/ping/pruning.ts';
import { deleteHistory } from '../src/services/project/project-deletion.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import type { KeptRun } from '../src/storage/store.ts';
import { START, sharedTestApp, type TestApp } from './app.ts';
import { dyingAt } from './dying-driver.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { flipRecord, incomingPing } from './records.ts';

const ALL = { results: ['failed', 'warned'], from: 0, until: Number.MAX_SAFE_INTEGER } as const;
const END = { at: Number.MAX_SAFE_INTEGER, n: Number.MAX_SAFE_INTEGER };

const keptOf = ({ deps }: TestApp, { id }: Check): Promise<KeptRun[]> =>
  deps.store.keptRuns.before(id, ALL, END, 100);

async function pruneAll({ deps, clock }: TestApp): Promise<void> {
  const pruner = new Pruner(deps, 10, 93);
  clock.set(clock.now() + HOUR);
  while (await pruner.tick());
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** 300 pings with five failures among the first two hundred, of which a hundred pings are left. */
  async function given() {
    const { project } = await app().givenProject({ limits: { checks: 5, pings: 100 } });
    const check = await app().givenCheck(project, { runRules: '{"exit_map":"24=warn"}' });
    const body = Buffer.from(`${'x'.repeat(1_500)}the end`);
    const pings = Array.from({ length: 300 }, (_, place) => {
      const n = place + 1;
      if (n % 40 === 0 && n <= 200) return incomingPing(check, { signal: 'fail', exitStatus: 3, body });
      return incomingPing(check, n === 50 ? { signal: 'fail', exitStatus: 24 } : {});
    });
    await ingestPings(app().deps, pings);
    return { check };
  }

  test('failures and warnings outlive their pings, with the end of their output', async () => {
    const { check } = await given();
    await pruneAll(app());

    assert.equal((await app().deps.store.pings.latest(check.id, 1_000)).length, 100);
    const kept = await keptOf(app(), check);
    assert.deepEqual(
      kept.map(({ n, result }) => `${n} ${result}`),
      ['200 failed', '160 failed', '120 failed', '80 failed', '50 warned', '40 failed'],
    );
    const [first] = kept;
    assert.equal(first?.exitStatus, 3);
    assert.equal(first?.excerpt?.length, 1_000);
    assert.match(Buffer.from(first?.excerpt ?? []).toString(), /the end$/);
  });

  test('they are gone when their days are over', async () => {
    const { check } = await given();
    await pruneAll(app());
    app().clock.set(app().clock.now() + 93 * DAY);
    await pruneAll(app());

    assert.deepEqual(await keptOf(app(), check), []);
  });

  test('a pruner that dies at any of its statements loses nothing and keeps nothing twice', async () => {
    const { check } = await given();
    await using driver = await openTestDriver(app().database);
    app().clock.set(app().clock.now() + HOUR);
    const whole = { kept: 0, pings: 300 };
    const kept = { kept: 6, pings: 100 };
    let isDone = false;
    for (let statement = 1; !isDone; statement++) {
      const store = createSqlStore(dyingAt(driver, statement));
      isDone = await new Pruner({ ...app().deps, store }, 10, 93).tick().then(
        () => true,
        () => false,
      );
      const left = await leftOf(check);
      assert.ok(
        [whole, kept].some((one) => isDeepStrictEqual(one, left)),
        `${statement}: ${JSON.stringify(left)}`,
      );
    }
    await pruneAll(app());

    assert.deepEqual(await leftOf(check), kept);
  });

  async function leftOf(check: Check) {
    return {
      kept: (await keptOf(app(), check)).length,
      pings: (await app().deps.store.pings.latest(check.id, 1_000)).length,
    };
  }

  test('an outage from before the oldest ping that is kept has not missed all runs since', async () => {
    const { project } = await app().givenProject();
    const check = await app().givenCheck(project, {
      ...{ status: 'up', timeoutSeconds: 60, graceSeconds: 60, pingCount: 60, lastPingAt: START },
    });
    const change = (days: number, newStatus: 'up' | 'down', reason: 'timeout' | '') =>
      flipRecord(check.id, { createdAt: START - days * DAY, oldStatus: 'up', newStatus, reason, cause: '' });
    await app().deps.store.transaction(async (tx) => {
      await tx.flips.insertMany([change(3, 'down', 'timeout'), change(2, 'up', '')]);
    });
    for (let n = 51; n <= 60; n++) await app().givenPing(check, { n, createdAt: START - (60 - n) * MINUTE });

    const { runs } = await readHistory(app().deps, check, START);

    assert.deepEqual(
      runs.map(({ result }) => result),
      Array.from({ length: 10 }, () => 'ok'),
    );
  });

  test('a check whose events are cleared has no past: no kept run, remark, bad run, success or outage', async () => {
    const { store } = app().deps;
    const pastOf = async ({ id }: Check) => {
      const check = (await store.checks.byId(id)) ?? assert.fail('the check is gone');
      const { status, lastFlags, badCount, lastSuccessAt, lastPingAt } = check;
      return {
        ...{ status, hasFlags: lastFlags !== 0, badCount },
        ...{ hasSuccess: lastSuccessAt !== null, hasPing: lastPingAt !== null },
        kept: (await keptOf(app(), check)).length,
        outages: (await store.outages.openOf([id])).length,
        flips: (await store.flips.ofCheck(id, { from: null, before: null })).length,
      };
    };
    const had = { hasSuccess: true, hasPing: true, kept: 6 };
    for (const [exitStatus, past] of [
      [24, { ...had, status: 'up', hasFlags: true, badCount: 0, outages: 0 }],
      [3, { ...had, status: 'down', hasFlags: false, badCount: 2, outages: 1 }],
    ] as const) {
      const { check } = await given();
      await store.transaction((tx) => tx.projects.usePolicies(check.projectId));
      const end = incomingPing(check, { signal: 'fail', exitStatus });
      await ingestPings(app().deps, [end, end]);
      await pruneAll(app());
      const { flips, ...before } = await pastOf(check);
      assert.deepEqual([before, flips > 0], [past, true]);

      const actor = systemActor(check.projectId);
      const [outcome] = await performCommands(app().deps, [{ verb: 'clear', actor, id: check.id }]);

      assert.ok(outcome !== undefined && 'value' in outcome);
      assert.deepEqual(await pastOf(check), {
        ...{ status: 'new', hasFlags: false, badCount: 0, hasSuccess: false, hasPing: false },
        ...{ kept: 0, outages: 0, flips: 0 },
      });
    }
  });

  test('what is removed with its history, or with its check, is not kept', async () => {
    const cleared = await given();
    const deleted = await given();
    await pruneAll(app());
    await app().deps.store.transaction(async (tx) => {
      await deleteHistory(tx, cleared.check, 10_000);
      await tx.checks.delete(deleted.check);
    });

    for (const { check } of [cleared, deleted]) assert.deepEqual(await keptOf(app(), check), []);
  });
});
