import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Check, newCheck } from '../../src/domain/check/check.ts';
import { DEFAULT_CONFIG } from '../../src/domain/check/settings.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { deleteCheck } from '../../src/services/check/checks.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { storedChecks } from '../records.ts';
import {
  AMBIGUOUS,
  assertAnswer,
  assertUntouched,
  CREATED,
  givenPingKey,
  INVALID_RID,
  INVALID_URL,
  lastPing,
  NOT_FOUND,
  OK,
  signalsOf,
} from './answers.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(limits = { checks: 20, pings: 100 }) {
    const { project, ownerId } = await app().givenProject({ limits });
    return { project, ownerId, key: await givenPingKey(app(), project) };
  }

  async function onlyCheck(project: Project): Promise<Check> {
    const [check, ...others] = await storedChecks(app().deps.store, project);
    assert.ok(check !== undefined && others.length === 0, 'there is one check');
    return check;
  }

  test('a ping key that people bring along has 16 to 128 characters', async () => {
    for (const length of [16, 128]) {
      const { project } = await app().givenProject();
      const key = await givenPingKey(app(), project, length);
      const check = await app().givenCheck(project, { slug: 'nightly' });
      assert.equal(key.length, length);

      assertAnswer(await app().ping(`/${key}/nightly/start`), OK);
      assertAnswer(await app().ping(`/${key}/nightly`), OK);

      assert.deepEqual(await signalsOf(app(), check), ['start', 'success']);
      assertAnswer(await app().ping(`/${key.slice(1)}/nightly`), NOT_FOUND);
    }
  });

  test('an unknown slug makes a check with all channels, and pings it', async () => {
    const { project, key } = await given();
    const channels = [
      await app().givenChannel(project),
      await app().givenChannel(project, { kind: 'webhook' }),
    ];

    assertAnswer(await app().ping(`/${key}/db_backup-2?create=1`), CREATED);

    const check = await onlyCheck(project);
    const { uuid, badgeKey } = check;
    const identity = { uuid, badgeKey, projectId: project.id, createdAt: app().clock.now() };
    assert.deepEqual(check, {
      ...newCheck({ ...DEFAULT_CONFIG, name: 'db_backup-2', slug: 'db_backup-2' }, identity),
      id: check.id,
      status: 'up',
      pingCount: 1,
      lastPingAt: app().clock.now(),
      lastReceivedAt: app().clock.now(),
      lastSuccessAt: app().clock.now(),
      lastResult: 'success',
      lastFlipAt: app().clock.now(),
      deadlineAt: app().clock.now() + 90_000_000_000,
    });
    const assigned = await app().deps.store.checks.channelsOf(check.id);
    assert.deepEqual(assigned, channels.map((channel) => channel.uuid).sort());
    assert.deepEqual(await signalsOf(app(), check), ['success']);
  });

  test('the second ping finds the check that the first has made', async () => {
    const { project, key } = await given();

    assertAnswer(await app().ping(`/${key}/fresh?create=1`), CREATED);
    assertAnswer(await app().ping(`/${key}/fresh?create=1`), OK);
    assertAnswer(await app().ping(`/${key}/fresh`), OK);

    assert.equal((await onlyCheck(project)).pingCount, 3);
  });

  for (const [path, signal, exitStatus] of [
    ['start', 'start', null],
    ['fail', 'fail', null],
    ['log', 'log', null],
    ['0', 'success', 0],
    ['3', 'fail', 3],
  ] as const) {
    test(`a check may be made by /${path}`, async () => {
      const { project, key } = await given();

      assertAnswer(await app().ping(`/${key}/fresh/${path}?create=1`, { body: 'x' }), CREATED);

      const ping = await lastPing(app(), await onlyCheck(project));
      assert.deepEqual([ping.n, ping.signal, ping.exitStatus, ping.bodySize], [1, signal, exitStatus, 1]);
    });
  }

  for (const query of [
    '',
    '?create=0',
    '?create=yes',
    '?create=true',
    '?create=',
    '?create=01',
    '?create',
    '?Create=1',
    '?create=1&create=0',
  ]) {
    test(`no check is made by a slug with ${query === '' ? 'no query' : query}`, async () => {
      const { project, key } = await given();

      assertAnswer(await app().ping(`/${key}/fresh${query}`), NOT_FOUND);

      assert.deepEqual(await storedChecks(app().deps.store, project), []);
    });
  }

  test('of several values the last counts', async () => {
    const { key } = await given();

    assertAnswer(await app().ping(`/${key}/fresh?create=0&create=1`), CREATED);
  });

  test('with an unknown key nothing is made', async () => {
    const count = await app().deps.store.checks.count(1_000);

    assertAnswer(await app().ping('/nobody-has-this-key/fresh?create=1'), NOT_FOUND);

    assert.equal(await app().deps.store.checks.count(1_000), count);
  });

  test('pings may make checks up to twice the limit of the owner, over all projects', async () => {
    const { ownerId, key } = await given({ checks: 2, pings: 100 });
    const other = await app().givenProject({ ownerId });
    const otherKey = await givenPingKey(app(), other.project);
    await app().givenCheck(other.project);
    await app().givenCheck(other.project);

    assertAnswer(await app().ping(`/${key}/third?create=1`), CREATED);
    assertAnswer(await app().ping(`/${otherKey}/fourth?create=1`), CREATED);
    assertAnswer(await app().ping(`/${key}/fifth?create=1`), NOT_FOUND);
    assertAnswer(await app().ping(`/${key}/third?create=1`), OK);

    assert.equal((await storedChecks(app().deps.store, other.project)).length, 3);
  });

  test('several that come at once do not pass the limit, either', async () => {
    const { project, key } = await given({ checks: 2, pings: 100 });

    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) => app().ping(`/${key}/check-${n}?create=1`)),
    );

    const statuses = replies.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 201, 201, 201, 404, 404, 404, 404, 404, 404]);
    assert.equal((await storedChecks(app().deps.store, project)).length, 4);
  });

  test('a deleted check makes room for another', async () => {
    const { project, key } = await given({ checks: 1, pings: 100 });
    const actor = systemActor(project.id);
    for (const slug of ['one', 'two']) await app().ping(`/${key}/${slug}?create=1`);
    assertAnswer(await app().ping(`/${key}/three?create=1`), NOT_FOUND);

    const [first] = await storedChecks(app().deps.store, project);
    await deleteCheck(app().deps, actor, first?.id ?? 0);

    assertAnswer(await app().ping(`/${key}/three?create=1`), CREATED);
    assertAnswer(await app().ping(`/${key}/four?create=1`), NOT_FOUND);
  });

  for (const [name, path, answer] of [
    ['a slug in upper case makes no check', '/Fresh?create=1', INVALID_URL],
    ['a malformed run id makes no check', '/fresh?create=1&rid=bad', INVALID_RID],
    ['an exit status above 255 makes no check', '/fresh/256?create=1', INVALID_URL],
    ['both of them make no check', '/fresh/256?create=1&rid=bad', INVALID_URL],
    ['a slug of 101 characters makes no check', `/${'a'.repeat(101)}?create=1`, INVALID_URL],
    ['without asking for a check it is refused, too', `/${'a'.repeat(101)}`, INVALID_URL],
  ] as const) {
    test(name, async () => {
      const { project, key } = await given();

      assertAnswer(await app().ping(`/${key}${path}`), answer);

      assert.deepEqual(await storedChecks(app().deps.store, project), []);
    });
  }

  test('two that come at once make one check, and one of them is told so', async () => {
    const { project, key } = await given();

    const replies = await Promise.all([1, 2].map(() => app().ping(`/${key}/fresh?create=1`)));

    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 201]);
    assert.equal((await onlyCheck(project)).pingCount, 2);
  });

  test('a UUID makes no check', async () => {
    const count = await app().deps.store.checks.count(1_000);

    assertAnswer(await app().ping('/aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee?create=1'), NOT_FOUND);

    assert.equal(await app().deps.store.checks.count(1_000), count);
  });

  test('a slug of 100 characters makes a check', async () => {
    const { project, key } = await given();

    assertAnswer(await app().ping(`/${key}/${'a'.repeat(100)}?create=1`), CREATED);

    assert.equal((await onlyCheck(project)).slug, 'a'.repeat(100));
  });

  test('an ambiguous slug makes no third check', async () => {
    const { project, key } = await given();
    const twins = await Promise.all([1, 2].map(() => app().givenCheck(project, { slug: 'twin' })));

    assertAnswer(await app().ping(`/${key}/twin?create=1`), AMBIGUOUS);

    assert.equal((await storedChecks(app().deps.store, project)).length, 2);
    await assertUntouched(app(), ...twins);
  });
});
