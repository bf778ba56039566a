import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import type { IncomingPing } from '../../src/domain/ping/incoming-ping.ts';
import { seconds } from '../../src/lib/instant.ts';
import { START, sharedTestApp, startTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { incomingPing } from '../records.ts';
import { assertError, assertStatus, checkOf, pick } from './answers.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const EVER = { from: null, before: null };

/** A plain success, as it comes through the ping address. */
function pingFor({ uuid }: Check): IncomingPing {
  return incomingPing({ uuid });
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenCheck(overrides: Partial<Check> = {}) {
    const given = await app().givenProject();
    const check = await app().givenCheck(given.project, overrides);
    const path = (version = 3) => `/api/v${version}/checks/${check.uuid}`;
    const send = (method: string, suffix = '', body?: unknown) =>
      app().request(method, path() + suffix, { key: given.key, body });
    const get = async () => checkOf(await send('GET'));
    const flips = async () =>
      (await app().deps.store.flips.ofCheck(check.id, EVER)).map(
        ({ oldStatus, newStatus, reason, createdAt }) => ({ oldStatus, newStatus, reason, createdAt }),
      );
    const stored = () => app().deps.store.checks.byUuid(check.uuid);
    return { ...given, check, path, send, get, flips, stored };
  }

  test('a paused check is watched no longer, and pausing it again changes nothing', async () => {
    const { send, flips, check, stored, project } = await givenCheck({
      status: 'up',
      pingCount: 3,
      lastPingAt: START - seconds(600),
      lastStartAt: START - seconds(60),
      lastDuration: seconds(5),
    });
    await app().assign(check, await app().givenChannel(project));

    const first = await send('POST', '/pause');

    assertStatus(first, 200);
    const shown = ['status', 'started', 'next_ping', 'last_ping', 'n_pings', 'last_duration'];
    assert.deepEqual(pick(checkOf(first), shown), {
      status: 'paused',
      started: false,
      next_ping: null,
      last_ping: '2024-03-01T11:50:00+00:00',
      n_pings: 3,
      last_duration: 5,
    });
    const flip = { oldStatus: 'up', newStatus: 'paused', reason: '', createdAt: START };
    assert.deepEqual(await flips(), [flip]);
    assert.equal((await stored())?.deadlineAt, null);
    // Nobody is told of it.
    assert.equal((await app().deps.store.deliveries.progress()).openFlips, 0);

    app().clock.advance({ minutes: 5 });
    const second = await send('POST', '/pause');

    assert.equal(second.status, 200);
    assert.deepEqual(second.json, first.json);
    assert.deepEqual(await flips(), [flip]);
  });

  test('pausing a check that is overdue unnoticed does not hide its outage', async () => {
    const { send, flips, check, project } = await givenCheck({
      status: 'up',
      lastPingAt: START - seconds(90_000),
    });
    const channel = await app().givenChannel(project);
    await app().assign(check, channel);
    app().clock.advance({ seconds: 30 });

    assert.equal(checkOf(await send('POST', '/pause')).status, 'paused');

    assert.deepEqual(await flips(), [
      { oldStatus: 'down', newStatus: 'paused', reason: '', createdAt: START + seconds(30) },
      { oldStatus: 'up', newStatus: 'down', reason: 'timeout', createdAt: START },
    ]);
    const told = await app().deps.store.deliveries.ofCheck(check.id, 10);
    assert.deepEqual(
      told.map(({ status, state, channelId }) => ({ status, state, channelId })),
      [{ status: 'down', state: 'open', channelId: channel.id }],
    );
  });

  test('pausing a check that came due while nobody watched tells of no outage', async () => {
    await using alone = await startTestApp(engine);
    const { project, key } = await alone.givenProject();
    const check = await alone.givenCheck(project, { status: 'up', lastPingAt: START - seconds(89_000) });
    await alone.deps.store.transaction((tx) => tx.liveness.beat('a node', START, 0));
    alone.clock.advance({ hours: 3 });

    assertStatus(await alone.request('POST', `/api/v3/checks/${check.uuid}/pause`, { key }), 200);

    const flips = await alone.deps.store.flips.ofCheck(check.id, EVER);
    assert.deepEqual(
      flips.map(({ newStatus }) => newStatus),
      ['paused'],
    );
  });

  test('new and down checks can be paused as well', async () => {
    for (const status of ['new', 'down'] as const) {
      const { send, flips } = await givenCheck({ status });

      assert.equal(checkOf(await send('POST', '/pause')).status, 'paused');
      assert.deepEqual(await flips(), [
        { oldStatus: status, newStatus: 'paused', reason: '', createdAt: START },
      ]);
    }
  });

  test('pause and resume take the key from the body', async () => {
    const { key, path } = await givenCheck();

    const paused = await app().request('POST', `${path()}/pause`, { body: { api_key: key } });
    const resumed = await app().request('POST', `${path()}/resume`, { body: { api_key: key } });

    assert.deepEqual([paused.status, checkOf(paused).status], [200, 'paused']);
    assert.deepEqual([resumed.status, checkOf(resumed).status], [200, 'new']);
  });

  test('a body of null counts as none', async () => {
    const { send } = await givenCheck();

    assert.equal(checkOf(await send('POST', '/pause', 'null')).status, 'paused');
    assert.equal(checkOf(await send('POST', '/resume', 'null')).status, 'new');
  });

  test('a check that there is not can be neither paused nor resumed nor deleted', async () => {
    const { key } = await app().givenProject();
    const path = `/api/v3/checks/${NOWHERE}`;

    assertError(await app().request('POST', `${path}/pause`, { key }), 404, 'check not found');
    assertError(await app().request('POST', `${path}/resume`, { key }), 404, 'check not found');
    assertError(await app().request('DELETE', path, { key }), 404, 'check not found');
  });

  test('a resumed check begins anew and keeps its count', async () => {
    const { send, flips, stored } = await givenCheck({
      status: 'paused',
      pingCount: 3,
      lastPingAt: START - seconds(600),
      lastDuration: seconds(5),
    });

    const reply = await send('POST', '/resume');

    assertStatus(reply, 200);
    const shown = ['status', 'started', 'last_ping', 'next_ping', 'n_pings', 'last_duration'];
    assert.deepEqual(pick(checkOf(reply), shown), {
      status: 'new',
      started: false,
      last_ping: null,
      next_ping: null,
      n_pings: 3,
      last_duration: 5,
    });
    assert.deepEqual(await flips(), [
      { oldStatus: 'paused', newStatus: 'new', reason: '', createdAt: START },
    ]);
    assert.equal((await stored())?.deadlineAt, null);
  });

  test('a check that is not paused cannot be resumed', async () => {
    for (const status of ['new', 'up', 'down'] as const) {
      const { send, flips, stored, check } = await givenCheck({ status, lastPingAt: START });

      assertError(await send('POST', '/resume'), 409, 'check is not paused');
      assert.deepEqual(await stored(), check);
      assert.deepEqual(await flips(), []);
    }
  });

  test('a start takes a check out of pause', async () => {
    const { check, send, get, flips } = await givenCheck({ status: 'paused' });

    await app().receive(check, 'start');
    app().clock.advance({ minutes: 5 });

    assert.deepEqual(pick(await get(), ['status', 'started', 'last_ping', 'next_ping']), {
      status: 'new',
      started: true,
      last_ping: null,
      next_ping: '2024-03-01T12:00:00+00:00',
    });
    assert.deepEqual(
      (await flips()).map(({ oldStatus, newStatus }) => [oldStatus, newStatus]),
      [['paused', 'new']],
    );
    const { status, json } = await send('POST', '/resume');
    assert.deepEqual([status, json], [409, { error: 'check is not paused' }]);
  });

  test('a paused check that is resumed by hand takes note of pings and stays paused', async () => {
    const { check, get, send, flips } = await givenCheck({ status: 'paused', manualResume: true });

    for (const signal of ['success', 'fail', 'start'] as const) await app().receive(check, signal);

    assert.deepEqual(pick(await get(), ['status', 'started', 'n_pings', 'last_ping']), {
      status: 'paused',
      started: false,
      n_pings: 3,
      last_ping: null,
    });
    const { pings } = (await send('GET', '/pings/')).json as { pings: { type: string }[] };
    assert.deepEqual(
      pings.map(({ type }) => type),
      ['ign', 'ign', 'ign'],
    );
    assert.deepEqual(await flips(), []);
  });

  test('a success brings a paused check up', async () => {
    const { check, get, send } = await givenCheck({ status: 'paused' });

    await app().receive(check, 'success');

    assert.equal((await get()).status, 'up');
    assert.deepEqual((await send('GET', '/flips/')).json, [
      { timestamp: '2024-03-01T12:00:00+00:00', up: 1 },
    ]);
  });

  test('delete answers with the check as it was, its channels included', async () => {
    const { check, project, send, get } = await givenCheck({ name: 'Nightly', slug: 's', status: 'up' });
    const channel = await app().givenChannel(project);
    await app().assign(check, channel);
    await app().receive(check, 'success');
    const before = await get();

    const reply = await send('DELETE');

    assertStatus(reply, 200);
    assert.equal(reply.headers['content-type'], 'application/json');
    assert.deepEqual(reply.json, before);
    assert.deepEqual(pick(checkOf(reply), ['uuid', 'slug', 'channels']), {
      uuid: check.uuid,
      slug: 's',
      channels: channel.uuid,
    });
  });

  test('delete takes no notice of a body', async () => {
    for (const body of ['{', 'null', '[1]', '{"name":7}']) {
      const { send } = await givenCheck();
      assertStatus(await send('DELETE', '', body), 200, body);
    }
  });

  test('nothing is left of a deleted check', async () => {
    const { check, key, send, stored } = await givenCheck({ tags: 'foo' });
    await app().receive(check, 'success');
    await send('DELETE');

    assertError(await send('DELETE'), 404, 'check not found');
    assertError(await send('GET'), 404, 'check not found');
    assertError(await send('GET', '/flips/'), 404, 'check not found');
    assertError(await send('GET', '/pings/'), 404, 'check not found');
    assertError(
      await app().request('GET', `/api/v3/checks/${check.uniqueKey}`, { key }),
      404,
      'check not found',
    );
    assert.equal(await app().pings.record(pingFor(check)), 'not_found');
    assertStatus(await app().request('GET', `/b/2/${check.badgeKey}.svg`), 404);
    assert.equal(await stored(), null);
    assert.deepEqual(await app().deps.store.pings.latest(check.id, 10), []);
    assert.deepEqual(await app().deps.store.flips.ofCheck(check.id, EVER), []);
  });

  test('deleting a check makes room for another', async () => {
    const { project, key } = await app().givenProject({ limits: { checks: 2, pings: 100 } });
    const check = await app().givenCheck(project);
    await app().givenCheck(project);
    const create = () => app().request('POST', '/api/v3/checks/', { key, body: {} });
    assertError(await create(), 403, 'check limit reached');

    assertStatus(await app().request('DELETE', `/api/v3/checks/${check.uuid}`, { key }), 200);

    assertStatus(await create(), 201);
    assertError(await create(), 403, 'check limit reached');
  });

  test('a deletion that was refused makes no room', async () => {
    const { project, key } = await app().givenProject({ limits: { checks: 1, pings: 100 } });
    await app().givenCheck(project);
    const foreign = await givenCheck();

    assertError(
      await app().request('DELETE', `/api/v3/checks/${foreign.check.uuid}`, { key }),
      403,
      'access denied',
    );
    assertError(await app().request('DELETE', `/api/v3/checks/${NOWHERE}`, { key }), 404, 'check not found');

    assertError(
      await app().request('POST', '/api/v3/checks/', { key, body: {} }),
      403,
      'check limit reached',
    );
    assert.notEqual(await foreign.stored(), null);
  });

  test('a check that is deleted several times at once makes room for one other', async () => {
    const { project, key } = await app().givenProject({ limits: { checks: 2, pings: 100 } });
    const check = await app().givenCheck(project);
    await app().givenCheck(project);
    const fourTimes = (work: () => Promise<{ status: number }>) =>
      Promise.all([work(), work(), work(), work()]).then((replies) =>
        replies.map(({ status }) => status).sort(),
      );

    const deleted = await fourTimes(() => app().request('DELETE', `/api/v3/checks/${check.uuid}`, { key }));
    const created = await fourTimes(() => app().request('POST', '/api/v3/checks/', { key, body: {} }));

    assert.deepEqual(deleted, [200, 404, 404, 404]);
    assert.deepEqual(created, [201, 403, 403, 403]);
  });

  test('pauses at the same moment are one change, and so are resumes', async () => {
    const { send, flips } = await givenCheck({ status: 'up', lastPingAt: START });

    const paused = await Promise.all([1, 2, 3].map(() => send('POST', '/pause')));
    const resumed = await Promise.all([1, 2, 3].map(() => send('POST', '/resume')));

    assert.deepEqual(
      paused.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.deepEqual(resumed.map(({ status }) => status).sort(), [200, 409, 409]);
    assert.deepEqual(
      (await flips()).map(({ oldStatus, newStatus }) => [oldStatus, newStatus]),
      [
        ['paused', 'new'],
        ['up', 'paused'],
      ],
    );
  });

  test('in version 1 a check that is deleted while it runs was started', async () => {
    const { check, key, path } = await givenCheck({ status: 'up', lastPingAt: START });
    await app().receive(check, 'start');

    const reply = await app().request('DELETE', path(1), { key });

    assert.deepEqual(pick(checkOf(reply), ['status', 'started', 'update_url']), {
      status: 'started',
      started: true,
      update_url: `http://testserver/api/v1/checks/${check.uuid}`,
    });
  });
});
