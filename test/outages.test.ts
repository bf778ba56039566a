import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { DeadlineLoop } from '../src/alerts/deadline-loop.ts';
import { OutageLoop } from '../src/alerts/outage-loop.ts';
import type { Channel } from '../src/domain/alert/channel.ts';
import type { Check, StoredStatus } from '../src/domain/check/check.ts';
import type { NewFlip } from '../src/domain/check/flip.ts';
import { seconds } from '../src/lib/instant.ts';
import { createPolicy, setAlerting } from '../src/services/alert/policies.ts';
import { moveCheck } from '../src/services/check/check-moves.ts';
import { undoPauseOfCheck, updateCheck } from '../src/services/check/checks.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { recordFlips } from '../src/services/core/flips.ts';
import { wakeOutages } from '../src/services/core/outages.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { drain, type Fixture, fixture, log, told } from './alerts.ts';
import { START, sharedTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { incomingPing } from './records.ts';

const onPoison = () => undefined;

/** A check whose project has used something that decides who is told. */
async function planned(app: TestApp, overrides: Partial<Check> = {}): Promise<Fixture> {
  const f = await fixture(app, overrides);
  await app.deps.store.transaction((tx) => tx.projects.usePolicies(f.check.projectId));
  return f;
}

const openOutage = async ({ app, check }: Fixture) => (await app.deps.store.outages.openOf([check.id]))[0];

const snooze = ({ app, check }: Fixture, until: number | null) =>
  app.deps.store.transaction((tx) => tx.checks.snooze(check, until === null ? null : { until, by: 'Anna' }));

/** A sequence of numbers that looks random and is the same at each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Changes of status as they may follow each other, in batches of a transaction. */
function randomBatches(count: number): Omit<NewFlip, 'checkId'>[][] {
  const below = numbers(7);
  let [status, at]: [StoredStatus, number] = ['new', START];
  const flips = Array.from({ length: count }, () => {
    const others = (['up', 'down', 'paused', 'new'] as const).filter((one) => one !== status);
    const newStatus = others[below(others.length)] ?? 'up';
    const reason = newStatus === 'down' ? ((['timeout', 'fail', ''] as const)[below(3)] ?? '') : '';
    at += below(3) * seconds(1);
    const flip = { createdAt: at, oldStatus: status, newStatus, reason, cause: '' } as const;
    status = newStatus;
    return flip;
  });
  const batches: Omit<NewFlip, 'checkId'>[][] = [];
  while (flips.length > 0) batches.push(flips.splice(0, 1 + below(40)));
  return batches;
}

/** What was queued for the check: which change, which channel, and how it stands. */
async function queued({ deps }: TestApp, check: Check, channels: readonly Channel[]) {
  const flips = await deps.store.flips.ofCheck(check.id, { from: null, before: null });
  const place = new Map(flips.toSorted((one, two) => one.id - two.id).map(({ id }, index) => [id, index]));
  const rows = await deps.store.deliveries.ofCheck(check.id, 100_000);
  return rows
    .map(({ flipId, channelId, status, state, error, ordinal }) => ({
      flip: place.get(flipId) ?? -1,
      channel: channels.findIndex(({ id }) => id === channelId),
      ...{ status, state, error, ordinal },
    }))
    .sort((one, two) => one.flip - two.flip || one.channel - two.channel);
}

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  test('with nothing but telling at once, a plan queues what is queued without one', async () => {
    const app = started();
    const sides = await Promise.all(
      [false, true].map(async (isPlanned) => {
        const { project } = await app.givenProject();
        const check = await app.givenCheck(project);
        const channels = [
          await app.givenChannel(project),
          await app.givenChannel(project),
          await app.givenChannel(project, { isOff: true }),
        ];
        if (isPlanned) await app.deps.store.transaction((tx) => tx.projects.usePolicies(project.id));
        return { check, channels };
      }),
    );
    const below = numbers(3);

    for (const batch of randomBatches(10_000)) {
      const assigned = [0, 1, 2].filter(() => below(3) > 0);
      for (const { check, channels } of sides) {
        await app.deps.store.transaction(async (tx) => {
          await tx.checks.setChannels(
            check,
            channels.filter((_, index) => assigned.includes(index)).map(({ id }) => id),
          );
          const flips = batch.map((flip) => ({ ...flip, checkId: check.id }));
          await recordFlips(app.deps, tx, flips, app.deps.clock.now());
        });
      }
    }

    const [today, plan] = await Promise.all(sides.map(({ check, channels }) => queued(app, check, channels)));
    assert.ok((today?.length ?? 0) > 4_000);
    assert.deepEqual(plan, today);
  });

  suite('an outage', () => {
    test('is there from a failure to the success after it, and both are told', async () => {
      const f = await planned(started());

      await f.app.receive(f.check, 'fail');
      const open = await openOutage(f);
      f.app.clock.advance({ minutes: 5 });
      await f.app.receive(f.check, 'success');
      await drain(f);

      assert.deepEqual([open?.state, open?.reason, open?.wakeAt], ['told', 'fail', null]);
      assert.equal(await openOutage(f), undefined);
      const over = await f.app.deps.store.outages.ofFlip(open?.flipId ?? 0);
      assert.deepEqual([over?.state, over?.endedAt], ['over', f.app.deps.clock.now()]);
      assert.deepEqual(told(f), ['down', 'up']);
    });

    test('is not made in a project that uses nothing of the kind', async () => {
      const f = await fixture(started());

      await f.app.receive(f.check, 'fail');

      assert.equal(await openOutage(f), undefined);
    });

    test('is not made by an edit that takes a check down, and its end is told as ever', async () => {
      const f = await planned(started());
      f.app.clock.advance({ hours: 2 });
      const edit = { timeoutSeconds: 60, graceSeconds: 60 };

      const actor = systemActor(f.check.projectId);
      const { check } = await updateCheck(f.app.deps, actor, f.check.id, { edit, isQuiet: true });
      f.app.clock.advance({ days: 1 });
      await drain(f);

      assert.equal(check.status, 'down');
      const { store } = f.app.deps;
      const [flip = assert.fail()] = await store.flips.ofCheck(check.id, { from: null, before: null });
      assert.deepEqual([flip.newStatus, await store.outages.ofFlip(flip.id)], ['down', null]);
      assert.deepEqual([told(f), await store.deliveries.ofCheck(check.id, 10)], [[], []]);
      await f.app.receive(check, 'success');
      await drain(f);
      assert.deepEqual(told(f), ['up']);
    });

    test('that was told is not told to a channel that is assigned later, but its end is', async () => {
      const f = await planned(started());
      await f.app.receive(f.check, 'fail');
      const project = await f.app.deps.store.projects.byId(f.check.projectId);
      assert.ok(project);
      const later = await f.app.givenChannel(project);
      await f.app.assign(f.check, f.channel, later);

      await f.app.receive(f.check, 'success');

      const rows = await f.app.deps.store.deliveries.ofCheck(f.check.id, 10);
      const own = rows.filter(({ channelId }) => channelId === later.id);
      assert.deepEqual(
        own.map(({ status, why }) => [status, why]),
        [['up', 'assigned']],
      );
    });

    test('of a snoozed check is told when the snooze ends, if it is still down', async () => {
      const f = await planned(started());
      const until = f.app.deps.clock.now() + seconds(7200);
      await snooze(f, until);

      await f.app.receive(f.check, 'fail');
      const held = await openOutage(f);
      f.app.clock.set(until - 1);
      await drain(f);
      assert.deepEqual([held?.state, held?.heldBy, held?.wakeAt], ['waiting', 'snoozed', until]);
      assert.deepEqual(told(f), []);

      f.app.clock.set(until);
      await drain(f);
      await drain(f);
      assert.deepEqual(told(f), ['down']);
    });

    test('of a snoozed check that came up meanwhile is told to nobody, from beginning to end', async () => {
      const f = await planned(started());
      await snooze(f, f.app.deps.clock.now() + seconds(7200));

      await f.app.receive(f.check, 'fail');
      await f.app.receive(f.check, 'success');
      f.app.clock.advance({ hours: 3 });
      await drain(f);

      assert.deepEqual(told(f), []);
      assert.equal(await openOutage(f), undefined);
    });

    test('ends with a pause, with the snooze, and goes on when the pause is undone', async () => {
      const f = await planned(started());
      await f.app.receive(f.check, 'fail');
      await snooze(f, f.app.deps.clock.now() + seconds(7200));

      await f.app.request('POST', `/api/v3/checks/${f.check.uuid}/pause`, { key: f.key });
      const paused = await f.app.deps.store.checks.byId(f.check.id);
      assert.deepEqual([await openOutage(f), paused?.snoozedUntilAt], [undefined, null]);

      await undoPauseOfCheck(f.app.deps, systemActor(f.check.projectId), f.check.id);
      assert.equal((await openOutage(f))?.state, 'told');
      await f.app.receive(f.check, 'success');
      await drain(f);
      assert.deepEqual(told(f), ['down', 'up']);
    });

    test('goes when its check moves to another project, and with the history that is cleared', async () => {
      const f = await planned(started());
      await f.app.receive(f.check, 'fail');
      const other = await f.app.givenProject();

      await moveCheck(f.app.deps, systemActor(f.check.projectId), f.check.id, systemActor(other.project.id));

      assert.equal(await openOutage(f), undefined);
    });

    test('that two nodes wake at once is told once', async () => {
      const f = await planned(started());
      const until = f.app.deps.clock.now() + seconds(60);
      await snooze(f, until);
      await f.app.receive(f.check, 'fail');
      f.app.clock.set(until);

      await Promise.all([1, 2, 3].map(() => wakeOutages({ ...f.app.deps, onPoison })));

      assert.equal((await f.app.deps.store.deliveries.ofCheck(f.check.id, 10)).length, 1);
    });

    test('that came due while nobody watched waits five minutes after the return', async () => {
      const f = await planned(started());
      const deadlines = new DeadlineLoop(f.app.deps, log);
      const loop = new OutageLoop(f.app.deps, log, deadlines);
      await loop.tick();
      await snooze(f, f.app.deps.clock.now() + seconds(600));
      await f.app.receive(f.check, 'fail');

      f.app.clock.advance({ minutes: 20 });
      await loop.tick();
      const returned = f.app.deps.clock.now();
      assert.equal((await openOutage(f))?.state, 'waiting');
      assert.equal((await openOutage(f))?.wakeAt, returned + seconds(300));

      for (let n = 0; n < 15; n++) {
        f.app.clock.advance({ seconds: 20 });
        await loop.tick();
      }
      assert.equal((await openOutage(f))?.state, 'told');
    });

    test('is not repeated at once by a failure that comes right after nobody watched', async () => {
      const f = await planned(started());
      const actor = systemActor(f.check.projectId);
      await createPolicy(f.app.deps, actor, 'often', { again: 900, each_failure: true });
      await setAlerting(f.app.deps, actor, { policy: 'often', tags: [] });
      const loop = new OutageLoop(f.app.deps, log, new DeadlineLoop(f.app.deps, log));
      await loop.tick();
      await f.app.receive(f.check, 'fail');
      await drain(f);
      f.app.clock.advance({ minutes: 60 });
      await loop.tick();
      const returned = f.app.deps.clock.now();

      f.app.clock.advance({ seconds: 1 });
      await ingestPings(f.app.deps, [incomingPing(f.check, { signal: 'fail' })]);
      await drain(f);

      const { againCount, wakeAt } = (await openOutage(f)) ?? assert.fail();
      assert.deepEqual([againCount, wakeAt], [0, returned + seconds(300)]);
      assert.deepEqual(told(f), ['down', 'down']);
    });

    test('is brought back with the clock that was ahead', async () => {
      const f = await planned(started());
      const deadlines = new DeadlineLoop(f.app.deps, log);
      await deadlines.tick();
      const now = f.app.deps.clock.now();
      f.app.clock.advance({ days: 1 });
      await deadlines.tick();
      await f.app.receive(f.check, 'fail');

      f.app.clock.set(now + seconds(20));
      await new DeadlineLoop(f.app.deps, log).tick();

      const open = await openOutage(f);
      assert.deepEqual([open?.toldAt, open?.wakeAt], [now + seconds(20), now + seconds(20)]);
      await wakeOutages({ ...f.app.deps, onPoison });
      assert.equal((await openOutage(f))?.wakeAt, null);
      assert.equal((await f.app.deps.store.deliveries.ofCheck(f.check.id, 10)).length, 1);
    });
  });
});
