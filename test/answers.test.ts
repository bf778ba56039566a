import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../src/lib/instant.ts';
import {
  acknowledgeByLink,
  acknowledgeCheck,
  endOfOutage,
  snoozeByLink,
  snoozeCheck,
  unacknowledgeCheck,
  unsnoozeCheck,
} from '../src/services/alert/answers.ts';
import { createPolicy, setAlerting } from '../src/services/alert/policies.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { listCheckActs } from '../src/services/history/audit-log.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { drain, type Fixture, fixture, told } from './alerts.ts';
import { sharedTestApp } from './app.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { waitingSessions } from './postgres-locks.ts';
import { incomingPing } from './records.ts';
import { until } from './waiting.ts';

const HOUR = seconds(3600);

const by = (name: string) => ({ accountId: null, name, means: 'link', remoteAddr: null }) as const;

const asAnna = ({ check }: Fixture) => systemActor(check.projectId, by('Anna'));

const openOutage = async ({ app, check }: Fixture) => (await app.deps.store.outages.openOf([check.id]))[0];

const acts = async ({ app, check }: Fixture) => {
  const found = await app.deps.store.checks.byId(check.id);
  const rows = await app.deps.store.transaction((tx) => tx.outages.openOf([check.id]));
  return { snoozedUntilAt: found?.snoozedUntilAt, acknowledgedBy: rows[0]?.acknowledgedBy };
};

/** As the page of a button does it. */
function byLink<T>(
  { app, check }: Fixture,
  work: (tx: Parameters<typeof acknowledgeByLink>[1]) => Promise<T>,
) {
  return app.deps.store.transaction(async (tx) => {
    await tx.projects.usePolicies(check.projectId);
    return work(tx);
  });
}

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  /** Begins these while somebody holds the check, so that they wait for it in this order. */
  async function together({ app, check }: Fixture, works: readonly (() => Promise<unknown>)[]) {
    const [isHeld, isEnough] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = app.deps.store.transaction(async (tx) => {
      await tx.checks.lock(check.id);
      isHeld.resolve();
      await isEnough.promise;
    });
    await isHeld.promise;
    await using driver = await openTestDriver(app.database);
    const begun: Promise<unknown>[] = [];
    for (const work of works) {
      begun.push(work());
      const waiting = begun.length;
      // On SQLite the second transaction begins after the first has ended.
      if (engine === 'postgres')
        await until('it waits for the check', async () => (await waitingSessions(driver)) === waiting);
    }
    const ended = Promise.allSettled(begun);
    isEnough.resolve();
    await holding;
    return ended;
  }

  suite('who acknowledges', () => {
    test('in a project that has used nothing of the kind has the outage, and its end is told', async () => {
      const f = await fixture(started());
      await f.app.receive(f.check, 'fail');
      const before = await f.app.deps.store.checks.revisionByUuid(f.check.uuid);

      await acknowledgeCheck(f.app.deps, asAnna(f), f.check.id);

      const outage = await openOutage(f);
      assert.deepEqual([outage?.state, outage?.acknowledgedBy], ['told', 'Anna']);
      const after = await f.app.deps.store.checks.revisionByUuid(f.check.uuid);
      assert.ok((after?.revision ?? 0) > (before?.revision ?? 0));
      await f.app.receive(f.check, 'success');
      await drain(f);
      assert.deepEqual(told(f), ['down', 'up']);
    });

    test('second changes nothing, and a check that is up is refused', async () => {
      const f = await fixture(started());
      await assert.rejects(acknowledgeCheck(f.app.deps, asAnna(f), f.check.id), { code: 'check_not_down' });
      await f.app.receive(f.check, 'fail');

      await acknowledgeCheck(f.app.deps, asAnna(f), f.check.id);
      await acknowledgeCheck(f.app.deps, systemActor(f.check.projectId, by('Bob')), f.check.id);

      assert.equal((await openOutage(f))?.acknowledgedBy, 'Anna');
    });

    for (const rules of ['without rules', 'with rules'] as const)
      test(`in the instant of the recovery has the outage if that comes second, and else is refused, ${rules}`, async () => {
        for (const isFirst of [true, false]) {
          const f = await fixture(started());
          const { app, check } = f;
          const { store } = app.deps;
          if (rules === 'with rules')
            await store.transaction((tx) => tx.projects.usePolicies(check.projectId));
          await app.receive(check, 'fail');
          const [flip = assert.fail()] = await store.flips.ofCheck(check.id, { from: null, before: null });
          app.clock.advance({ minutes: 5 });
          const endedAt = app.clock.now();
          const acknowledging = () => acknowledgeCheck(app.deps, asAnna(f), check.id);
          const succeeding = () => ingestPings(app.deps, [incomingPing({ uuid: check.uuid })]);

          const both = isFirst ? [acknowledging, succeeding] : [succeeding, acknowledging];
          const ended = await together(f, both);
          await drain(f);

          const ends = ended.map((one) => (one.status === 'fulfilled' ? 'done' : one.reason.code));
          assert.deepEqual(ends, ['done', isFirst ? 'done' : 'check_not_down']);
          const outage = await store.outages.ofFlip(flip.id);
          assert.equal(outage?.acknowledgedBy ?? null, isFirst ? 'Anna' : null);
          if (isFirst || rules === 'with rules')
            assert.deepEqual([outage?.state, outage?.endedAt], ['over', endedAt]);
          const after = (await store.checks.byId(check.id)) ?? assert.fail();
          assert.deepEqual([after.status, after.isHeard, await openOutage(f)], ['up', false, undefined]);
          const { acts: logged } = await listCheckActs(app.deps, asAnna(f), check.id, null);
          assert.deepEqual(
            logged.map(({ action }) => action),
            isFirst ? ['check.acknowledged'] : [],
          );
          assert.deepEqual(told(f), ['down', 'up']);
          const tapped = await byLink(f, (tx) => acknowledgeByLink(app.deps, tx, after, flip.id, by('Bob')));
          assert.deepEqual(tapped, { kind: 'over', endedAt });
        }
      });

    test('is refused while the check is up, also where more good runs are to prove it', async () => {
      const f = await fixture(started());
      const actor = systemActor(f.check.projectId);
      await createPolicy(f.app.deps, actor, 'sure', { good_runs: 3 });
      await setAlerting(f.app.deps, actor, { policy: 'sure', tags: [] });
      await f.app.receive(f.check, 'fail');
      const { flipId } = (await openOutage(f)) ?? assert.fail();
      f.app.clock.advance({ minutes: 5 });
      const upAt = f.app.clock.now();
      await f.app.receive(f.check, 'success');
      f.app.clock.advance({ minutes: 5 });

      await assert.rejects(acknowledgeCheck(f.app.deps, asAnna(f), f.check.id), { code: 'check_not_down' });
      const check = (await f.app.deps.store.checks.byId(f.check.id)) ?? assert.fail();
      const { deps } = f.app;
      const over = { kind: 'over', endedAt: upAt };
      const phone = by('a phone');
      assert.deepEqual(await byLink(f, (tx) => acknowledgeByLink(deps, tx, check, flipId, phone)), over);
      assert.deepEqual(await byLink(f, (tx) => snoozeByLink(deps, tx, check, flipId, HOUR, phone)), over);
      assert.deepEqual(await acts(f), { snoozedUntilAt: null, acknowledgedBy: null });
    });

    test('an outage that nobody was told of keeps it so, until it is taken back', async () => {
      const f = await fixture(started());
      await snoozeCheck(f.app.deps, asAnna(f), f.check.id, { for: seconds(3600) });
      await f.app.receive(f.check, 'fail');
      await acknowledgeCheck(f.app.deps, asAnna(f), f.check.id);

      f.app.clock.advance({ hours: 2 });
      await drain(f);
      assert.deepEqual(told(f), []);

      await unacknowledgeCheck(f.app.deps, asAnna(f), f.check.id);
      await drain(f);
      assert.deepEqual(told(f), ['down']);
    });
  });

  suite('an acknowledgement', () => {
    /** An outage that repeats, tells each failure, and tells two others next after 15 and 30 minutes. */
    async function withSteps() {
      const f = await fixture(started());
      const project = (await f.app.deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
      const others = [await f.app.givenChannel(project), await f.app.givenChannel(project)];
      const steps = others.map(({ uuid }, index) => ({ after: 900 * (index + 1), tell: [uuid] }));
      const rules = { again: 700, each_failure: true, ...Object.fromEntries([['then', steps]]) };
      await createPolicy(f.app.deps, systemActor(project.id), 'own', rules);
      await setAlerting(f.app.deps, systemActor(project.id), { policy: 'own', tags: [] });
      const began = f.app.clock.now();
      const until = async (second: number) => {
        while (f.app.clock.now() < began + seconds(second)) {
          f.app.clock.set(Math.min(f.app.clock.now() + seconds(60), began + seconds(second)));
          await drain(f);
        }
      };
      const rows = async () => {
        const all = await f.app.deps.store.deliveries.ofCheck(f.check.id, 100);
        return all
          .toSorted((one, two) => one.id - two.id)
          .map(({ createdAt, status, why }) => `${(createdAt - began) / seconds(1)} ${status} ${why}`);
      };
      const ping = (signal: 'success' | 'fail') =>
        ingestPings(f.app.deps, [incomingPing({ uuid: f.check.uuid }, { signal })]);
      return { ...f, until, rows, ping };
    }

    test('ends steps, repeats and further failures; taken back, the steps that are due come in order and one repeat', async () => {
      const f = await withSteps();
      await f.ping('fail');
      await f.until(600);
      await acknowledgeCheck(f.app.deps, asAnna(f), f.check.id);
      await f.until(1500);
      await f.ping('fail');
      await f.until(2000);
      assert.deepEqual(await f.rows(), ['0 down assigned']);

      await unacknowledgeCheck(f.app.deps, asAnna(f), f.check.id);
      await f.until(2700);

      const once = ['2000 down step', '2000 down step', '2000 down again'];
      const next = ['2700 down again', '2700 down again', '2700 down again'];
      assert.deepEqual(await f.rows(), ['0 down assigned', ...once, ...next]);
    });

    test('of an outage that nobody was told of yet keeps it so to its end', async () => {
      const f = await withSteps();
      await createPolicy(f.app.deps, systemActor(f.check.projectId), 'later', { wait: 900 });
      await setAlerting(f.app.deps, systemActor(f.check.projectId), { policy: 'later', tags: [] });
      await f.ping('fail');
      await acknowledgeCheck(f.app.deps, asAnna(f), f.check.id);
      await f.until(3600);
      await f.ping('success');
      await f.until(3660);

      assert.deepEqual(await f.rows(), []);
    });
  });

  suite('a snooze', () => {
    test('holds what goes on of an outage that was told, and not its end', async () => {
      const f = await fixture(started());
      const actor = systemActor(f.check.projectId);
      await setAlerting(f.app.deps, actor, { policy: 'keep-reminding', tags: [] });
      await f.app.receive(f.check, 'fail');
      await drain(f);
      await snoozeCheck(f.app.deps, asAnna(f), f.check.id, { for: 2 * HOUR });
      f.app.clock.advance({ minutes: 90 });
      await drain(f);
      assert.deepEqual(told(f), ['down']);

      await f.app.receive(f.check, 'success');
      await drain(f);
      assert.deepEqual(told(f), ['down', 'up']);
    });

    test('is replaced by a longer one, and what it held is told when it is ended', async () => {
      const f = await fixture(started());
      const now = f.app.deps.clock.now();
      for (const hours of [1, 4, 1])
        await snoozeCheck(f.app.deps, asAnna(f), f.check.id, { for: hours * HOUR });
      assert.equal((await acts(f)).snoozedUntilAt, now + 4 * HOUR);
      await f.app.receive(f.check, 'fail');
      await drain(f);
      assert.deepEqual(told(f), []);

      await unsnoozeCheck(f.app.deps, asAnna(f), f.check.id);
      await drain(f);

      assert.deepEqual([told(f), (await acts(f)).snoozedUntilAt], [['down'], null]);
    });

    test('lasts thirty days at most, and ends after now', async () => {
      const f = await fixture(started());
      for (const span of [{ for: seconds(30 * 86_400) + 1 }, { until: f.app.deps.clock.now() }])
        await assert.rejects(snoozeCheck(f.app.deps, asAnna(f), f.check.id, span), { code: 'invalid_field' });
    });
  });

  suite('a link', () => {
    test('answers for the outage of its message alone, and says who was first and when it ended', async () => {
      const f = await fixture(started());
      const { deps } = f.app;
      await f.app.receive(f.check, 'fail');
      const [first] = await deps.store.deliveries.ofCheck(f.check.id, 1);
      const flipId = first?.flipId ?? 0;
      const current = async () => (await deps.store.checks.byId(f.check.id)) ?? f.check;
      const tap = async (name: string) => {
        const check = await current();
        return byLink(f, (tx) => acknowledgeByLink(deps, tx, check, flipId, by(name)));
      };
      const at = deps.clock.now();

      assert.deepEqual(await tap('Anna'), { kind: 'done' });
      assert.deepEqual(await tap('Bob'), { kind: 'already', by: 'Anna', at });
      f.app.clock.advance({ minutes: 5 });
      const endedAt = deps.clock.now();
      await f.app.receive(f.check, 'success');
      await f.app.receive(f.check, 'fail');

      assert.deepEqual(await tap('Bob'), { kind: 'over', endedAt });
      const check = await current();
      const snoozed = await byLink(f, (tx) =>
        snoozeByLink(deps, tx, check, flipId, seconds(3600), by('Bob')),
      );
      assert.deepEqual(snoozed, { kind: 'over', endedAt });
      assert.equal(await endOfOutage(deps.store, check, flipId), endedAt);
      assert.deepEqual(await acts(f), { snoozedUntilAt: null, acknowledgedBy: null });
    });
  });
});
