import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { DeadlineLoop } from '../src/alerts/deadline-loop.ts';
import { OutageLoop } from '../src/alerts/outage-loop.ts';
import type { Channel } from '../src/domain/alert/channel.ts';
import type { PolicyRulesEdit } from '../src/domain/policy/rules.ts';
import { type Instant, seconds } from '../src/lib/instant.ts';
import { createPolicy, editPolicy, setAlerting } from '../src/services/alert/policies.ts';
import { systemActor } from '../src/services/core/actor.ts';
import type { Deps } from '../src/services/core/deps.ts';
import { wakeOutages } from '../src/services/core/outages.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import type { CheckToTell, Store, Writes } from '../src/storage/store.ts';
import { drain, type Fixture, fixture, log } from './alerts.ts';
import { START, sharedTestApp, type TestApp } from './app.ts';
import { changed } from './changed-part.ts';
import { forEachEngine } from './engines.ts';
import { incomingPing } from './records.ts';

const onPoison = () => undefined;

/** A check whose project tells two more integrations after 15 and 30 minutes, and repeats as the rules say. */
async function withSteps(app: TestApp, rules: PolicyRulesEdit = {}): Promise<Fixture> {
  const f = await fixture(app);
  const project = (await app.deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
  const others = [await app.givenChannel(project), await app.givenChannel(project)];
  const actor = systemActor(project.id);
  const steps = others.map(({ uuid }, index) => ({ after: 900 * (index + 1), tell: [uuid] }));
  // biome-ignore lint/suspicious/noThenProperty: it is the name in requests, and its value is no function.
  await createPolicy(app.deps, actor, 'steps', { then: steps, ...rules });
  await setAlerting(app.deps, actor, { policy: 'steps', tags: [] });
  return f;
}

/** When messages about the check were queued, in seconds after the start, and why. */
async function queued({ app, check }: Fixture): Promise<string[]> {
  const rows = await app.deps.store.deliveries.ofCheck(check.id, 1_000);
  return rows
    .toSorted((one, two) => one.id - two.id)
    .map(({ createdAt, status, why }) => `${(createdAt - START) / 1e6}: ${status}, ${why}`);
}

/** Who was told, and when, in seconds after the start: `900: down to boss`. */
async function toldTo(f: Fixture, channels: readonly Channel[]): Promise<string[]> {
  const rows = await f.app.deps.store.deliveries.ofCheck(f.check.id, 1_000);
  const nameOf = (id: number) => channels.find((channel) => channel.id === id)?.name ?? 'another';
  return rows
    .toSorted((one, two) => one.id - two.id)
    .map(
      ({ createdAt, status, channelId }) => `${(createdAt - START) / 1e6}: ${status} to ${nameOf(channelId)}`,
    );
}

/** Asks about the outage whenever its time has come, and lets messages arrive. */
async function passUntil(f: Fixture, end: Instant): Promise<void> {
  for (;;) {
    const at = await f.app.deps.store.outages.nextWakeAt();
    if (at === null || at > end) break;
    f.app.clock.set(Math.max(at, f.app.clock.now()));
    await drain(f);
  }
  f.app.clock.set(end);
}

class Killed extends Error {}

/** The store of a node that is killed at the n-th call within its transaction. Nothing of that is committed. */
function mortal(store: Store, calls: number): Store {
  let left = calls;
  const dying = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (left-- === 0) throw new Killed();
          return Reflect.apply(value, target, given);
        };
      },
    });
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value;
      return (work: (tx: object) => Promise<unknown>) =>
        target.transaction((tx) =>
          work(
            new Proxy(tx, {
              get(parts, part) {
                const own: unknown = Reflect.get(parts, part);
                return typeof own === 'object' && own !== null ? dying(own) : own;
              },
            }),
          ),
        );
    },
  });
}

/** Wakes outages on a node that dies at the n-th call. Returns whether it lived. */
async function survives(deps: Deps, calls: number): Promise<boolean> {
  try {
    await wakeOutages({ ...deps, store: mortal(deps.store, calls), onPoison });
    return true;
  } catch (error) {
    if (error instanceof Killed) return false;
    throw error;
  }
}

/** The store of a node that cannot work out what its rules mean for one of the checks. */
function puzzled(store: Store, checkId: number): Store {
  const spoil = (check: CheckToTell) =>
    Object.defineProperty({ ...check }, 'excusedUntilAt', {
      get: () => {
        throw new RangeError('nobody knows when');
      },
    });
  const spoilRows = (read: (ids: readonly number[]) => Promise<CheckToTell[]>) => async (ids: number[]) =>
    (await read(ids)).map((check) => (check.id === checkId ? spoil(check) : check));
  const spoilTx = (tx: Writes) =>
    changed(tx, 'outages', (outages) => changed(outages, 'checksToTell', spoilRows));
  return changed(
    store,
    'transaction',
    (transaction) => (work: (tx: Writes) => Promise<unknown>) => transaction((tx) => work(spoilTx(tx))),
  );
}

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  suite('an outage whose rules cannot be followed', () => {
    test('is told at once and the operator hears of it, while others keep to their rules', async () => {
      const f = await withSteps(started(), { bad_runs: 2 });
      const other = await withSteps(started(), { bad_runs: 2 });
      const deps = { ...f.app.deps, store: puzzled(f.app.deps.store, f.check.id) };
      const faults: string[] = [];
      const wake = async () => {
        const onPoison = (id: number, error: unknown) => faults.push(`${id}: ${String(error)}`);
        while (await wakeOutages({ ...deps, onPoison }));
      };

      await ingestPings(
        deps,
        [f, other].map(({ check: { uuid } }) => incomingPing({ uuid }, { signal: 'fail' })),
      );
      await wake();
      assert.deepEqual([await queued(f), await queued(other)], [['0: down, assigned'], []]);
      f.app.clock.advance({ minutes: 50 });
      await wake();
      const fault = `${f.check.id}: RangeError: nobody knows when`;
      assert.deepEqual(faults, [fault]);
      f.app.clock.advance({ minutes: 20 });
      await wake();

      assert.deepEqual(faults, [fault]);
      // From the next question on, which is an hour later, its rules can be followed again.
      const steps = ['4200: down, step', '4200: down, step'];
      assert.deepEqual(await queued(f), ['0: down, assigned', ...steps]);
    });
  });

  test('repeats come hour by hour as often as the rules say, and not to a kind that keeps a state', async () => {
    const f = await fixture(started());
    const project = (await f.app.deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    const settings = { service_key: 'x', version: 'v2', region: 'us', severity: 'critical' };
    const pager = await f.app.givenChannel(project, { kind: 'pd', name: 'pager', settings });
    await f.app.assign(f.check, f.channel, pager);
    const actor = systemActor(project.id);
    await createPolicy(f.app.deps, actor, 'hourly', { again: 3_600, again_most: 3 });
    await setAlerting(f.app.deps, actor, { policy: 'hourly', tags: [] });

    await f.app.receive(f.check, 'fail');
    await drain(f);
    await passUntil(f, START + seconds(5 * 3_600));
    // A failure is a question, too.
    await ingestPings(f.app.deps, [incomingPing({ uuid: f.check.uuid }, { signal: 'fail' })]);
    await passUntil(f, START + seconds(6 * 3_600));

    assert.deepEqual(await toldTo(f, [f.channel, pager]), [
      '0: down to Alice mail',
      '0: down to pager',
      '3600: down to Alice mail',
      '7200: down to Alice mail',
      '10800: down to Alice mail',
    ]);
  });

  suite('a step', () => {
    test('comes at its instant, also after an edit, which repeats none that is done', async () => {
      const f = await fixture(started());
      const project = (await f.app.deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
      const [pager, boss, chief, owner] = [
        await f.app.givenChannel(project, { name: 'pager' }),
        await f.app.givenChannel(project, { name: 'boss' }),
        await f.app.givenChannel(project, { name: 'chief' }),
        await f.app.givenChannel(project, { name: 'owner' }),
      ];
      const actor = systemActor(project.id);
      const steps = [
        { after: 0, tell: [pager.uuid] },
        { after: 900, tell: [boss.uuid, f.channel.uuid] },
        { after: 1_800, tell: [chief.uuid] },
      ];
      // biome-ignore lint/suspicious/noThenProperty: it is the name in requests, and its value is no function.
      const { uuid } = await createPolicy(f.app.deps, actor, 'steps', { then: steps });
      await setAlerting(f.app.deps, actor, { policy: 'steps', tags: [] });

      await f.app.receive(f.check, 'fail');
      await drain(f);
      await passUntil(f, START + seconds(1_000));
      const more = [...steps, { after: 2_700, tell: [owner.uuid, boss.uuid] }];
      // biome-ignore lint/suspicious/noThenProperty: it is the name in requests, and its value is no function.
      await editPolicy(f.app.deps, actor, uuid, { rules: { then: more } });
      await passUntil(f, START + seconds(7_200));

      assert.deepEqual(await toldTo(f, [f.channel, pager, boss, chief, owner]), [
        '0: down to Alice mail',
        '0: down to pager',
        '900: down to boss',
        '1800: down to chief',
        '2700: down to owner',
      ]);
    });
  });

  suite('a step that is due', () => {
    test('is told once, wherever the node is killed that was telling it', async () => {
      const f = await withSteps(started());
      await f.app.receive(f.check, 'fail');
      f.app.clock.set(START + seconds(900));

      let calls = 0;
      while (!(await survives(f.app.deps, calls))) {
        assert.deepEqual(await queued(f), ['0: down, assigned'], `killed at call ${calls}`);
        calls++;
      }
      await drain(f);

      assert.ok(calls > 5, String(calls));
      assert.deepEqual(await queued(f), ['0: down, assigned', '900: down, step']);
    });

    test('is told once by three nodes that wake at the same time, with the repeat of that time', async () => {
      const f = await withSteps(started(), { again: 900 });
      await f.app.receive(f.check, 'fail');
      await drain(f);
      f.app.clock.set(START + seconds(900));

      await Promise.all([1, 2, 3].map(() => wakeOutages({ ...f.app.deps, onPoison })));
      await drain(f);

      assert.deepEqual(await queued(f), ['0: down, assigned', '900: down, step', '900: down, again']);
    });

    test('while nobody watched comes five minutes after the return, in order, with one repeat', async () => {
      const f = await withSteps(started(), { again: 2_100 });
      const loop = new OutageLoop(f.app.deps, log, new DeadlineLoop(f.app.deps, log));
      await loop.tick();
      await f.app.receive(f.check, 'fail');
      await drain(f);

      f.app.clock.set(START + seconds(7_200));
      for (let at = 7_200; at <= 7_500; at += 20) {
        f.app.clock.set(START + seconds(at));
        while ((await loop.tick()) === true);
        if (at < 7_500) assert.deepEqual(await queued(f), ['0: down, assigned'], `at ${at} s`);
      }

      assert.deepEqual(await queued(f), [
        '0: down, assigned',
        '7500: down, step',
        '7500: down, step',
        '7500: down, again',
      ]);
      await drain(f);
      await passUntil(f, START + seconds(9_700));
      assert.deepEqual((await queued(f)).slice(4), [
        '9600: down, again',
        '9600: down, again',
        '9600: down, again',
      ]);
    });

    test('comes at its time and is not lost after a clock that was a day ahead is set right', async () => {
      const f = await withSteps(started());
      const { clock } = f.app;
      const loop = new OutageLoop(f.app.deps, log, new DeadlineLoop(f.app.deps, log));
      const tickAt = async (at: Instant) => {
        clock.set(at);
        while ((await loop.tick()) === true);
      };
      const watch = async (span: number) => {
        for (const end = clock.now() + seconds(span); clock.now() < end; )
          await tickAt(clock.now() + seconds(20));
      };
      await loop.tick();
      clock.jump({ days: 1 });
      await loop.tick();
      await f.app.receive(f.check, 'fail');
      await watch(600);
      assert.equal((await queued(f)).length, 1);

      clock.jump({ days: -1 });
      await loop.tick();
      assert.deepEqual(await f.app.deps.store.liveness.blindSpansSince(clock.now()), []);
      const setRight = (clock.now() - START) / 1e6;
      await watch(880);
      assert.deepEqual((await queued(f)).slice(1), []);
      await watch(920);

      const times = (await queued(f)).slice(1).map((line) => Number.parseInt(line, 10) - setRight);
      assert.equal(times.length, 2);
      for (const [index, time] of times.entries())
        assert.ok(time >= 900 * (index + 1) && time <= 900 * (index + 1) + 20, `${time}`);
    });
  });
});
