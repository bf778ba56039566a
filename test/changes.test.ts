import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Channel } from '../src/domain/alert/channel.ts';
import type { Outcome } from '../src/domain/alert/delivery.ts';
import type { Changes, TouchedIds } from '../src/domain/change.ts';
import type { Check } from '../src/domain/check/check.ts';
import type { Project } from '../src/domain/people/project.ts';
import { seconds } from '../src/lib/instant.ts';
import { parseProvisionFile } from '../src/provision/parse.ts';
import { createCalendar, deleteCalendar, editCalendar } from '../src/services/alert/calendars.ts';
import { reportDelivery } from '../src/services/alert/callbacks.ts';
import { unsubscribe } from '../src/services/alert/channel-links.ts';
import { settleDeliveries, skipDeliveries } from '../src/services/alert/deliveries.ts';
import { createPolicy, deletePolicy, editPolicy, setAlerting } from '../src/services/alert/policies.ts';
import { sendTestMessage } from '../src/services/alert/test-message.ts';
import { replaceAddress } from '../src/services/check/check-moves.ts';
import {
  createCheck,
  deleteCheck,
  pauseCheck,
  resumeCheck,
  updateCheck,
} from '../src/services/check/checks.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { announceQuietTime } from '../src/services/check/quiet-times.ts';
import { type Actor, authenticate } from '../src/services/core/actor.ts';
import type { Deps } from '../src/services/core/deps.ts';
import { recordBeat } from '../src/services/core/liveness.ts';
import { Attempts } from '../src/services/people/attempts.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { pingKeyDigest } from '../src/services/project/projects.ts';
import { provision } from '../src/services/provisioning/provision.ts';
import type { Driver } from '../src/storage/driver.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { endedTries, lease } from './alerts.ts';
import { startTestApp, type TestApp } from './app.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { givenPingKey } from './ping/answers.ts';
import { incomingPing } from './records.ts';

interface Scene {
  readonly app: TestApp;
  /** The dependencies of a node of its own on the app's database, whose announcements are watched. */
  readonly deps: Deps;
  readonly announced: Changes[];
  readonly project: Project;
  readonly check: Check;
  readonly channel: Channel;
  readonly actor: Actor;
}

const NODE = 'b7a2f9a8-2d0e-4a42-a1ab-9d8b35c30a11';
const PERMANENT: Outcome = { kind: 'permanent', error: 'gone' };

/** The touched rows of each of them in the scene's project. */
interface Source {
  /** The acts before. */
  readonly before?: (scene: Scene) => Promise<unknown>;
  readonly act: (scene: Scene) => Promise<unknown>;
  readonly touches: readonly ('check' | 'channel')[];
  /** No check can have another status after it. */
  readonly keepsStatus?: true;
}

const SOURCES: Readonly<Record<string, Source>> = {
  'a ping': {
    act: ({ deps, check }) => ingestPings(deps, [incomingPing({ uuid: check.uuid })]),
    touches: ['check'],
    keepsStatus: true,
  },
  'a check that is overdue': {
    before: async ({ app }) => app.clock.advance({ days: 3 }),
    act: ({ deps }) => flipOverdue({ ...deps, onPoison: () => assert.fail() }),
    touches: ['check'],
  },
  'an edit of a check': {
    act: ({ deps, actor, check }) => updateCheck(deps, actor, check.id, { edit: { name: 'new' } }),
    touches: ['check'],
  },
  'an assignment of channels': {
    act: ({ deps, actor, check }) => updateCheck(deps, actor, check.id, { edit: {}, channels: '' }),
    touches: ['check'],
  },
  'an update by what a check is called': {
    act: ({ deps, actor, check }) =>
      createCheck(deps, actor, { edit: { tags: 'new' }, match: { name: check.name } }),
    touches: ['check'],
  },
  'a pause': {
    act: ({ deps, actor, check }) => pauseCheck(deps, actor, check.id),
    touches: ['check'],
  },
  'a resumption': {
    before: ({ app, actor, check }) => pauseCheck(app.deps, actor, check.id),
    act: ({ deps, actor, check }) => resumeCheck(deps, actor, check.id),
    touches: ['check'],
  },
  'a deletion': {
    act: ({ deps, actor, check }) => deleteCheck(deps, actor, check.id),
    touches: ['check'],
  },
  'a time in which nobody watched': {
    before: async ({ app }) => {
      await recordBeat(app.deps, NODE, false);
      app.clock.advance({ days: 3 });
    },
    act: ({ deps }) => recordBeat(deps, NODE, false),
    touches: ['check'],
  },
  'a message that was taken': {
    before: ({ app, check }) => app.receive(check, 'fail'),
    act: ({ deps }) => settleAll(deps, { kind: 'delivered' }),
    touches: ['check', 'channel'],
    keepsStatus: true,
  },
  'a message that switches its channel off': {
    before: ({ app, check }) => app.receive(check, 'fail'),
    act: ({ deps }) => settleAll(deps, PERMANENT),
    touches: ['check', 'channel'],
    keepsStatus: true,
  },
  'a message that is not wanted any more': {
    before: ({ app, check }) => app.receive(check, 'fail'),
    act: async ({ deps }) => {
      const leased = await lease(deps, 10);
      await skipDeliveries(
        deps,
        leased.map((row) => ({ row, because: null })),
      );
    },
    touches: ['check', 'channel'],
    keepsStatus: true,
  },
  'what a provider tells later': {
    before: async ({ app, check }) => {
      await app.receive(check, 'fail');
      await settleAll(app.deps, { kind: 'delivered' });
    },
    act: async ({ deps, check }) => {
      const [delivery] = await deps.store.deliveries.ofCheck(check.id, 1);
      assert.ok(delivery);
      await reportDelivery(deps, { id: delivery.id }, { error: 'bounced', disableChannel: true });
    },
    touches: ['check', 'channel'],
    keepsStatus: true,
  },
  'a test message': {
    act: ({ deps, actor, channel }) =>
      sendTestMessage({ ...deps, attempts: new Attempts(deps) }, actor, channel.uuid, async () => PERMANENT),
    touches: ['channel'],
    keepsStatus: true,
  },
  'a recipient who wants no more': {
    act: ({ deps, channel }) => unsubscribe(deps, channel),
    touches: ['channel'],
    keepsStatus: true,
  },
};

const LATER = {
  ...{ name: 'later', reason: '', checks: [], tags: '', untilAt: null, schedule: '', tz: 'UTC' },
  ...{ durationSeconds: 3_600 },
};
const HOURS = { schedule: '0 8 * * *', tz: 'UTC', durationSeconds: 3_600, exceptDates: '' };

/** What is set for all checks of the project. */
const SETTINGS: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  'a new way to tell': ({ deps, actor }) => createPolicy(deps, actor, 'own', { wait: 900 }),
  'an edited way to tell': async ({ app, deps, actor }) => {
    const { uuid } = await createPolicy(app.deps, actor, 'own', { wait: 900 });
    await editPolicy(deps, actor, uuid, { rules: { wait: 600 } });
  },
  'a deleted way to tell': async ({ app, deps, actor }) => {
    const { uuid } = await createPolicy(app.deps, actor, 'own', { wait: 900 });
    await deletePolicy(deps, actor, uuid, false);
  },
  'another way for the project': ({ deps, actor }) =>
    setAlerting(deps, actor, { policy: '', tags: [{ tag: 'web', policy: '', asOne: true }] }),
  'new working hours': ({ deps, actor }) => createCalendar(deps, actor, { name: 'day', ...HOURS }),
  'edited working hours': async ({ app, deps, actor }) => {
    const { uuid } = await createCalendar(app.deps, actor, { name: 'day', ...HOURS });
    await editCalendar(deps, actor, uuid, { name: 'night' });
  },
  'deleted working hours': async ({ app, deps, actor }) => {
    const { uuid } = await createCalendar(app.deps, actor, { name: 'day', ...HOURS });
    await deleteCalendar(deps, actor, uuid, false);
  },
  'a quiet time that will come': ({ deps, actor }) =>
    announceQuietTime(deps, actor, { ...LATER, fromAt: deps.clock.now() + seconds(86_400) }),
};

async function settleAll(deps: Deps, outcome: Outcome): Promise<void> {
  const leased = await lease(deps, 10);
  assert.equal(leased.length, 1);
  await settleDeliveries(deps, await endedTries(deps, leased, outcome));
}

forEachEngine((engine) => {
  /** A check that is up, with a channel, and a node whose announcements are watched. */
  async function startScene(): Promise<Scene & AsyncDisposable> {
    await using started = new AsyncDisposableStack();
    const app = started.use(await startTestApp(engine));
    const driver = started.use(await openTestDriver(app.database));
    const announced: Changes[] = [];
    const store = createSqlStore(driver, (changes) => announced.push(changes));
    const { project, key } = await app.givenProject();
    const channel = await app.givenChannel(project);
    const check = await app.givenCheck(project, {
      name: 'Nightly',
      status: 'up',
      lastPingAt: app.clock.now(),
    });
    await app.assign(check, channel);
    const actor = await authenticate({ ...app.deps, keyUses: app.node.keyUses }, key, null);
    const parts = started.move();
    return {
      app,
      deps: { ...app.deps, store },
      announced,
      project,
      check,
      channel,
      actor,
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  }

  describe('what is announced after the commit', () => {
    for (const [name, { before, act, touches, keepsStatus }] of Object.entries(SOURCES)) {
      test(`is ${touches.join(' and ')}: ${name}`, async () => {
        await using scene = await startScene();
        await before?.(scene);

        await act(scene);

        const ids = (noun: 'check' | 'channel') => (touches.includes(noun) ? [scene[noun].id] : []);
        const change = {
          projectId: scene.project.id,
          checkIds: ids('check'),
          channelIds: ids('channel'),
          touchesStatus: keepsStatus !== true,
        };
        assert.deepEqual(scene.announced, [[change]]);
      });
    }

    test('is a check that a ping has created', async () => {
      await using scene = await startScene();
      const { app, deps, project } = scene;
      const digest = pingKeyDigest(await givenPingKey(app, project));
      const target = { pingKeyDigest: digest, slug: 'fresh', create: true };

      assert.deepEqual(await ingestPings(deps, [incomingPing(target)]), ['created']);

      const created = (await deps.store.checks.ofProject(project.id)).find(({ slug }) => slug === 'fresh');
      assert.deepEqual(scene.announced, [
        [{ projectId: project.id, checkIds: [created?.id], channelIds: [], touchesStatus: true }],
      ]);
    });

    test('is a check that was created', async () => {
      await using scene = await startScene();

      const { check } = await createCheck(scene.deps, scene.actor, { edit: {}, channels: '*', match: null });

      assert.deepEqual(scene.announced, [
        [{ projectId: scene.project.id, checkIds: [check.id], channelIds: [], touchesStatus: true }],
      ]);
    });

    test('is all checks when one has a new address, as whoever knows its key would not find it', async () => {
      await using scene = await startScene();

      await replaceAddress(scene.deps, scene.actor, scene.check.id);

      assert.deepEqual(scene.announced, [
        [{ projectId: scene.project.id, checkIds: 'all', channelIds: [], touchesStatus: true }],
      ]);
    });

    for (const [name, act] of Object.entries(SETTINGS))
      test(`is all checks of the project: ${name}`, async () => {
        await using scene = await startScene();

        await act(scene);

        assert.deepEqual(scene.announced, [
          [{ projectId: scene.project.id, checkIds: 'all', channelIds: [], touchesStatus: false }],
        ]);
      });

    test('is all that a provisioning file has made or changed, and nothing when it changes nothing', async () => {
      await using scene = await startScene();
      const apply = (timeout: number) =>
        provision(
          scene.deps,
          parseProvisionFile(
            'tocsin.yaml',
            `accounts: [{ email: bob@example.org }]
projects:
  - name: Beta
    owner: bob@example.org
    integrations: [{ kind: email, name: Bob, email: bob@example.org, verified: true }]
    checks:
      - { slug: one, timeout: ${timeout}, integrations: Bob }
      - { slug: two }
`,
          ),
        );

      await apply(300);
      await apply(300);
      await apply(600);

      const count = (ids: TouchedIds) => (ids === 'all' ? ids : ids.length);
      const shapes = scene.announced.map(
        (changes) =>
          changes !== 'everything' &&
          changes.map(({ checkIds, channelIds }) => [count(checkIds), count(channelIds)]),
      );
      assert.deepEqual(shapes, [[[2, 1]], [[1, 0]]]);
    });

    test('is each project of a batch of pings, once', async () => {
      await using scene = await startScene();
      const { app, deps, check } = scene;
      const { project } = await app.givenProject();
      const other = await app.givenCheck(project, { status: 'up', lastPingAt: app.clock.now() });
      const pings = [check, other, check, { uuid: 'b7a2f9a8-2d0e-4a42-a1ab-000000000000' }].map(({ uuid }) =>
        incomingPing({ uuid }),
      );

      await ingestPings(deps, pings);

      assert.deepEqual(scene.announced, [
        [
          { projectId: check.projectId, checkIds: [check.id], channelIds: [], touchesStatus: false },
          { projectId: other.projectId, checkIds: [other.id], channelIds: [], touchesStatus: false },
        ],
      ]);
    });
  });

  describe('nothing is announced', () => {
    test('of what is rolled back', async () => {
      await using scene = await startScene();
      const failure = new Error('no');

      const work = scene.deps.store.transaction(async (tx) => {
        await tx.checks.saveConfig({ ...scene.check, name: 'new' });
        await tx.channels.noteLateError(scene.channel, 'no');
        throw failure;
      });

      await assert.rejects(work, failure);
      assert.deepEqual(scene.announced, []);
    });

    test('of what a verb refuses', async () => {
      await using scene = await startScene();
      const { deps, actor, check } = scene;

      await assert.rejects(resumeCheck(deps, actor, check.id), { code: 'check_not_paused' });
      const edit = updateCheck(deps, actor, check.id, { edit: {}, channels: 'nobody' });

      await assert.rejects(edit);
      assert.deepEqual(scene.announced, []);
    });

    test('of pings that reach nobody, and of what is only read or leased', async () => {
      await using scene = await startScene();
      const { app, deps, check } = scene;
      await app.receive(check, 'fail');

      await ingestPings(deps, [incomingPing({ uuid: 'b7a2f9a8-2d0e-4a42-a1ab-000000000000' })]);
      await ingestPings(deps, [incomingPing({ uuid: check.uuid }, { fault: 'invalid_rid' })]);
      await lease(deps, 10);
      await recordBeat(deps, NODE, true);
      await deps.store.transaction((tx) => tx.checks.lock(check.id));

      assert.deepEqual(scene.announced, []);
    });

    test('of a first attempt that has to be repeated', async () => {
      await using scene = await startScene();
      const { app, check } = scene;
      await using driver = await openTestDriver(app.database);
      const announced: Changes[] = [];
      const undone = new Error('undone');
      // Like after a deadlock: the writes of the first run are gone.
      const repeating: Driver = {
        dialect: driver.dialect,
        all: (sql, params) => driver.all(sql, params),
        probe: () => driver.probe(),
        async transaction(work) {
          const first = driver.transaction(async (tx) => {
            await work(tx);
            throw undone;
          });
          await assert.rejects(first, undone);
          return driver.transaction(work);
        },
        [Symbol.asyncDispose]: async () => undefined,
      };
      const store = createSqlStore(repeating, (changes) => announced.push(changes));
      const other = await app.givenCheck(scene.project);
      let runs = 0;

      await store.transaction((tx) => tx.checks.saveConfig(runs++ === 0 ? other : check));

      assert.equal(runs, 2);
      assert.deepEqual(announced, [
        [{ projectId: check.projectId, checkIds: [check.id], channelIds: [], touchesStatus: true }],
      ]);
    });
  });

  test('an announcement of many checks says all, and names the projects', async () => {
    await using scene = await startScene();
    const { app, deps, project } = scene;
    const owner = await app.givenProject({ limits: { checks: 300, pings: 100 } });
    const silent = { status: 'up', lastPingAt: app.clock.now(), timeoutSeconds: 60 } as const;
    for (let n = 0; n < 201; n++) await app.givenCheck(owner.project, silent);
    await recordBeat(app.deps, NODE, false);
    app.clock.set(app.clock.now() + seconds(3 * 86_400));

    const { blindness } = await recordBeat(deps, NODE, false);

    assert.equal(blindness?.excused, 202);
    assert.deepEqual(
      new Map(scene.announced.flatMap((changes) => (changes === 'everything' ? [] : changes)).map(byProject)),
      new Map<number, TouchedIds>([
        [project.id, [scene.check.id]],
        [owner.project.id, 'all'],
      ]),
    );
  });
});

function byProject({ projectId, checkIds }: { projectId: number; checkIds: TouchedIds }) {
  return [projectId, checkIds] as const;
}
