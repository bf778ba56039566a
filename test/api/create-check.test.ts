import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertError, assertStatus, type CheckAnswer, checkOf, checksOf, pick } from './answers.ts';

const CHECKS = '/api/v3/checks/';

/** A project with nothing in it, and a way to create checks there. */
async function givenEmptyProject(app: TestApp, overrides: Parameters<TestApp['givenProject']>[0] = {}) {
  const given = await app.givenProject(overrides);
  const post = (body: unknown, path = CHECKS) => app.request('POST', path, { key: given.key, body });
  /** The check that is answered with, under the status that is expected. */
  const create = async (body: unknown, status = 201): Promise<CheckAnswer> => {
    const reply = await post(body);
    assertStatus(reply, status, JSON.stringify(body));
    return checkOf(reply);
  };
  const list = async () => checksOf(await app.request('GET', CHECKS, { key: given.key }));
  return { ...given, post, create, list };
}

/** An owner with 20 checks, which is the limit, spread over two projects. */
async function givenFullAccount(app: TestApp) {
  const full = await givenEmptyProject(app, { limits: { checks: 20, pings: 100 } });
  const sibling = await app.givenProject({ ownerId: full.ownerId });
  const existing = await app.givenCheck(full.project, { name: 'existing', tags: 'old' });
  for (let n = 2; n <= 20; n++) await app.givenCheck(n % 2 === 0 ? sibling.project : full.project);
  const assertNothingAdded = async () => assert.equal((await full.list()).length, 10);
  return { ...full, sibling, existing, assertNothingAdded };
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('a check made of nothing has all defaults, in the order that clients know', async () => {
    const { create, list } = await givenEmptyProject(app());

    const check = await create({});

    const { uuid, badge_url } = check;
    assert.match(String(uuid), /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    assert.match(String(badge_url), /^http:\/\/testserver\/b\/2\/[0-9a-f-]{36}\.svg$/);
    assert.equal(String(badge_url).includes(String(uuid)), false);
    const expected = {
      name: '',
      slug: '',
      tags: '',
      desc: '',
      grace: 3600,
      n_pings: 0,
      status: 'new',
      started: false,
      last_ping: null,
      next_ping: null,
      manual_resume: false,
      methods: '',
      subject: '',
      subject_fail: '',
      start_kw: '',
      success_kw: '',
      failure_kw: '',
      filter_subject: false,
      filter_body: false,
      filter_http_body: false,
      filter_default_fail: false,
      badge_url,
      uuid,
      ping_url: `http://testserver/ping/${uuid}`,
      update_url: `http://testserver/api/v3/checks/${uuid}`,
      pause_url: `http://testserver/api/v3/checks/${uuid}/pause`,
      resume_url: `http://testserver/api/v3/checks/${uuid}/resume`,
      channels: '',
      timeout: 86_400,
      sources: {},
    };
    assert.deepEqual(Object.entries(check), Object.entries(expected));
    assert.deepEqual(await list(), [check]);
  });

  test('every field that can be written is kept and shown', async () => {
    const { create, project, key } = await givenEmptyProject(app());
    const channel = await app().givenChannel(project);
    const sent = {
      name: 'Backup „täglich“ 😀',
      slug: 'backup-daily',
      tags: 'prod db',
      desc: 'Line one\nline two',
      grace: 120,
      manual_resume: true,
      methods: 'POST',
      start_kw: 'START',
      success_kw: 'OK,DONE',
      failure_kw: 'FAIL',
      filter_subject: true,
      filter_body: true,
      filter_http_body: true,
      filter_default_fail: true,
      channels: channel.uuid,
    };

    const simple = await create({ ...sent, timeout: 300 });
    const cron = await create({ ...sent, schedule: '5 4 * * *', tz: 'Asia/Tokyo' });

    assert.deepEqual(pick(simple, Object.keys(sent)), sent);
    assert.equal(simple.timeout, 300);
    assert.deepEqual([simple.subject, simple.subject_fail], ['OK,DONE', 'FAIL']);
    assert.deepEqual(pick(cron, Object.keys(sent)), sent);
    assert.deepEqual([cron.schedule, cron.tz], ['5 4 * * *', 'Asia/Tokyo']);
    for (const check of [simple, cron]) {
      const read = checkOf(await app().request('GET', CHECKS + check.uuid, { key }));
      assert.deepEqual(Object.entries(read), Object.entries(check));
    }
  });

  test('before version 3 the slug follows from the name unless it is sent', async () => {
    const { post } = await givenEmptyProject(app());
    const rows: [version: string, body: object, slug: string][] = [
      ['v3', { name: 'Foo' }, ''],
      ['v1', { name: 'Foo Bar! ÄÖ_x' }, 'foo-bar-ao_x'],
      ['v2', { name: 'Foo Bar! ÄÖ_x' }, 'foo-bar-ao_x'],
      ['v2', { name: 'Foo', slug: 'bar' }, 'bar'],
      ['v1', { name: 'Foo', slug: '' }, ''],
      ['v1', { slug: 'bar' }, 'bar'],
      ['v1', { name: '日本' }, ''],
      ['v2', { tags: 'x' }, ''],
    ];

    for (const [version, body, slug] of rows) {
      const reply = await post(body, `/api/${version}/checks/`);
      assertStatus(reply, 201);
      assert.equal(checkOf(reply).slug, slug, `${version} ${JSON.stringify(body)}`);
    }
  });

  test('the older subject fields set keywords and turn the filter on', async () => {
    const { create } = await givenEmptyProject(app());
    const keys = ['success_kw', 'failure_kw', 'filter_subject', 'subject', 'subject_fail'];
    const rows: [body: object, expected: unknown[]][] = [
      [{ subject: 'SUCCESS,COMPLETE' }, ['SUCCESS,COMPLETE', '', true, 'SUCCESS,COMPLETE', '']],
      [{ subject_fail: 'FAILED' }, ['', 'FAILED', true, '', 'FAILED']],
      [{ subject: 'A', success_kw: 'Z' }, ['Z', '', true, 'Z', '']],
      [{ subject: 'A', filter_subject: false }, ['A', '', false, '', '']],
      [{ success_kw: 'Q' }, ['Q', '', false, '', '']],
      [{ subject: 'A', subject_fail: 'F' }, ['A', 'F', true, 'A', 'F']],
      [{ subject: '' }, ['', '', false, '', '']],
      [{ subject: 'A', subject_fail: '' }, ['A', '', true, 'A', '']],
      [{ subject: 'A', success_kw: '' }, ['', '', true, '', '']],
    ];

    for (const [body, expected] of rows) {
      assert.deepEqual(Object.values(pick(await create(body), keys)), expected, JSON.stringify(body));
    }
  });

  test('the limit counts the checks of all projects of the owner', async () => {
    const { post, sibling, assertNothingAdded } = await givenFullAccount(app());

    assertError(await post({}), 403, 'check limit reached');
    const elsewhere = await app().request('POST', CHECKS, { key: sibling.key, body: {} });
    assertError(elsewhere, 403, 'check limit reached');
    await assertNothingAdded();
  });

  test('a full account tells faults first, then the limit, then channels, and still updates', async () => {
    const { post, create, existing, assertNothingAdded } = await givenFullAccount(app());

    assertError(await post({ timeout: 1 }), 400, 'json validation error: timeout is too small', '128');
    assertError(await post({ channels: 'nope' }), 403, 'check limit reached', '129');
    const updated = await create({ name: 'existing', tags: 'new', unique: ['name'] }, 200);
    assert.deepEqual([updated.uuid, updated.tags], [existing.uuid, 'new'], '130');
    const unmatched = await post({ name: 'other', unique: ['name'] });
    assertError(unmatched, 403, 'check limit reached', '131');
    await assertNothingAdded();
  });

  test('room that a deleted check leaves can be used at once', async () => {
    const { key, post, existing } = await givenFullAccount(app());

    assertStatus(await app().request('DELETE', CHECKS + existing.uuid, { key }), 200);

    assertStatus(await post({}), 201);
    assertError(await post({}), 403, 'check limit reached');
  });

  test('requests at the same moment do not slip past the limit together', async () => {
    const { post, list } = await givenEmptyProject(app(), { limits: { checks: 3, pings: 100 } });

    const replies = await Promise.all(Array.from({ length: 12 }, () => post({})));

    const created = replies.filter(({ status }) => status === 201).length;
    assert.equal(created, 3);
    assert.equal(replies.filter(({ status }) => status === 403).length, 9);
    assert.equal((await list()).length, 3);
  });

  test('a refused create takes no room', async () => {
    const { post } = await givenEmptyProject(app(), { limits: { checks: 1, pings: 100 } });

    for (let n = 0; n < 3; n++) {
      assertError(await post({ channels: 'nope' }), 400, 'invalid channel identifier: nope');
    }

    assertStatus(await post({}), 201);
  });

  test('a check of that name is updated, not made again', async () => {
    const { create, list } = await givenEmptyProject(app());
    const before = await create({ name: 'Foo', desc: 'kept', timeout: 300 });

    const after = await create({ name: 'Foo', tags: 'bar', unique: ['name'] }, 200);

    const sources = { name: 'api', desc: 'api', timing: 'api', tags: 'api' };
    assert.deepEqual(after, { ...before, tags: 'bar', sources });
    assert.deepEqual(await list(), [after]);
  });

  test('criteria compare the whole text, letter by letter', async () => {
    const { create, list } = await givenEmptyProject(app());
    await create({ name: 'Foo', tags: 'a b', slug: 's' });
    const others = [
      { name: 'foo', unique: ['name'] },
      { name: 'Fo', unique: ['name'] },
      { name: 'Foo ', unique: ['name'] },
      { name: 'F%', unique: ['name'] },
      { tags: 'b a', unique: ['tags'] },
      { tags: 'a', unique: ['tags'] },
      { tags: 'a  b', unique: ['tags'] },
    ];

    for (const body of others) await create(body);

    assert.equal((await list()).length, 1 + others.length);
  });

  test('each of the five fields finds an equal check', async () => {
    const values = { name: 'n', slug: 's', tags: 't u', timeout: 120, grace: 180 };

    for (const [field, value] of Object.entries(values)) {
      const { create } = await givenEmptyProject(app());
      const before = await create(values);

      const after = await create({ [field]: value, desc: 'matched', unique: [field] }, 200);
      const sources = { ...Object(before.sources), desc: 'api' };
      assert.deepEqual(after, { ...before, desc: 'matched', sources }, field);

      await create({ [field]: typeof value === 'number' ? value + 1 : `${value}x`, unique: [field] }, 201);
    }
  });

  test('all criteria must hold, and one may be named twice', async () => {
    const { create } = await givenEmptyProject(app());
    const values = { name: 'n', slug: 's', tags: 't', timeout: 120, grace: 180 };
    const unique = ['grace', 'timeout', 'tags', 'slug', 'name', 'name'];
    const { uuid } = await create(values);

    assert.equal((await create({ ...values, unique }, 200)).uuid, uuid);
    for (const [field, other] of Object.entries({
      name: 'x',
      slug: 'x',
      tags: 'x',
      timeout: 60,
      grace: 60,
    })) {
      await create({ ...values, [field]: other, unique }, 201);
    }
  });

  test('a criterion whose field is not sent finds nothing', async () => {
    const { create, list } = await givenEmptyProject(app());

    for (const field of ['name', 'slug', 'tags', 'timeout', 'grace']) {
      await create({ unique: [field] });
      await create({ unique: [field] });
    }
    await create({ name: '', unique: ['name', 'slug'] });

    assert.equal((await list()).length, 11);
  });

  test('without criteria a check of the same name is left alone', async () => {
    const { create, list } = await givenEmptyProject(app());
    const other = await create({ name: 'Hello' });

    await create({ name: 'Hello', tags: 'new', unique: [] });
    await create({ name: 'Hello', tags: 'new' });

    const checks = await list();
    assert.deepEqual([checks.length, checks[0]], [3, other]);
  });

  test('of several matches the oldest is updated', async () => {
    const { create, list } = await givenEmptyProject(app());
    const first = await create({ name: 'same', tags: 't' });
    const second = await create({ name: 'same', tags: 't2' });

    const byName = await create({ name: 'same', desc: 'x', unique: ['name'] }, 200);
    const byBoth = await create({ name: 'same', tags: 't2', desc: 'y', unique: ['name', 'tags'] }, 200);

    const sources = { name: 'api', tags: 'api', desc: 'api' };
    assert.deepEqual(byName, { ...first, desc: 'x', sources });
    assert.deepEqual(byBoth, { ...second, desc: 'y', sources });
    assert.equal((await list()).length, 2);
  });

  test('an empty name is a name, too', async () => {
    const { create } = await givenEmptyProject(app());

    const first = await create({ name: '', unique: ['name'] }, 201);
    const second = await create({ name: '', unique: ['name'] }, 200);

    assert.equal(second.uuid, first.uuid);
  });

  test('a check of that name in another project is none of ours', async () => {
    const { create, ownerId } = await givenEmptyProject(app());
    const stranger = await givenEmptyProject(app());
    const sibling = await givenEmptyProject(app(), { ownerId });
    const foreign = [await stranger.create({ name: 'Foo' }), await sibling.create({ name: 'Foo' })];

    await create({ name: 'Foo', tags: 'x', unique: ['name'] }, 201);

    assert.deepEqual([...(await stranger.list()), ...(await sibling.list())], foreign);
  });

  test('a check with a schedule is found by the timeout it keeps, and becomes simple', async () => {
    const { create, list } = await givenEmptyProject(app());
    const cron = await create({ schedule: '0 0 * * *', tz: 'Europe/Riga' });

    const simple = await create({ timeout: 86_400, unique: ['timeout'] }, 200);

    assert.equal(simple.uuid, cron.uuid);
    assert.equal(simple.timeout, 86_400);
    assert.equal('schedule' in simple || 'tz' in simple, false);
    assert.equal((await list()).length, 1);
  });

  test('before version 3 a check is found by slug only if the slug is sent', async () => {
    const { post, create } = await givenEmptyProject(app());
    const { uuid } = await create({ name: 'Old', slug: 's' });

    const sent = await post({ name: 'New', slug: 's', unique: ['slug'] }, '/api/v1/checks/');
    const derived = await post({ name: 'S', unique: ['slug'] }, '/api/v1/checks/');

    assertStatus(sent, 200);
    assert.deepEqual(pick(checkOf(sent), ['uuid', 'name', 'slug']), { uuid, name: 'New', slug: 's' });
    assertStatus(derived, 201);
    assert.equal(checkOf(derived).slug, 's');
  });

  test('requests at the same moment that ask for one check get one', async () => {
    const { post, list } = await givenEmptyProject(app());
    const body = { name: 'only one', unique: ['name'] };

    const replies = await Promise.all(Array.from({ length: 8 }, () => post(body)));

    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
    const [only, ...others] = await list();
    assert.deepEqual(others, []);
    for (const reply of replies) assert.equal(checkOf(reply).uuid, only?.uuid);
    assertStatus(await post({}), 201);
  });

  test('requests at the same moment that ask for one check share the last slot', async () => {
    const { post, list } = await givenEmptyProject(app(), { limits: { checks: 1, pings: 100 } });
    const body = { slug: 'only-one', unique: ['slug'] };

    const replies = await Promise.all(Array.from({ length: 8 }, () => post(body)));

    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
    assert.equal((await list()).length, 1);
    assertError(await post({}), 403, 'check limit reached');
  });

  test('a matched check keeps its channels unless channels are sent', async () => {
    const { create, project } = await givenEmptyProject(app());
    const { uuid } = await app().givenChannel(project);
    await create({ name: 'Foo', channels: '*' });

    assert.equal((await create({ name: 'Foo', unique: ['name'] }, 200)).channels, uuid);
    assert.equal((await create({ name: 'Foo', unique: ['name'], channels: '' }, 200)).channels, '');
    assert.equal((await create({ name: 'Foo', unique: ['name'], channels: uuid }, 200)).channels, uuid);
  });

  test('a bad channel leaves a matched check as it was', async () => {
    const { create, post, list } = await givenEmptyProject(app());
    const before = await create({ name: 'Foo' });

    const reply = await post({ name: 'Foo', tags: 'new', channels: 'nope', unique: ['name'] });

    assertError(reply, 400, 'invalid channel identifier: nope');
    assert.deepEqual(await list(), [before]);
  });

  test('a star assigns every channel, also those that are off or not verified', async () => {
    const { create, project, list } = await givenEmptyProject(app());
    const channels = [
      await app().givenChannel(project, { uuid: 'f0000000-0000-4000-8000-000000000001' }),
      await app().givenChannel(project, { uuid: '10000000-0000-4000-8000-000000000002', isOff: true }),
      await app().givenChannel(project, { uuid: 'a0000000-0000-4000-8000-000000000003', verified: false }),
    ];

    const check = await create({ channels: '*' });

    assert.equal(
      check.channels,
      channels
        .map(({ uuid }) => uuid)
        .sort()
        .join(','),
    );
    assert.deepEqual(await list(), [check]);
    assert.equal((await create({})).channels, '');
  });

  test('a star in a project without channels assigns none', async () => {
    const { create } = await givenEmptyProject(app());
    await app().givenChannel((await app().givenProject()).project);

    assert.equal((await create({ channels: '*' })).channels, '');
  });

  test('channels are named by UUID or by name, in any order, and once is as good as twice', async () => {
    const { create, project } = await givenEmptyProject(app(), { limits: { checks: 100, pings: 100 } });
    const looksLikeUuid = 'b0000000-0000-4000-8000-00000000000f';
    const alerts = await app().givenChannel(project, { name: 'alerts' });
    const mail = await app().givenChannel(project, { name: 'Mail to Ops; 24h' });
    const odd = await app().givenChannel(project, { name: looksLikeUuid });
    const nameless = await app().givenChannel(project, { name: '' });
    const both = [alerts.uuid, mail.uuid].sort().join(',');
    const rows: [sent: string, shown: string][] = [
      [`${alerts.uuid},${mail.uuid}`, both],
      [`${mail.uuid},${alerts.uuid}`, both],
      ['alerts', alerts.uuid],
      [`Mail to Ops; 24h,alerts`, both],
      [`${mail.uuid},alerts`, both],
      [looksLikeUuid, odd.uuid],
      [nameless.uuid, nameless.uuid],
      [`${alerts.uuid},${alerts.uuid}`, alerts.uuid],
      [`${alerts.uuid},alerts`, alerts.uuid],
      [`alerts,${mail.uuid},alerts,Mail to Ops; 24h`, both],
      ['', ''],
    ];

    for (const [channels, shown] of rows) {
      assert.equal((await create({ channels })).channels, shown, channels);
    }
  });

  test('a part that names no channel of the project is refused, and no check is made', async () => {
    const { post, list, project } = await givenEmptyProject(app());
    await app().givenChannel(project, { name: 'a' });
    await app().givenChannel(project, { name: 'b' });
    await app().givenChannel(project, { name: 'foo' });
    await app().givenChannel(project, { name: 'foo' });
    await app().givenChannel(project, { name: '' });
    const { uuid } = await app().givenChannel(project, {
      name: 'own',
      uuid: 'abcdef00-0000-4000-8000-000000000001',
    });
    const foreign = await app().givenChannel((await app().givenProject()).project, { name: 'foreign' });
    const rows: [channels: string, error: string][] = [
      ['abc', 'invalid channel identifier: abc'],
      ['foo', 'non-unique channel identifier: foo'],
      [',', 'empty channel identifier'],
      ['a,', 'empty channel identifier'],
      [',a', 'empty channel identifier'],
      ['a,,b', 'empty channel identifier'],
      ['a, b', 'invalid channel identifier:  b'],
      [' ', 'invalid channel identifier:  '],
      ['A', 'invalid channel identifier: A'],
      [foreign.uuid, `invalid channel identifier: ${foreign.uuid}`],
      ['foreign', 'invalid channel identifier: foreign'],
      [uuid.toUpperCase(), `invalid channel identifier: ${uuid.toUpperCase()}`],
      [uuid.replaceAll('-', ''), `invalid channel identifier: ${uuid.replaceAll('-', '')}`],
      ['*,a', 'invalid channel identifier: *'],
      ['a,*', 'invalid channel identifier: *'],
      ['x,foo,', 'invalid channel identifier: x'],
      ['foo,x', 'non-unique channel identifier: foo'],
      ['"ä\n', 'invalid channel identifier: "ä\n'],
      ['__proto__', 'invalid channel identifier: __proto__'],
    ];

    for (const [channels, error] of rows) assertError(await post({ channels }), 400, error, channels);
    assert.deepEqual(await list(), []);
  });

  test('a UUID that is also the name of another channel names neither', async () => {
    const { post, create, project } = await givenEmptyProject(app());
    const { uuid } = await app().givenChannel(project, { name: 'one' });
    const other = await app().givenChannel(project, { name: uuid });

    assertError(await post({ channels: uuid }), 400, `non-unique channel identifier: ${uuid}`);
    assert.equal((await create({ channels: 'one' })).channels, uuid);
    assert.equal((await create({ channels: other.uuid })).channels, other.uuid);
  });

  test('a channel may be called star, but alone the star means all', async () => {
    const { create, project } = await givenEmptyProject(app());
    const star = await app().givenChannel(project, { name: '*' });
    const other = await app().givenChannel(project, { name: 'a' });
    const both = [star.uuid, other.uuid].sort().join(',');

    assert.equal((await create({ channels: '*,*' })).channels, star.uuid);
    assert.equal((await create({ channels: '*' })).channels, both);
    assert.equal((await create({ channels: '*,a' })).channels, both);
  });
});
