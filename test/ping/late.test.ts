import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../../src/domain/check/check.test-support.ts';
import type { Check } from '../../src/domain/check/check.ts';
import { seconds, toIsoMicros } from '../../src/lib/instant.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import {
  allFlips,
  assertAnswer,
  assertUntouched,
  CREATED,
  givenPingKey,
  INVALID_AGE,
  INVALID_RID,
  INVALID_URL,
  lastPing,
  NOT_FOUND,
  OK,
  pingsOf,
  state,
} from './answers.ts';

const RID = '9f2a3a37-1f4d-4a3b-8a44-000000000001';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);
  const now = () => app().clock.now();

  async function given(overrides: Partial<Check> = {}) {
    const { project, key } = await app().givenProject();
    const pingKey = await givenPingKey(app(), project);
    const check = await app().givenCheck(project, { slug: 'job', ...overrides });
    return { project, key, pingKey, check };
  }

  test('a late ping keeps both of its times, and the check expects the next one from when it happened', async () => {
    const { check } = await given({ status: 'up', lastPingAt: now() - 2 * HOUR });

    assertAnswer(await app().ping(`/${check.uuid}?age=90`), OK);

    const { createdAt, occurredAt } = await lastPing(app(), check);
    assert.deepEqual([createdAt, occurredAt], [now(), now() - seconds(90)]);
    assert.deepEqual(await state(app(), check, 'lastPingAt', 'lastReceivedAt', 'deadlineAt'), {
      lastPingAt: now() - seconds(90),
      lastReceivedAt: now(),
      deadlineAt: now() - seconds(90) + DAY + HOUR,
    });
  });

  test('every address takes an age, with any method', async () => {
    const { check, pingKey } = await given({ methods: 'POST' });
    const paths = [`/${check.uuid}`, `/${pingKey}/job`].flatMap((address) =>
      ['', '/start', '/fail', '/log', '/3'].map((path) => `${address}${path}?age=60&rid=${RID}`),
    );

    for (const path of paths)
      for (const method of ['GET', 'HEAD', 'POST']) {
        const { status } = await app().ping(path, { method });
        assert.deepEqual(
          [status, (await lastPing(app(), check)).occurredAt],
          [200, now() - seconds(60)],
          path,
        );
      }
    assert.deepEqual(
      (await pingsOf(app(), check)).map(({ n }) => n),
      Array.from({ length: 3 * paths.length }, (_, index) => index + 1),
    );
  });

  test('an age that is none is refused, and nothing is recorded', async () => {
    const { check, pingKey } = await given();

    for (const age of ['abc', '-1', '1e3', '2592001', '']) {
      assertAnswer(await app().ping(`/${check.uuid}?age=${age}`), INVALID_AGE);
      assertAnswer(await app().ping(`/${pingKey}/job/log?age=${age}`), INVALID_AGE);
      assertAnswer(await app().ping(`/${pingKey}/other?age=${age}&create=1`), INVALID_AGE);
      assertAnswer(await app().ping(`/${pingKey}/other?age=${age}`), NOT_FOUND);
    }
    assertAnswer(await app().ping(`/${check.uuid}/256?age=abc`), INVALID_URL);
    assertAnswer(await app().ping(`/${check.uuid}?age=abc&rid=bad`), INVALID_RID);
    await assertUntouched(app(), check);
    assertAnswer(await app().ping(`/${pingKey}/other`), NOT_FOUND);
    assertAnswer(await app().ping(`/${pingKey}/other?age=60&create=1`), CREATED);
  });

  test('an age below a second makes a ping like any other', async () => {
    const { check } = await given();

    for (const path of ['', '?age=0.4', '?age=0']) await app().ping(`/${check.uuid}${path}`);

    const [first, ...others] = (await pingsOf(app(), check)).map((ping) => ({ ...ping, n: 0 }));
    assert.deepEqual(others, [first, first]);
    assert.equal(first?.occurredAt, null);
  });

  test('late pings are listed with when they happened, and how long their run took', async () => {
    const { check, key } = await given();
    for (const path of [`/start?age=7200&rid=${RID}`, `?age=6900.5&rid=${RID}`, '/log'])
      await app().ping(`/${check.uuid}${path}`);

    const { json } = await app().request('GET', `/api/v3/checks/${check.uuid}/pings/`, { key });

    const { pings } = json as { pings: Record<string, unknown>[] };
    assert.deepEqual(
      pings.map(({ n, date, occurred, duration }) => ({ n, date, occurred, duration })),
      [
        [3, undefined, undefined],
        [2, 6900.5, 299.5],
        [1, 7200, undefined],
      ].map(([n, age, duration]) => ({
        ...{ n, duration, date: toIsoMicros(now()) },
        occurred: age === undefined ? undefined : toIsoMicros(now() - seconds(age)),
      })),
    );
    assert.equal(Object.keys(pings[1] ?? {}).at(-1), 'occurred');
    assert.ok(!('occurred' in (pings[0] ?? {})));
  });

  test('a backlog of old results rings not once, and the result of now once', async () => {
    const { project, check } = await given({
      ...{ timeoutSeconds: 3_600, graceSeconds: 600 },
      ...{ status: 'down', lastPingAt: now() - 12 * HOUR, lastFlipAt: now() - 11 * HOUR },
    });
    const channel = await app().givenChannel(project);
    await app().deps.store.transaction((tx) => tx.channels.assign(channel, [check.uuid]));

    for (let hour = 11; hour > 1; hour--)
      await app().ping(`/${check.uuid}${hour % 3 === 0 ? '/fail' : ''}?age=${hour * 3_600}`);
    assert.deepEqual(await allFlips(app(), check), []);
    await app().ping(`/${check.uuid}?age=300`);

    const flips = await allFlips(app(), check);
    assert.deepEqual(
      flips.map(({ oldStatus, newStatus, createdAt }) => [oldStatus, newStatus, createdAt]),
      [['down', 'up', now()]],
    );
    assert.equal((await app().deps.store.deliveries.ofFlips(flips.map(({ id }) => id))).length, 1);
    assert.deepEqual(await state(app(), check, 'lastPingAt', 'pingCount'), {
      lastPingAt: now() - 5 * MINUTE,
      pingCount: 11,
    });
  });
});
