import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fromIso } from '../src/lib/instant.ts';
import { undoPauseOfCheck } from '../src/services/check/checks.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { recordBeat } from '../src/services/core/liveness.ts';
import { drain, FakeSender, newNotifier } from './alerts.ts';
import { assertStatus } from './api/answers.ts';
import { sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

type Json = Record<string, unknown>;

/** Every day from eight to six. */
const DAY = { name: 'day', schedule: '0 8 * * *', tz: 'UTC', duration: 36_000 };
const CHAT = { kind: 'slack', name: 'Chat', settings: { url: 'https://hooks.example/a', hours: 'day' } };

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A project with those hours, where a check is up in the evening. */
  async function given() {
    app().clock.set(instantOf('2027-03-02T19:00:00Z'));
    const made = await app().givenProject();
    const ask = (method: string) => async (path: string, body?: unknown) => {
      const reply = await app().request(method, `/api/v3/${path}`, { key: made.key, body });
      return { ...reply, json: reply.json as Json };
    };
    const client = { get: ask('GET'), post: ask('POST'), remove: ask('DELETE') };
    const calendar = (await client.post('calendars/', DAY)).json;
    const check = await app().givenCheck(made.project, { status: 'up', lastPingAt: app().clock.now() });
    const addChannel = async (body: Json) => {
      const reply = await client.post('channels/', { ...body, checks: '*' });
      assertStatus(reply, 201, reply.text);
      const channel = await app().deps.store.channels.byUuid(String(reply.json.id));
      return channel ?? assert.fail();
    };
    const notifier = newNotifier(app(), new FakeSender());
    /** Goes on to that time of the clock, and sends what is due then. */
    const until = async (time: string, day = 2) => {
      app().clock.set(instantOf(`2027-03-0${day}T${time}:00Z`));
      await drain({ app: app(), notifier });
    };
    const told = async ({ id }: { readonly id: number }) => {
      const rows = await app().deps.store.deliveries.ofChannel(id, 100);
      return rows
        .toReversed()
        .map(({ status, createdAt }) => [status, new Date(createdAt / 1000).toISOString().slice(11, 16)]);
    };
    return { ...made, ...client, calendar, check, addChannel, until, told };
  }

  suite('an integration with hours', () => {
    test('is told of an outage that lasts when they begin, and one without hours at once', async () => {
      const f = await given();
      const [chat, pager] = [
        await f.addChannel(CHAT),
        await f.addChannel({ kind: 'webhook', name: 'Pager', settings: WEBHOOK }),
      ];

      await f.until('22:00');
      await app().receive(f.check, 'fail');
      await f.until('07:59', 3);
      assert.deepEqual([await f.told(chat), await f.told(pager)], [[], [['down', '22:00']]]);
      await f.until('08:00', 3);

      assert.deepEqual(await f.told(chat), [['down', '08:00']]);
      await app().receive(f.check, 'success');
      assert.deepEqual((await f.told(chat)).at(-1), ['up', '08:00']);
    });

    test('is told neither of the beginning nor of the end of an outage that was over before', async () => {
      const f = await given();
      const chat = await f.addChannel(CHAT);

      await f.until('22:00');
      await app().receive(f.check, 'fail');
      await f.until('23:00');
      await app().receive(f.check, 'success');
      await f.until('08:00', 3);

      assert.deepEqual(await f.told(chat), []);
    });

    test('that drops beginnings is not told of the end, either', async () => {
      const f = await given();
      const chat = await f.addChannel({
        ...CHAT,
        settings: { ...CHAT.settings, outside_hours: 'drop' },
      });

      await f.until('22:00');
      await app().receive(f.check, 'fail');
      await f.until('09:00', 3);
      await app().receive(f.check, 'success');
      await f.until('10:00', 3);

      assert.deepEqual(await f.told(chat), []);
    });

    for (const outside of ['hold', 'drop'])
      test(`is told of an end when they begin, if it was told of the beginning (${outside})`, async () => {
        const f = await given();
        const settings = { ...CHAT.settings, outside_hours: outside };
        const chat = await f.addChannel({ ...CHAT, settings });
        const pager = await f.addChannel({
          kind: 'pd',
          name: 'On call',
          settings: { service_key: 'e93facc04764012d7bfb002500d5d1a6', hours: 'day' },
        });

        await f.until('17:00', 3);
        await app().receive(f.check, 'fail');
        await f.until('23:00', 3);
        await app().receive(f.check, 'success');
        await f.until('08:00', 4);

        assert.deepEqual(await f.told(chat), [
          ['down', '17:00'],
          ['up', '08:00'],
        ]);
        assert.deepEqual(await f.told(pager), [
          ['down', '17:00'],
          ['up', '23:00'],
        ]);
      });

    for (const event of ['nothing else', 'a failure', 'an answer'])
      test(`is told of an end before it is told of the next beginning, when ${event} comes`, async () => {
        const f = await given();
        const chat = await f.addChannel({ ...CHAT, name: 'Chat' });
        await f.until('17:00', 3);
        await app().receive(f.check, 'fail');
        await f.until('23:00', 3);
        await app().receive(f.check, 'success');
        await f.until('23:30', 3);
        await app().receive(f.check, 'fail');

        app().clock.set(instantOf('2027-03-04T08:00:00Z'));
        if (event === 'a failure') await app().receive(f.check, 'fail');
        if (event === 'an answer') assertStatus(await f.post(`checks/${f.check.uuid}/unacknowledge`), 200);
        await f.until('08:00', 4);

        assert.deepEqual(await f.told(chat), [
          ['down', '17:00'],
          ['up', '08:00'],
          ['down', '08:00'],
        ]);
      });

    test('is told of an end as soon as a clock that was ahead is set back, if its hours run', async () => {
      const f = await given();
      const chat = await f.addChannel(CHAT);
      await recordBeat(app().deps, 'node', true);
      await f.until('17:00', 3);
      await app().receive(f.check, 'fail');
      await f.until('23:00', 3);
      await app().receive(f.check, 'success');
      await recordBeat(app().deps, 'node', true);

      app().clock.set(instantOf('2027-03-02T12:00:00Z'));
      await recordBeat(app().deps, 'node', true);
      await f.until('12:00', 2);

      assert.deepEqual(await f.told(chat), [
        ['down', '17:00'],
        ['up', '12:00'],
      ]);
    });

    test('waits on for its hours when a pause is undone', async () => {
      const f = await given();
      const chat = await f.addChannel(CHAT);

      await f.until('22:00');
      await app().receive(f.check, 'fail');
      assertStatus(await f.post(`checks/${f.check.uuid}/pause`), 200);
      await undoPauseOfCheck(app().deps, systemActor(f.check.projectId), f.check.id);
      await f.until('22:01');
      await f.until('08:00', 3);

      assert.deepEqual(await f.told(chat), [['down', '08:00']]);
    });

    test('is told at once when its hours are taken away or changed', async () => {
      const f = await given();
      const chat = await f.addChannel(CHAT);

      await f.until('22:00');
      await app().receive(f.check, 'fail');
      assertStatus(await f.post(`channels/${chat.uuid}`, { settings: { hours: '' } }), 200);
      await f.until('22:00');

      assert.deepEqual(await f.told(chat), [['down', '22:00']]);
    });
  });

  suite('the hours of an integration', () => {
    test('are the name of a calendar of its own project, or its UUID', async () => {
      const [f, foreign] = [await given(), await given()];
      const chat = await f.addChannel({
        ...CHAT,
        settings: { ...CHAT.settings, hours: f.calendar.uuid },
      });

      const shown = (await f.get(`channels/${chat.uuid}`)).json.settings as Json;
      assert.equal(shown.hours, 'day');
      for (const hours of ['night', foreign.calendar.uuid]) {
        const reply = await f.post(`channels/${chat.uuid}`, { settings: { hours } });
        assertStatus(reply, 400);
        assert.match(String(reply.json.error), /invalid calendar/);
      }
      const never = await f.post(`channels/${chat.uuid}`, { settings: { outside_hours: 'never' } });
      assertStatus(never, 400);
    });

    test('follow a calendar that is renamed', async () => {
      const f = await given();
      const chat = await f.addChannel(CHAT);

      assertStatus(await f.post(`calendars/${f.calendar.uuid}`, { name: 'office' }), 200);

      assert.equal(((await f.get(`channels/${chat.uuid}`)).json.settings as Json).hours, 'office');
      await f.until('22:00');
      await app().receive(f.check, 'fail');
      assert.deepEqual(await f.told(chat), []);
    });

    test('are lost with a calendar that is deleted by force, and what waited is told', async () => {
      const f = await given();
      const chat = await f.addChannel(CHAT);
      await f.until('22:00');
      await app().receive(f.check, 'fail');

      const refused = await f.remove(`calendars/${f.calendar.uuid}`);
      assertStatus(refused, 409);
      assert.match(String(refused.json.error), /in use: integration Chat/);
      assertStatus(await f.remove(`calendars/${f.calendar.uuid}?force=1`), 200);
      await f.until('22:00');

      assert.equal(((await f.get(`channels/${chat.uuid}`)).json.settings as Json).hours, undefined);
      assert.deepEqual(await f.told(chat), [['down', '22:00']]);
    });

    test('are no setting of Alertmanager, which has a setting of that name', async () => {
      const f = await given();

      const made = await f.post('channels/', {
        kind: 'alertmanager',
        settings: { url: 'https://alertmanager.example.org', hours: 24 },
      });

      assertStatus(made, 201, made.text);
      const refused = await f.post('channels/', {
        kind: 'alertmanager',
        settings: { url: 'https://alertmanager.example.org', outside_hours: 'drop' },
      });
      assertStatus(refused, 400);
    });
  });
});

const WEBHOOK = { down: { method: 'POST', url: 'https://pager.example/down', headers: {}, body: '' } };

const instantOf = (text: string) => fromIso(text) ?? assert.fail(text);
