import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { seconds } from '../../src/lib/instant.ts';
import { START, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertError, assertStatus, type CheckAnswer, checkOf, pick } from './answers.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const NIGHTLY: Partial<Check> = { kind: 'cron', schedule: '0 0 * * *', tz: 'Europe/Riga' };

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A check of a project of its own, and ways to change it and to look at it. */
  async function givenCheck(overrides: Partial<Check> = {}) {
    const given = await app().givenProject();
    const check = await app().givenCheck(given.project, overrides);
    const post = (body: unknown, version = 3) =>
      app().request('POST', `/api/v${version}/checks/${check.uuid}`, { key: given.key, body });
    const update = async (body: unknown, version = 3): Promise<CheckAnswer> => {
      const reply = await post(body, version);
      assertStatus(reply, 200, JSON.stringify(body));
      return checkOf(reply);
    };
    const get = async () =>
      checkOf(await app().request('GET', `/api/v3/checks/${check.uuid}`, { key: given.key }));
    const stored = () => app().deps.store.checks.byUuid(check.uuid);
    return { ...given, check, post, update, get, stored };
  }

  test('an update of nothing answers with the check as it is', async () => {
    const { check, update, get, post, stored } = await givenCheck({
      ...NIGHTLY,
      name: 'Nightly',
      status: 'up',
      pingCount: 3,
      lastPingAt: START - seconds(60),
      lastStartAt: START - seconds(30),
      lastDuration: seconds(5),
    });
    const before = await get();

    assert.deepEqual(await update({}), before);
    assert.deepEqual(checkOf(await post(undefined)), before);
    assert.deepEqual(checkOf(await post('')), before);
    assert.deepEqual(await stored(), check);
  });

  test('an unknown check is not found, even if the body is wrong, too', async () => {
    const { key } = await app().givenProject();

    const reply = await app().request('POST', `/api/v3/checks/${NOWHERE}`, { key, body: { timeout: 1 } });

    assertError(reply, 404, 'check not found');
  });

  test('a new period counts from the last ping', async () => {
    const { update, stored } = await givenCheck({ status: 'up', lastPingAt: START - seconds(600) });

    const answer = await update({ timeout: 3600, grace: 60 });

    assert.deepEqual(pick(answer, ['timeout', 'grace', 'status', 'last_ping', 'next_ping']), {
      timeout: 3600,
      grace: 60,
      status: 'up',
      last_ping: '2024-03-01T11:50:00+00:00',
      next_ping: '2024-03-01T12:50:00+00:00',
    });
    assert.equal((await stored())?.deadlineAt, START + seconds(3600 + 60 - 600));
  });

  test('a period that is already over shows the check down at once, and keeps its stored status', async () => {
    const { update, stored } = await givenCheck({ status: 'up', lastPingAt: START - seconds(600) });

    const answer = await update({ timeout: 60, grace: 60 });

    assert.equal(answer.status, 'down');
    const after = await stored();
    assert.equal(after?.status, 'up');
    assert.equal(after?.deadlineAt, START - seconds(480));
  });

  test('a timeout makes a cron check simple', async () => {
    const { update } = await givenCheck(NIGHTLY);

    const answer = await update({ timeout: 3600 });

    assert.equal(answer.timeout, 3600);
    assert.deepEqual(['schedule' in answer, 'tz' in answer], [false, false]);
  });

  test('a schedule of the other kind takes the place of the first', async () => {
    const { update, stored } = await givenCheck(NIGHTLY);

    const answer = await update({ schedule: '12:34' });

    assert.deepEqual(pick(answer, ['schedule', 'tz']), { schedule: '12:34', tz: 'Europe/Riga' });
    assert.equal('timeout' in answer, false);
    assert.equal((await stored())?.kind, 'oncalendar');
  });

  test('another time zone keeps the schedule and moves the next ping', async () => {
    const { update, get } = await givenCheck({ ...NIGHTLY, status: 'up', lastPingAt: START });
    assert.equal((await get()).next_ping, '2024-03-01T22:00:00+00:00');

    const answer = await update({ tz: 'Asia/Tokyo' });

    assert.deepEqual(pick(answer, ['schedule', 'tz', 'next_ping']), {
      schedule: '0 0 * * *',
      tz: 'Asia/Tokyo',
      next_ping: '2024-03-01T15:00:00+00:00',
    });
  });

  test('a check that was simple for a while has its time zone back', async () => {
    const { update } = await givenCheck(NIGHTLY);

    await update({ timeout: 120 });
    const answer = await update({ schedule: '0 0 * * *' });

    assert.equal(answer.tz, 'Europe/Riga');
  });

  test('channels are taken away by an empty text, and stay when nothing is said', async () => {
    const { project, check, update } = await givenCheck();
    const channels = [await app().givenChannel(project), await app().givenChannel(project)];
    await app().assign(check, ...channels);
    const both = channels
      .map(({ uuid }) => uuid)
      .sort()
      .join(',');

    assert.equal((await update({ name: 'x' })).channels, both);
    assert.equal((await update({ channels: '' })).channels, '');
    assert.equal((await update({ name: 'y' })).channels, '');
    assert.equal((await update({ channels: '*' })).channels, both);
  });

  test('with a channel that there is not, nothing is saved at all', async () => {
    const { project, check, post, get } = await givenCheck({ name: 'Old' });
    const channel = await app().givenChannel(project, { name: 'alerts' });
    await app().assign(check, channel);
    const before = await get();

    for (const channels of ['abc', 'alerts,abc', `${channel.uuid},`]) {
      const reply = await post({ channels, name: 'New', timeout: 60 });
      assertStatus(reply, 400, channels);
    }
    assertError(await post({ channels: 'abc', name: 'New' }), 400, 'invalid channel identifier: abc');

    assert.deepEqual(await get(), before);
  });

  test('methods are changed when they are sent, and only then', async () => {
    const { update } = await givenCheck({ methods: 'POST' });

    assert.equal((await update({})).methods, 'POST');
    assert.equal((await update({ methods: '' })).methods, '');
  });

  test('manual resume can be switched off', async () => {
    const { update, get } = await givenCheck({ manualResume: true });

    assert.equal((await update({ manual_resume: false })).manual_resume, false);
    assert.equal((await get()).manual_resume, false);
  });

  test('a slug follows the name before version 3, and only when the name is sent', async () => {
    const rows: [version: number, before: string, body: object, after: string][] = [
      [3, 'foo', { name: 'Bar' }, 'foo'],
      [2, 'keep', { name: 'New Name' }, 'new-name'],
      [1, 'keep', { name: 'New Name' }, 'new-name'],
      [2, 'keep', { name: 'New Name', slug: 'own' }, 'own'],
      [2, 'keep', { tags: 't' }, 'keep'],
      [1, 'keep', { name: '' }, ''],
      [2, 'keep', { slug: '' }, ''],
      [3, 'keep', { slug: '' }, ''],
    ];
    for (const [version, slug, body, expected] of rows) {
      const { update } = await givenCheck({ name: 'Old', slug });

      assert.equal((await update(body, version)).slug, expected, `v${version} ${JSON.stringify(body)}`);
    }
  });

  test('the older spellings of keywords switch the filter of subjects on and off', async () => {
    const shown = ['filter_subject', 'success_kw', 'failure_kw', 'subject', 'subject_fail'];
    const rows: [before: Partial<Check>, body: object, after: object][] = [
      [
        { failureKeywords: 'F' },
        { subject: '' },
        { filter_subject: true, success_kw: '', failure_kw: 'F', subject: '', subject_fail: 'F' },
      ],
      [
        { successKeywords: 'S', filterSubject: true },
        { subject: '' },
        { filter_subject: false, success_kw: '', failure_kw: '', subject: '', subject_fail: '' },
      ],
      [
        { successKeywords: 'S', failureKeywords: 'F', filterSubject: true },
        { subject: '', subject_fail: '' },
        { filter_subject: false, success_kw: '', failure_kw: '', subject: '', subject_fail: '' },
      ],
      [
        { successKeywords: 'S', filterSubject: true },
        { filter_subject: false },
        { filter_subject: false, success_kw: 'S', failure_kw: '', subject: '', subject_fail: '' },
      ],
    ];
    for (const [before, body, after] of rows) {
      const { update } = await givenCheck(before);

      assert.deepEqual(pick(await update(body), shown), after, JSON.stringify(body));
    }
  });

  test('unique is examined on update, and then has no effect', async () => {
    const { project, key, check, post, update } = await givenCheck();
    const other = await app().givenCheck(project, { name: 'q' });

    assertError(
      await post({ unique: ['bad'] }),
      400,
      "json validation error: an item in 'unique' has unexpected value",
    );
    const answer = await update({ unique: ['name'], name: 'q' });

    assert.deepEqual([answer.uuid, answer.name], [check.uuid, 'q']);
    const untouched = checkOf(await app().request('GET', `/api/v3/checks/${other.uuid}`, { key }));
    assert.deepEqual([untouched.uuid, untouched.name], [other.uuid, 'q']);
  });

  for (const [what, method, path] of [
    ['update', 'POST', ''],
    ['pause', 'POST', '/pause'],
    ['resume', 'POST', '/resume'],
    ['delete', 'DELETE', ''],
  ] as const) {
    test(`a check that vanishes between look-up and ${what} is not found`, async (t) => {
      const { key, check } = await givenCheck({ status: 'paused' });
      const { store } = app().deps;
      const { transaction } = store;
      t.mock.method(
        store,
        'transaction',
        async (work: Parameters<typeof transaction>[0]) => {
          await transaction((tx) => tx.checks.delete(check));
          return transaction(work);
        },
        { times: 1 },
      );

      const reply = await app().request(method, `/api/v3/checks/${check.uuid}${path}`, { key });

      assertError(reply, 404, 'check not found');
    });
  }

  test('a longer period brings no check up', async () => {
    const { update, stored } = await givenCheck({ status: 'down', lastPingAt: START - seconds(200_000) });

    const answer = await update({ timeout: 31_536_000 });

    assert.deepEqual(pick(answer, ['status', 'next_ping']), { status: 'down', next_ping: null });
    assert.equal((await stored())?.deadlineAt, null);
  });

  test('an update changes only what was sent', async () => {
    const { check, update, stored } = await givenCheck({
      name: 'Nightly',
      slug: 'nightly',
      tags: 'a b',
      description: 'text',
      status: 'up',
      lastPingAt: START,
      pingCount: 7,
      manualResume: true,
      methods: 'POST',
      startKeywords: 'S',
      filterBody: true,
    });

    await update({ desc: 'other' });

    const after = await stored();
    assert.deepEqual(after, { ...check, description: 'other', sources: after?.sources });
  });
});
