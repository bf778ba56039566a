import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { missDeadline } from '../../src/domain/ping/transition.ts';
import { fromTemporal, type Instant, seconds } from '../../src/lib/instant.ts';
import { START, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertError, assertStatus } from './answers.ts';
import { Judge, type OpenApi } from './openapi-document.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';

interface FlipAnswer {
  readonly timestamp: string;
  readonly up: number;
}

function at(text: string): Instant {
  return fromTemporal(Temporal.Instant.from(text));
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenCheck(overrides: Partial<Check> = {}) {
    const given = await app().givenProject();
    const check = await app().givenCheck(given.project, overrides);
    const get = (query = '', version = 3, id = check.uuid) =>
      app().request('GET', `/api/v${version}/checks/${id}/flips/${query}`, { key: given.key });
    const list = async (query = ''): Promise<FlipAnswer[]> => {
      const reply = await get(query);
      assertStatus(reply, 200, query);
      return reply.json as FlipAnswer[];
    };
    const ups = async (query = '') => (await list(query)).map(({ up }) => up);
    /** All changes, as version 1 and 2 list them. */
    const allUps = async (version: 1 | 2) => {
      const { flips } = (await get('', version)).json as { flips: FlipAnswer[] };
      return flips.map(({ up }) => up);
    };
    const post = (suffix: string) =>
      app().request('POST', `/api/v3/checks/${check.uuid}/${suffix}`, { key: given.key });
    return { ...given, check, get, list, ups, allUps, post };
  }

  /** A look of the alert loop. */
  async function look({ id }: Check): Promise<void> {
    await app().deps.store.transaction(async (tx) => {
      const current = await tx.checks.lock(id);
      assert.ok(current);
      const { check, flips } = missDeadline(current, app().clock.now());
      await tx.checks.saveState(check);
      await tx.flips.insertMany(flips);
    });
  }

  /** A check that came up on 2020-06-01 at 12:24:32.123. */
  async function givenOneFlip() {
    app().clock.set(at('2020-06-01T12:24:32.123Z'));
    const given = await givenCheck();
    await app().receive(given.check, 'success');
    return given;
  }

  test('version 3 answers with an array, the versions before it with an object', async () => {
    const { get, check, readOnlyKey } = await givenOneFlip();
    const flips = '[{"timestamp":"2020-06-01T12:24:32+00:00","up":1}]';

    for (const id of [check.uuid, check.uniqueKey]) {
      for (const [version, text] of [
        [1, `{"flips":${flips}}`],
        [2, `{"flips":${flips}}`],
        [3, flips],
      ] as const) {
        const reply = await get('', version, id);
        assert.deepEqual(
          [reply.status, reply.headers['content-type'], reply.text],
          [200, 'application/json', text],
        );
      }
      const readOnly = await app().request('GET', `/api/v3/checks/${id}/flips/`, { key: readOnlyKey });
      assert.deepEqual([readOnly.status, readOnly.text], [200, flips]);
    }
  });

  test('a check that never changed has no flips', async () => {
    const { get } = await givenCheck();

    assert.equal((await get()).text, '[]');
    assert.equal((await get('', 1)).text, '{"flips":[]}');
  });

  test('changes are listed newest first, and repeating a signal changes nothing', async () => {
    const { check, list } = await givenCheck();
    for (const signal of ['success', 'fail', 'fail', 'success'] as const) {
      await app().receive(check, signal);
      app().clock.advance({ minutes: 1 });
    }

    assert.deepEqual(await list(), [
      { timestamp: '2024-03-01T12:03:00+00:00', up: 1 },
      { timestamp: '2024-03-01T12:01:00+00:00', up: 0 },
      { timestamp: '2024-03-01T12:00:00+00:00', up: 1 },
    ]);
  });

  test('changes of the same instant are in order, too', async () => {
    const { check, ups, allUps } = await givenCheck();
    for (const signal of ['success', 'fail', 'success', 'fail'] as const) await app().receive(check, signal);

    assert.deepEqual(await ups(), [0, 1, 0, 1]);
    assert.deepEqual(await allUps(1), [0, 1, 0, 1]);
  });

  test('pause and resume are changes before version 3, and none in it', async () => {
    const { check, post, ups, allUps } = await givenCheck();
    await app().receive(check, 'success');

    assertStatus(await post('pause'), 200);
    assertStatus(await post('resume'), 200);

    assert.deepEqual(await allUps(1), [0, 0, 1]);
    assert.deepEqual(await allUps(2), [0, 0, 1]);
    assert.deepEqual(await ups(), [1]);
    await app().receive(check, 'fail');
    assert.deepEqual(await ups(), [0, 1]);
    assert.deepEqual(await allUps(2), [0, 0, 0, 1]);
  });

  test('a missed deadline is dated by the deadline, however late it is noticed', async () => {
    const { check, list } = await givenCheck({ status: 'up', lastPingAt: START, timeoutSeconds: 3_600 });
    app().clock.advance({ hours: 2, seconds: 30 });

    await look(check);
    await look(check);

    assert.deepEqual(await list(), [{ timestamp: '2024-03-01T14:00:00+00:00', up: 0 }]);
  });

  test('a ping that is faster than the loop leaves the same trace', async () => {
    const { check, list } = await givenCheck({ status: 'up', lastPingAt: START, timeoutSeconds: 3_600 });
    app().clock.advance({ hours: 2, seconds: 30 });

    await app().receive(check, 'success');

    assert.deepEqual(await list(), [
      { timestamp: '2024-03-01T14:00:30+00:00', up: 1 },
      { timestamp: '2024-03-01T14:00:00+00:00', up: 0 },
    ]);
  });

  test('flips outside the span are left out, in either form', async () => {
    const { get, ups } = await givenOneFlip();

    for (const query of ['?start=1591014300', '?end=1591014180', '?start=1591014180&end=1591014200']) {
      assert.equal((await get(query)).text, '[]', query);
      assert.equal((await get(query, 1)).text, '{"flips":[]}', query);
      assert.equal((await get(query, 2)).text, '{"flips":[]}', query);
    }
    assert.deepEqual(await ups('?start=1591014180'), [1]);
    assert.deepEqual(await ups('?end=1591014300'), [1]);
    assert.deepEqual(await ups('?start=1591014180&end=1591014300'), [1]);
    assert.deepEqual(await ups('?start=0&end=10000000000'), [1]);
  });

  test('a span begins with its start and stops short of its end', async () => {
    const { check, ups } = await givenCheck();
    await app().receive(check, 'success');
    const second = START / 1e6;

    assert.deepEqual(await ups(`?start=${second}`), [1]);
    assert.deepEqual(await ups(`?start=${second + 1}`), []);
    assert.deepEqual(await ups(`?end=${second}`), []);
    assert.deepEqual(await ups(`?end=${second + 1}`), [1]);
  });

  test('a flip within a second lies after that second', async () => {
    const { ups } = await givenOneFlip();

    assert.deepEqual(await ups('?start=1591014272'), [1]);
    assert.deepEqual(await ups('?start=1591014273'), []);
    assert.deepEqual(await ups('?end=1591014272'), []);
  });

  test('a start or an end that is no time is refused, with the reason', async () => {
    const { get } = await givenOneFlip();
    const values = ['abc', '-123', '1.5', '', '12345678901234567890', '10000000001', '%00', '1%202'];

    for (const name of ['start', 'end']) {
      for (const value of values) {
        for (const version of [1, 3])
          assertError(
            await get(`?${name}=${value}`, version),
            400,
            `${name} is not a whole number from 0 to 10000000000`,
            value,
          );
      }
    }
  });

  test('a number of seconds that is none is refused, with the reason', async () => {
    const { get } = await givenOneFlip();

    for (const value of ['', '0', '-123', '1.5', '31536001', 'abc'])
      assertError(
        await get(`?seconds=${value}`),
        400,
        'seconds is not a whole number from 1 to 31536000',
        value,
      );
    assertStatus(await get('?seconds=31536000'), 200);
  });

  test('flips of this month and of the two full months before it are listed, and no others', async () => {
    const { check, list } = await givenCheck();
    for (const day of ['2023-12-15', '2024-01-01', '2024-02-29', '2024-03-15']) {
      app().clock.set(at(`${day}T00:00:00Z`));
      await app().receive(check, 'success');
      await app().receive(check, 'fail');
    }
    app().clock.set(at('2024-03-31T23:00:00Z'));

    for (const query of ['', '?seconds=31536000', '?start=0', '?unknown=abc']) {
      const days = (await list(query)).map(({ timestamp }) => timestamp.slice(0, 10));
      assert.deepEqual([...new Set(days)], ['2024-03-15', '2024-02-29', '2024-01-01'], query);
    }
  });

  test('seconds count back from now, and the last of several values holds', async () => {
    const { check, list, ups } = await givenCheck();
    app().clock.set(START - seconds(7_200));
    await app().receive(check, 'success');
    app().clock.set(START - seconds(1_800));
    await app().receive(check, 'fail');
    app().clock.set(START);

    assert.deepEqual(await list('?seconds=3600'), [{ timestamp: '2024-03-01T11:30:00+00:00', up: 0 }]);
    assert.deepEqual(await ups('?seconds=7200'), [0, 1]);
    assert.deepEqual(await ups('?seconds=7199'), [0]);
    assert.deepEqual(await ups('?seconds=60&seconds=7200'), [0, 1]);
    assert.deepEqual(await ups(`?seconds=7200&end=${START / 1e6 - 3_600}`), [1]);
    assert.deepEqual(await ups(`?seconds=7200&start=${START / 1e6 - 3_600}`), [0]);
  });

  test('that there is no such check comes before what is wrong with the query', async () => {
    const { key } = await app().givenProject();
    const foreign = await givenCheck();
    const get = (id: string) => app().request('GET', `/api/v3/checks/${id}/flips/?start=abc`, { key });

    assertError(await get(NOWHERE), 404, 'check not found');
    assertError(await get(foreign.check.uuid), 403, 'access denied');
    assertError(await get(foreign.check.uniqueKey), 404, 'check not found');
    assertError(
      await app().request('GET', `/api/v3/checks/${NOWHERE}/flips/?start=abc`),
      401,
      'missing api key',
    );
  });

  suite('with the object chosen for version 3', () => {
    const chosen = sharedTestApp(engine, { v3Flips: 'object' });

    test('version 3 answers as version 2 does, and its document says so', async () => {
      const { project, key } = await chosen().givenProject();
      const check = await chosen().givenCheck(project);
      const path = (version: number) => `/api/v${version}/checks/${check.uuid}/flips/`;
      const get = async (version: number) => (await chosen().request('GET', path(version), { key })).text;
      assert.equal(await get(3), '{"flips":[]}');
      await chosen().receive(check, 'success');
      assertStatus(await chosen().request('POST', `/api/v3/checks/${check.uuid}/pause`, { key }), 200);

      const document = (await chosen().request('GET', '/api/v3/openapi.json')).json as OpenApi;
      const flips = document.paths['/api/v3/checks/{check}/flips/']?.get;
      const reply = await chosen().request('GET', path(3), { key });

      assert.equal(
        await get(3),
        '{"flips":[{"timestamp":"2024-03-01T12:00:00+00:00","up":0},{"timestamp":"2024-03-01T12:00:00+00:00","up":1}]}',
      );
      assert.equal(await get(3), await get(2));
      assert.ok(flips?.responses[200] !== undefined);
      new Judge(document).assertReply(flips.responses[200], reply);
      assert.match(flips.description, /On this instance/);
      assert.match(document.info.description, /Flips in v3 are an object on this instance/);
    });
  });
});
