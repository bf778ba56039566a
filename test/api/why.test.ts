import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromIso, seconds } from '../../src/lib/instant.ts';
import type { WhyJson } from '../../src/wire/api/why-output.ts';
import { drain, FakeSender, newNotifier } from '../alerts.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertError, assertStatus } from './answers.ts';

type Json = Record<string, unknown>;

const CALL = { method: 'POST', url: 'https://hooks.example/a', headers: {}, body: '' };
const NIGHTLY = { schedule: '0 3 * * *', tz: 'UTC', grace: 3600 };

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A nightly check that was fine on the second of March, with an integration. It is four o'clock in the afternoon. */
  async function given(fields: Json = {}) {
    app().clock.set(fromIso('2027-03-02T03:10:00Z') ?? assert.fail());
    const made = await app().givenProject();
    const ask = (method: string) => async (path: string, body?: unknown) => {
      const reply = await app().request(method, `/api/v3/${path}`, { key: made.key, body });
      assert.ok(reply.status < 300, `${path}: ${reply.text}`);
      return reply.json as Json;
    };
    const [get, post] = [ask('GET'), ask('POST')];
    await post('channels/', { kind: 'webhook', name: 'Chat', settings: { down: CALL, up: CALL } });
    const { uuid } = await post('checks/', {
      name: 'backup',
      slug: 'backup',
      channels: 'Chat',
      ...NIGHTLY,
      ...fields,
    });
    const check = (await app().deps.store.checks.byUuid(String(uuid))) ?? assert.fail();
    await app().receive(check, 'success');
    app().clock.set(fromIso('2027-03-02T16:00:00Z') ?? assert.fail());
    const why = async (query = '') => (await get(`checks/${uuid}/why${query}`)) as unknown as WhyJson;
    return { ...made, get, post, check, why, path: `/api/v3/checks/${uuid}/why` };
  }

  const shortly = ({ would_tell }: WhyJson) =>
    would_tell.map(
      ({ at, channel, event }) => `${at.slice(8, 16).replace('T', ' ')} ${channel.name} ${event}`,
    );

  const pass = async (time: string) => {
    app().clock.set(fromIso(time) ?? assert.fail());
    await drain({ app: app(), notifier: newNotifier(app(), new FakeSender()) });
  };

  test('without policies the next missed deadline is told at once, and the answer has its fields in their order', async () => {
    const { why, get, check } = await given();
    const [channel] = (await get('channels/')).channels as Json[];

    const told = { at: '2027-03-03T04:00:00+00:00', channel, status: 'down', event: 'first' };
    const text = JSON.stringify(await why('?if=down_timeout'));
    assert.deepEqual(JSON.parse(text), {
      status: 'up',
      cause: null,
      since: '2027-03-02T03:10:00+00:00',
      if: { event: 'down_timeout', at: '2027-03-03T04:00:00+00:00' },
      policy: { name: 'at-once', because: 'default' },
      asks_again: null,
      gates: [
        ['quiet', 'no quiet time'],
        ['snoozed', 'not snoozed'],
        ['acknowledged', 'nobody has acknowledged it'],
        ['parent', 'depends on no other check'],
        ['bad_runs', 'one bad run is enough'],
        ['wait', 'does not wait'],
        ['hours', 'at all hours'],
      ].map(([gate, says]) => ({ gate, open: true, says, until: null })),
      told: [],
      waits: [],
      would_tell: [{ ...told, because: ['assigned'] }],
      not_told: [],
    });
    assert.deepEqual((await why()).would_tell, []);
    assert.deepEqual(await app().deps.store.outages.unsettledOf(check.id), []);
    assert.deepEqual(await app().deps.store.deliveries.ofCheck(check.id, 10), []);
  });

  test('each way of telling says when it would tell of a nightly job', async () => {
    for (const [policy, expected] of [
      ['at-once', ['03 04:00 Chat first']],
      ['twice', ['04 04:00 Chat first']],
      ['patient', ['03 04:15 Chat first']],
    ] as const) {
      const { why } = await given({ policy });
      assert.deepEqual(shortly(await why('?if=down_timeout')), expected, policy);
    }
    const { why } = await given({ policy: 'keep-reminding' });
    const reminded = shortly(await why('?if=down_fail'));
    assert.deepEqual(reminded.slice(0, 3), [
      '02 16:00 Chat first',
      '02 16:30 Chat again',
      '02 17:00 Chat again',
    ]);
    assert.equal(reminded.length, 49);
  });

  test('what is supposed may be up to 30 days ahead, and falls into the hours of then', async () => {
    const { post, why } = await given();
    await post('calendars/', { name: 'day', schedule: 'Mon..Fri 08:00', tz: 'UTC', duration: 36_000 });
    await post('policies/', { name: 'day', hours: 'day' });
    await post('alerting/', { policy: 'day' });
    const unix = (time: string) => (fromIso(time) ?? assert.fail()) / seconds(1);

    const friday = await why(`?if=down_fail&at=${unix('2027-03-05T22:00:00Z')}`);
    assert.deepEqual(shortly(friday), []);
    assert.deepEqual(
      friday.not_told.map(({ because, says, until }) => [because, says, until]),
      [['hours', 'outside of day', '2027-03-08T08:00:00+00:00']],
    );
    const tuesday = await why(`?if=down_timeout&at=${unix('2027-03-30T22:00:00Z')}`);
    assert.deepEqual(shortly(tuesday), ['31 08:00 Chat first']);
    assert.equal(tuesday.asks_again, '2027-03-31T08:00:00+00:00');
  });

  test('an outage that is held says by which gate and until when, and who has been told', async () => {
    const { check, post, why } = await given({ policy: 'twice' });
    await app().receive(check, 'fail');
    await pass('2027-03-02T16:00:01Z');

    const held = await why();
    assert.deepEqual(
      [held.status, held.cause, held.policy, held.asks_again],
      ['down', 'failed', { name: 'twice', because: 'check' }, '2027-03-03T04:00:00+00:00'],
    );
    assert.deepEqual(
      held.gates.filter(({ open }) => !open),
      [{ gate: 'bad_runs', open: false, says: '1 of 2 bad runs', until: '2027-03-03T04:00:00+00:00' }],
    );
    assert.deepEqual(shortly(held), ['03 04:00 Chat first']);

    await post(`checks/${check.uuid}/snooze`, { for: 3600 });
    const snoozed = await why();
    assert.deepEqual(
      snoozed.gates.filter(({ open }) => !open).map(({ gate, until }) => [gate, until?.slice(11, 19)]),
      [
        ['snoozed', '17:00:01'],
        ['bad_runs', '04:00:00'],
      ],
    );
    await pass('2027-03-03T04:00:00Z');
    const told = await why();
    assert.deepEqual(
      told.told.map(({ at, channel, event, because, state }) => [at, channel.name, event, because, state]),
      [['2027-03-03T04:00:00+00:00', 'Chat', 'first', ['assigned'], 'delivered']],
    );
    assert.deepEqual([told.would_tell, told.not_told.map(({ because }) => because)], [[], ['already_told']]);
  });

  type Given = Awaited<ReturnType<typeof given>>;

  /** Makes the check depend on one that has been up for ten minutes, and gives that back. */
  async function dependOnRouter({ check, post }: Given) {
    const { uuid } = await post('checks/', { name: 'router', slug: 'router', timeout: 3600, grace: 600 });
    const router = (await app().deps.store.checks.byUuid(String(uuid))) ?? assert.fail();
    const now = app().clock.now();
    app().clock.set(now - seconds(600));
    await app().receive(router, 'success');
    app().clock.set(now);
    await post(`checks/${check.uuid}`, { parents: ['router'] });
    return router;
  }

  /** How a failure of the check, at four o'clock unless it says otherwise, comes to be held by one gate alone. */
  const HELD: Readonly<
    Record<
      string,
      { gate: string; until: string | null; hold: (made: Given, fail: () => Promise<unknown>) => unknown }
    >
  > = {
    'in a quiet time': {
      ...{ gate: 'quiet', until: '02T17:00:00' },
      async hold({ post }, fail) {
        await post('quiet-times/', { name: 'deploy', duration: 3600 });
        await fail();
      },
    },
    'snoozed by test': {
      ...{ gate: 'snoozed', until: '02T18:00:00' },
      async hold({ check, post }, fail) {
        await post(`checks/${check.uuid}/snooze`, { for: 7200 });
        await fail();
      },
    },
    'acknowledged by test': {
      ...{ gate: 'acknowledged', until: null },
      async hold({ check, post }, fail) {
        await fail();
        await post(`checks/${check.uuid}/acknowledge`);
      },
    },
    'waits for router, which is down': {
      ...{ gate: 'parent', until: '02T16:15:00' },
      async hold(made, fail) {
        await app().receive(await dependOnRouter(made), 'fail');
        await fail();
      },
    },
    'waits for router, which is late': {
      ...{ gate: 'parent', until: '02T17:00:00' },
      async hold(made, fail) {
        await dependOnRouter(made);
        app().clock.advance({ minutes: 55 });
        await fail();
      },
    },
    'waits whether router goes down, too': {
      ...{ gate: 'parent', until: '02T16:00:30' },
      async hold(made, fail) {
        await dependOnRouter(made);
        await fail();
      },
    },
    'router came up: waits whether it comes up, too': {
      ...{ gate: 'parent', until: '02T16:11:00' },
      async hold(made, fail) {
        const router = await dependOnRouter(made);
        await app().receive(router, 'fail');
        await fail();
        app().clock.advance({ minutes: 10 });
        await app().receive(router, 'success');
      },
    },
    '1 of 3 bad runs': {
      ...{ gate: 'bad_runs', until: '03T04:00:00' },
      async hold({ check, post }, fail) {
        await post('policies/', { name: 'third', bad_runs: 3, counts: 'failed' });
        await post(`checks/${check.uuid}`, { policy: 'third' });
        await fail();
      },
    },
    'waits until it is down for 15 minutes': {
      ...{ gate: 'wait', until: '02T16:15:00' },
      async hold({ check, post }, fail) {
        await post(`checks/${check.uuid}`, { policy: 'patient' });
        await fail();
      },
    },
    'outside of night': {
      ...{ gate: 'hours', until: '02T22:00:00' },
      async hold({ post }, fail) {
        await post('calendars/', { name: 'night', schedule: '0 22 * * *', tz: 'UTC', duration: 3600 });
        await post('policies/', { name: 'nights', hours: 'night' });
        await post('alerting/', { policy: 'nights' });
        await fail();
      },
    },
  };

  for (const [says, { gate, until, hold }] of Object.entries(HELD))
    test(`what holds an outage is named, with its end: ${says}`, async () => {
      const made = await given();

      await hold(made, () => app().receive(made.check, 'fail'));

      const { gates } = await made.why();
      assert.deepEqual(
        gates.filter(({ open }) => !open),
        [{ gate, open: false, says, until: until && `2027-03-${until}+00:00` }],
      );
    });

  test('each integration to which nothing comes has a reason of the closed list', async () => {
    const { check, post, why } = await given();
    const add = (name: string, more: Json = {}, settings: Json = {}) =>
      post('channels/', {
        kind: 'webhook',
        name,
        checks: '*',
        settings: { down: CALL, up: CALL, ...settings },
        ...more,
      });
    await post('calendars/', { name: 'night', schedule: '0 22 * * *', tz: 'UTC', duration: 3600 });
    await add('Other', { checks: '' });
    await add('Ends', {}, { events: ['up'] });
    await add('Night', {}, { hours: 'night', outside_hours: 'drop' });
    const off = await add('Off');
    const channel = (await app().deps.store.channels.byUuid(String(off.id))) ?? assert.fail();
    await app().deps.store.transaction((tx) =>
      tx.channels.switchOff(channel, { reason: 'failed', error: '', at: 0 }),
    );

    const { would_tell, not_told, waits } = await why('?if=down_fail');
    assert.deepEqual(
      would_tell.map(({ channel }) => channel.name),
      ['Chat'],
    );
    assert.deepEqual(
      not_told.map(({ channel, because, says }) => [channel.name, because, says]),
      [
        ['Other', 'not_assigned', 'not assigned to the check'],
        ['Ends', 'event_not_wanted', 'wants up'],
        ['Night', 'channel_hours', 'outside its hours, and not told later'],
        ['Off', 'off', 'switched off: the destination takes no more messages'],
      ],
    );
    assert.deepEqual(waits, []);
    assert.equal((await app().deps.store.deliveries.ofCheck(check.id, 10)).length, 0);
  });

  test('a bad question names the field', async () => {
    const { why: _, path, key } = await given();
    const now = app().clock.now() / seconds(1);
    for (const [query, error] of [
      ['?if=down', 'if is not one of down_timeout, down_fail, up'],
      ['?at=1804000000', 'at needs if: what happens then'],
      ['?if=up&at=tomorrow', 'at is not a whole number from 0 to 10000000000'],
      [`?if=up&at=${now + 30 * 86_400 + 1}`, 'at is more than 30 days ahead'],
      [`?if=up&at=${now - 3600}`, 'at is over'],
    ] as const)
      assertError(await app().request('GET', path + query, { key }), 400, error);
  });

  test('only a read-write key of the project may ask', async () => {
    const { path, readOnlyKey, key } = await given();
    const other = await app().givenProject();

    assertStatus(await app().request('GET', path, { key }), 200);
    assertError(await app().request('GET', path, { key: readOnlyKey }), 401, 'wrong api key');
    assertError(await app().request('GET', path, {}), 401, 'missing api key');
    assertStatus(await app().request('GET', path, { key: other.key }), 403);
    assertStatus(await app().request('POST', path, { key }), 405);
    const missing = path.replace(/[0-9a-f-]{36}/, '123e4567-e89b-12d3-a456-426614174000');
    assertStatus(await app().request('GET', missing, { key }), 404);
  });
});
