import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../../src/domain/check/check.test-support.ts';
import type { NewCheck } from '../../src/domain/check/check.ts';
import { type Instant, seconds, toIsoSeconds } from '../../src/lib/instant.ts';
import { flipOverdue } from '../../src/services/check/deadlines.ts';
import { beginQuietTimes } from '../../src/services/check/quiet-coverage.ts';
import { START, sharedTestApp } from '../app.ts';
import { givenMember } from '../dashboard/team.ts';
import { forEachEngine } from '../engines.ts';
import { assertStatus } from './answers.ts';
import { givenToken } from './tokens.ts';

const atSecond = (at: Instant) => at / seconds(1);

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(overrides: Partial<NewCheck> = {}) {
    const { key, readOnlyKey, project } = await app().givenProject();
    const check = await app().givenCheck(project, {
      ...{ status: 'up', lastPingAt: START - DAY + HOUR, tags: 'prod web', slug: 'shop' },
      ...overrides,
    });
    const send = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
      app().request(method, `/api/v3/quiet-times/${path}`, { key, ...(body !== undefined && { body }) });
    const announce = async (body: unknown, status = 201) => {
      const reply = await send('POST', '', body);
      assertStatus(reply, status);
      return reply.json as Record<string, unknown> & { uuid: string };
    };
    const stored = async () => (await app().deps.store.checks.byUuid(check.uuid)) ?? assert.fail();
    return { key, readOnlyKey, project, check, send, announce, stored };
  }

  const runLoop = async () => {
    await beginQuietTimes({ ...app().deps, onPoison: () => assert.fail() });
  };
  const goTo = async (at: Instant) => {
    app().clock.set(at);
    await runLoop();
    while (await flipOverdue({ ...app().deps, onPoison: () => assert.fail() }));
  };

  test('a quiet time covers its checks at once, and a run in it is not expected', async () => {
    const { announce, stored } = await given();

    const made = await announce({ reason: 'deploy 412', tags: 'web db', duration: 7200 });

    assert.equal(made.name, 'deploy 412');
    assert.equal(made.state, 'running');
    assert.equal(made.until, toIsoSeconds(START + 2 * HOUR));
    const covered = await stored();
    assert.deepEqual([covered.quietFromAt, covered.quietUntilAt], [START, START + 2 * HOUR]);
    // It was due an hour after the beginning, with an hour of grace.
    await goTo(START + 2 * HOUR + MINUTE);
    assert.equal((await stored()).status, 'up');
    assert.equal((await stored()).deadlineAt, START + 3 * HOUR);
    await goTo(START + 3 * HOUR);
    assert.equal((await stored()).status, 'down');
  });

  test('checks without its tags, and those of other projects, are not covered', async () => {
    const { announce, stored, project } = await given({ tags: 'webmaster' });
    const named = await app().givenCheck(project, { slug: 'named' });
    const other = await given();

    await announce({ checks: ['named'], tags: 'web', duration: 600 });

    assert.equal((await stored()).quietFromAt, null);
    assert.equal((await other.stored()).quietFromAt, null);
    const covered = await app().deps.store.checks.byUuid(named.uuid);
    assert.equal(covered?.quietUntilAt, START + 10 * MINUTE);
  });

  test('a stop ends it now: deadlines are computed anew', async () => {
    const { announce, send, stored } = await given({ lastPingAt: START - DAY - 30 * MINUTE });
    const { uuid } = await announce({ duration: 86_400 });
    assert.equal((await stored()).deadlineAt, START + DAY + HOUR);

    await goTo(START + 31 * MINUTE);
    const reply = await send('POST', `${uuid}/stop`);

    assertStatus(reply, 200);
    assert.equal((reply.json as { state: string }).state, 'over');
    assert.equal((await stored()).deadlineAt, START + 91 * MINUTE);
    assert.equal((await stored()).quietUntilAt, START + 31 * MINUTE);
  });

  test('one that is announced again under its name is moved, and stays one', async () => {
    const { announce, send, stored } = await given();
    const first = await announce({ name: 'deploy', duration: 600 });

    const second = await announce({ name: 'deploy', duration: 1200 }, 200);

    assert.equal(second.uuid, first.uuid);
    assert.equal((await stored()).quietUntilAt, START + 20 * MINUTE);
    const list = (await send('GET', '')).json as { quiet_times: unknown[] };
    assert.equal(list.quiet_times.length, 1);
  });

  test('one without a name replaces only the one for the same checks', async () => {
    const { announce, send } = await given();
    const first = await announce({ tags: 'web db', duration: 600 });

    const other = await announce({ tags: 'mail', duration: 600 });
    const again = await announce({ tags: 'db web', duration: 1200 }, 200);

    assert.notEqual(other.uuid, first.uuid);
    assert.equal(again.uuid, first.uuid);
    const { quiet_times: list } = (await send('GET', '')).json as { quiet_times: { tags: string }[] };
    assert.deepEqual(list.map(({ tags }) => tags).toSorted(), ['db web', 'mail']);
  });

  test('a check that gains a tag is covered, and one that loses it is not', async () => {
    const { announce, key, check, stored } = await given({ tags: '' });
    await announce({ tags: 'web', duration: 3600 });
    const retag = (tags: string) =>
      app().request('POST', `/api/v3/checks/${check.uuid}`, { key, body: { tags } });

    assertStatus(await retag('web'), 200);
    assert.equal((await stored()).quietUntilAt, START + HOUR);

    app().clock.set(START + MINUTE);
    assertStatus(await retag('db'), 200);
    assert.equal((await stored()).quietUntilAt, START + MINUTE);
  });

  test('a check that is made in a quiet time is covered', async () => {
    const { announce, key } = await given();
    await announce({ duration: 3600 });

    const made = await app().request('POST', '/api/v3/checks/', { key, body: { name: 'new', slug: 'new' } });

    const uuid = String((made.json as { uuid: string }).uuid);
    assert.equal((await app().deps.store.checks.byUuid(uuid))?.quietUntilAt, START + HOUR);
  });

  test('one that recurs covers its checks a minute before it begins, again and again', async () => {
    const { announce, stored } = await given();
    const midnight = Math.ceil(START / DAY) * DAY;
    await announce({ name: 'nightly', schedule: '0 0 * * *', duration: 1800 });
    assert.equal((await stored()).quietFromAt, null);

    for (const night of [midnight, midnight + DAY]) {
      await goTo(night - MINUTE);
      const covered = await stored();
      assert.deepEqual([covered.quietFromAt, covered.quietUntilAt], [night, night + 30 * MINUTE]);
      await app().deps.store.transaction((tx) => tx.checks.saveState({ ...covered, lastPingAt: night }));
    }
    const spans = await app().deps.store.quietTimes.spansSince([(await stored()).id], 0);
    assert.equal(spans.length, 2);
  });

  test('one that was stopped while a node died is undone by the loop', async () => {
    const { announce, stored, project } = await given();
    const { uuid } = await announce({ duration: 3600 });
    const { store } = app().deps;
    const running = (await store.quietTimes.byUuid(project.id, uuid)) ?? assert.fail();
    app().clock.set(START + MINUTE);
    await store.transaction((tx) =>
      tx.quietTimes.update({ ...running, untilAt: START + MINUTE, nextAt: START + MINUTE }),
    );

    await runLoop();

    assert.equal((await stored()).quietUntilAt, START + MINUTE);
  });

  test('deleting one that runs ends it', async () => {
    const { announce, send, stored } = await given();
    const { uuid } = await announce({ schedule: '* * * * *', duration: 60 });
    app().clock.set(START + MINUTE / 2);

    assertStatus(await send('DELETE', uuid), 200);

    assertStatus(await send('GET', uuid), 404);
    assert.equal((await stored()).quietUntilAt, START + MINUTE / 2);
  });

  for (const [fault, body] of [
    ['until or duration is missing', {}],
    ['until is in the past', { until: atSecond(START) - 1, from: atSecond(START) - 100 }],
    ['duration is too small', { duration: 59 }],
    ['duration is too large', { duration: 2_592_001 }],
    ['from is more than a year ahead', { from: atSecond(START + 367 * DAY), duration: 60 }],
    ['duration is missing', { schedule: '0 3 * * *' }],
    ['schedule cannot be combined with from and until', { schedule: '0 3 * * *', from: 1, duration: 60 }],
    [
      'duration is longer than the time between two of its beginnings',
      { schedule: '*/5 * * * *', duration: 301 },
    ],
    ['tz is not a valid timezone', { duration: 60, tz: 'Europe/Atlantis' }],
    ['invalid check: other', { duration: 60, checks: ['other'] }],
    ["an item in 'checks' is not a string", { duration: 60, checks: [7] }],
    ['name is too long', { duration: 60, name: 'n'.repeat(61) }],
    // Without a word about it, the whole project would be quiet.
    ['json validation error: quiet time has an unknown key "tag"', { duration: 60, tag: 'web' }],
  ] as const)
    test(`is refused: ${fault}`, async () => {
      const { send } = await given();
      const reply = await send('POST', '', body);
      assertStatus(reply, 400);
      assert.equal((reply.json as { error: string }).error.endsWith(fault), true, JSON.stringify(reply.json));
    });

  test('a schedule that does not parse is refused with the reason of the parser', async () => {
    const { send } = await given();
    const reply = await send('POST', '', { schedule: '99 * * * *', duration: 60 });
    assertStatus(reply, 400);
    assert.match((reply.json as { error: string }).error, /^schedule: .*99/);
  });

  test('one whose checks are gone covers none, and is told apart from one of the whole project', async () => {
    const { announce, send, check, key } = await given();
    const all = await announce({ duration: 3600 });
    const named = await announce({ name: 'named', duration: 3600, checks: ['shop'] });
    const tagged = await announce({ name: 'tagged', duration: 3600, tags: 'nothing' });
    assert.deepEqual(
      [all, named, tagged].map((one) => one.whole_project),
      [true, false, false],
    );

    assertStatus(await app().request('DELETE', `/api/v3/checks/${check.uuid}`, { key }), 200);

    const gone = (await send('GET', named.uuid)).json as Record<string, unknown>;
    assert.deepEqual([gone.checks, gone.tags, gone.whole_project], [[], '', false]);
  });

  test('keys of other projects, and keys that only read, see and change nothing', async () => {
    const { announce, stored, readOnlyKey } = await given();
    const { uuid } = await announce({ duration: 3600 });
    const foreign = await given();

    for (const method of ['GET', 'POST', 'DELETE'] as const)
      assertStatus(await foreign.send(method, uuid, method === 'POST' ? { duration: 60 } : undefined), 404);
    assertStatus(await foreign.send('POST', `${uuid}/stop`), 404);
    assertStatus(await app().request('GET', '/api/v3/quiet-times/', { key: readOnlyKey }), 401);
    assert.equal((await stored()).quietUntilAt, START + HOUR);
  });

  test('a token of somebody who may only read is told unique keys, and changes nothing', async () => {
    const { announce, project, check } = await given();
    const { uuid } = await announce({ duration: 3600, checks: ['shop'] });
    const reader = await givenMember(app(), project, 'read_only');
    const { secret: key } = await givenToken(app(), reader.account.id);
    const ask = (method: string, path = '', body?: object) =>
      app().request(method, `/api/v3/quiet-times/${path}`, {
        ...{ key, headers: { 'x-project': project.uuid } },
        ...(body !== undefined && { body }),
      });

    for (const path of ['', uuid]) {
      const reply = await ask('GET', path);
      assertStatus(reply, 200);
      assert.ok(reply.text.includes(check.uniqueKey) && !reply.text.includes(check.uuid), reply.text);
    }
    for (const reply of [
      await ask('POST', '', { duration: 60 }),
      await ask('DELETE', uuid),
      await ask('POST', `${uuid}/stop`),
    ])
      assert.ok([401, 403].includes(reply.status), reply.text);
  });
});
