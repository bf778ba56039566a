import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromIso } from '../../src/lib/instant.ts';
import { drain, type Fixture, fixture } from '../alerts.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertStatus } from './answers.ts';

type Json = Record<string, unknown>;

const WORKING_HOURS = {
  ...{ name: 'working-hours', schedule: 'Mon..Fri 08:00', tz: 'Europe/Riga', duration: 36_000 },
  except: ['2026-12-24'],
};

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  function client(key: string) {
    const ask = (method: string) => async (path: string, body?: unknown) => {
      const reply = await app().request(method, `/api/v3/${path}`, { key, body });
      return { ...reply, json: reply.json as Json };
    };
    return { get: ask('GET'), post: ask('POST'), remove: ask('DELETE') };
  }

  test('calendars are made, listed, changed and deleted', async () => {
    const { key } = await app().givenProject();
    const { get, post, remove } = client(key);

    const made = await post('calendars/', WORKING_HOURS);

    assertStatus(made, 201);
    const { uuid } = made.json;
    assert.deepEqual(made.json, { uuid, ...WORKING_HOURS });
    const changed = await post(`calendars/${uuid}`, { duration: 3600, except: ['2027-01-01', '2026-12-24'] });
    assert.deepEqual(changed.json, {
      ...{ uuid, ...WORKING_HOURS, duration: 3600, except: ['2026-12-24', '2027-01-01'] },
    });
    assert.deepEqual((await get('calendars/')).json, { calendars: [changed.json] });
    assert.deepEqual((await get(`calendars/${uuid}`)).json, changed.json);
    assertStatus(await remove(`calendars/${uuid}`), 200);
    assertStatus(await get(`calendars/${uuid}`), 404);
  });

  test('what is wrong is refused with the field and the reason', async () => {
    const { key } = await app().givenProject();
    const { post } = client(key);
    const cases: readonly [Json, RegExp][] = [
      [{ ...WORKING_HOURS, duration: 59 }, /duration is too small/],
      [{ ...WORKING_HOURS, duration: 2_592_001 }, /duration is too large/],
      [
        { ...WORKING_HOURS, schedule: '0 3 * * FRI-MON' },
        /schedule is not a valid .*: In the day-of-week field/,
      ],
      [{ ...WORKING_HOURS, schedule: '*-02-30 08:00' }, /schedule is not a valid/],
      [{ ...WORKING_HOURS, tz: 'Mars/Olympus' }, /tz is not a valid timezone/],
      [{ ...WORKING_HOURS, except: ['2026-02-30'] }, /an item in 'except' is not a date/],
      [{ ...WORKING_HOURS, except: 'Sunday' }, /except is not an array/],
      [{ ...WORKING_HOURS, name: ' ' }, /name does not match pattern/],
      [{ ...WORKING_HOURS, name: 'x'.repeat(61) }, /name is too long/],
      [{ ...WORKING_HOURS, colour: 'red' }, /calendar has an unknown key "colour"/],
      [{ schedule: '08:00', duration: 60 }, /name is missing/],
      [{ name: 'a', duration: 60 }, /schedule is missing/],
      [{ name: 'a', schedule: '08:00' }, /duration is missing/],
    ];
    for (const [body, reason] of cases) {
      const reply = await post('calendars/', body);
      assertStatus(reply, 400, JSON.stringify(body));
      assert.match(String(reply.json.error), reason);
    }
    assertStatus(await post('calendars/', WORKING_HOURS), 201);
    assertStatus(await post('calendars/', WORKING_HOURS), 409);
  });

  test('nobody sees, changes or refers to a calendar of another project', async () => {
    const [own, foreign] = [await app().givenProject(), await app().givenProject()];
    const { uuid } = (await client(foreign.key).post('calendars/', WORKING_HOURS)).json;
    const { get, post, remove } = client(own.key);

    assert.deepEqual((await get('calendars/')).json, { calendars: [] });
    for (const reply of [
      await get(`calendars/${uuid}`),
      await post(`calendars/${uuid}`, { duration: 60 }),
      await remove(`calendars/${uuid}?force=1`),
    ])
      assertStatus(reply, 404);
    for (const hours of [uuid, 'working-hours']) {
      const reply = await post('policies/', { name: 'a', hours });
      assert.deepEqual(
        [reply.status, reply.json.error],
        [400, `json validation error: invalid calendar: ${hours}`],
      );
    }
    assertStatus(await get('calendars/'), 200);
    assertStatus(await app().request('GET', '/api/v3/calendars/', { key: own.readOnlyKey }), 401);
  });

  test('a policy names its calendar, which goes only by force, and then tells at any hour', async () => {
    const { key } = await app().givenProject();
    const { get, post, remove } = client(key);
    const { uuid } = (await post('calendars/', WORKING_HOURS)).json;

    const policy = (await post('policies/', { name: 'day', hours: 'working-hours' })).json;

    assert.equal(policy.hours, 'working-hours');
    const refused = await remove(`calendars/${uuid}`);
    assert.deepEqual([refused.status, refused.json.error], [409, 'calendar is in use: policy day']);
    assertStatus(await remove(`calendars/${uuid}?force=1`), 200);
    assert.deepEqual((await get(`policies/${policy.uuid}`)).json, { uuid: policy.uuid, name: 'day' });
  });

  test('working hours are asked for once, and are a policy from then on', async () => {
    const { key } = await app().givenProject();
    const { get, post } = client(key);
    const refused = await post('alerting/', { policy: 'working-hours' });
    assert.deepEqual(
      [refused.status, refused.json.error],
      [400, 'json validation error: invalid calendar: working-hours'],
    );
    await post('calendars/', WORKING_HOURS);

    assertStatus(await post('alerting/', { policy: 'working-hours' }), 200);
    assertStatus(
      await post('alerting/', { policy: '', tags: [{ tag: 'web', policy: 'working-hours' }] }),
      200,
    );

    const { policies } = (await get('policies/')).json as { policies: Json[] };
    assert.deepEqual(
      policies.map(({ uuid: _uuid, ...others }) => others),
      [{ name: 'working-hours', hours: 'working-hours', always_tags: 'important' }],
    );
  });

  /** A check with daily runs that goes down at the time, in a project that tells in working hours. */
  async function downAt(iso: string, tags: string): Promise<Fixture & ReturnType<typeof client>> {
    const downAt = fromIso(iso) ?? assert.fail();
    app().clock.set(downAt - 25 * 3_600_000_000);
    const f = await fixture(app(), { tags, lastPingAt: app().clock.now() });
    const asked = client(f.key);
    await asked.post('calendars/', WORKING_HOURS);
    assertStatus(await asked.post('alerting/', { policy: 'working-hours' }), 200);
    app().clock.set(downAt);
    await drain(f);
    return { ...f, ...asked };
  }

  const toldTo = (f: Fixture) =>
    f.sender.sent.filter(({ event }) => event.check.uuid === f.check.uuid).length;

  async function goTo(f: Fixture, iso: string): Promise<number> {
    app().clock.set(fromIso(iso) ?? assert.fail());
    await drain(f);
    return toldTo(f);
  }

  test('what goes down on Friday night is told on Monday morning, if it is still down', async () => {
    const f = await downAt('2027-03-05T22:00:00+00:00', 'db');
    assert.equal(toldTo(f), 0);
    assert.equal(await goTo(f, '2027-03-08T05:59:59+00:00'), 0);

    assert.ok((await goTo(f, '2027-03-08T06:00:00+00:00')) > 0);
  });

  test('what comes up before the hours begin is told to nobody', async () => {
    const f = await downAt('2027-03-12T22:00:00+00:00', 'db');
    for (const day of ['12', '13', '14']) {
      app().clock.set(fromIso(`2027-03-${day}T23:00:00+00:00`) ?? assert.fail());
      await app().receive(f.check, 'success');
      await drain(f);
    }

    assert.equal(await goTo(f, '2027-03-15T06:00:00+00:00'), 0);
  });

  test('a check with the tag is told at night, too', async () => {
    const f = await downAt('2027-03-19T22:00:00+00:00', 'db important');

    assert.ok(toldTo(f) > 0);
  });

  test('a day that is left out is outside of the hours, and an edit of the calendar counts at once', async () => {
    const f = await downAt('2026-12-24T10:00:00+00:00', 'db');
    assert.equal(toldTo(f), 0);
    const { calendars } = (await f.get('calendars/')).json as { calendars: Json[] };

    assertStatus(await f.post(`calendars/${calendars[0]?.uuid}`, { except: [] }), 200);
    await drain(f);

    assert.ok(toldTo(f) > 0);
  });
});
