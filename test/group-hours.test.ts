import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import { fromIso } from '../src/lib/instant.ts';
import { drain, FakeSender, newNotifier } from './alerts.ts';
import { assertStatus } from './api/answers.ts';
import { sharedTestApp } from './app.ts';
import { messageNode, textOf } from './channel-messages.test-support.ts';
import { forEachEngine } from './engines.ts';

type Json = Record<string, unknown>;

/** Every day from eight to six. */
const DAY = { name: 'day', schedule: '0 8 * * *', tz: 'UTC', duration: 36_000 };

const SETTINGS: Record<string, Json> = {
  slack: { url: 'https://hooks.example/a' },
  pd: { service_key: 'e93facc04764012d7bfb002500d5d1a6' },
};

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A group that is told of checks which are up in the evening. Its members have these settings, by their names. */
  async function given(members: Record<string, Json>, { checks: count = 1, kind = 'slack' } = {}) {
    app().clock.set(instantOf('2027-03-02T19:00:00Z'));
    const { project, key } = await app().givenProject();
    const post = async (path: string, body: unknown, status = 201) => {
      const reply = await app().request('POST', `/api/v3/${path}`, { key, body });
      assertStatus(reply, status, reply.text);
      return reply.json as Json;
    };
    await post('calendars/', DAY);
    const uuids: Record<string, string> = {};
    for (const [name, settings] of Object.entries(members)) {
      const made = await post('channels/', { kind, name, settings: { ...SETTINGS[kind], ...settings } });
      uuids[name] = String(made.id);
    }
    const checks: Check[] = [];
    for (let n = 1; n <= count; n++)
      checks.push(
        await app().givenCheck(project, { name: `web${n}`, status: 'up', lastPingAt: app().clock.now() }),
      );
    const [check = assert.fail()] = checks;
    const group = await post('channels/', {
      ...{ kind: 'group', name: 'All', checks: '*' },
      settings: { channels: Object.values(uuids) },
    });
    const sender = new FakeSender();
    sender.answer = (_event, settings) => {
      const { channels } = settings as { readonly channels?: readonly string[] };
      return channels === undefined ? { kind: 'delivered' } : { kind: 'passed_on', channels };
    };
    const notifier = newNotifier(app(), sender);
    const many = messageNode(app());
    /** Goes on to that time of the clock, and sends what is due then. */
    const until = async (time: string, day = 2) => {
      app().clock.set(instantOf(`2027-03-0${day}T${time}:00Z`));
      await drain({ app: app(), notifier });
      await many.drain();
    };
    const tell = async (signal: 'fail' | 'success', some = checks) => {
      for (const one of some) await app().receive(one, signal);
      await drain({ app: app(), notifier });
    };
    const told = async (name: string) => {
      const channel = (await app().deps.store.channels.byUuid(uuids[name] ?? '')) ?? assert.fail(name);
      const rows = await app().deps.store.deliveries.ofChannel(channel.id, 100);
      return rows
        .toReversed()
        .map(({ status, createdAt }) => [status, new Date(createdAt / 1000).toISOString().slice(11, 16)]);
    };
    return { key, post, uuids, group, check, checks, until, tell, told, ...many };
  }

  suite('a member of a group', () => {
    test('waits for its hours while the others are told, and then hears of what is still down', async () => {
      const f = await given({ chat: { hours: 'day' }, pager: {} });

      await f.until('22:00');
      await f.tell('fail');
      await f.until('07:59', 3);
      assert.deepEqual([await f.told('chat'), await f.told('pager')], [[], [['down', '22:00']]]);
      await f.until('08:00', 3);
      await f.tell('success');

      assert.deepEqual(await f.told('chat'), [
        ['down', '08:00'],
        ['up', '08:00'],
      ]);
    });

    test('is told neither of the beginning nor of the end of an outage that was over before its hours', async () => {
      const f = await given({ chat: { hours: 'day' }, other: { hours: 'day', outside_hours: 'drop' } });

      await f.until('22:00');
      await f.tell('fail');
      await f.until('23:00');
      await f.tell('success');
      await f.until('09:00', 3);

      assert.deepEqual([await f.told('chat'), await f.told('other')], [[], []]);
    });

    test('that drops beginnings is told neither of one nor of its end', async () => {
      const f = await given({ chat: { hours: 'day', outside_hours: 'drop' }, pager: {} });

      await f.until('22:00');
      await f.tell('fail');
      await f.until('09:00', 3);
      await f.tell('success');
      await f.until('10:00', 3);

      assert.deepEqual(await f.told('chat'), []);
      assert.equal((await f.told('pager')).length, 2);
    });

    for (const outside of ['hold', 'drop'])
      test(`hears of the end when its hours begin, if it heard of the beginning (${outside})`, async () => {
        const f = await given({ chat: { hours: 'day', outside_hours: outside }, pager: {} });

        await f.until('17:00', 3);
        await f.tell('fail');
        await f.until('23:00', 3);
        await f.tell('success');
        assert.equal((await f.told('chat')).length, 1);
        await f.until('08:00', 4);

        assert.deepEqual(await f.told('chat'), [
          ['down', '17:00'],
          ['up', '08:00'],
        ]);
        assert.deepEqual((await f.told('pager')).at(-1), ['up', '23:00']);
      });

    test('that opens something at its provider closes it at once', async () => {
      const f = await given({ duty: { hours: 'day' } }, { kind: 'pd' });

      await f.until('17:00', 3);
      await f.tell('fail');
      await f.until('23:00', 3);
      await f.tell('success');

      assert.deepEqual(await f.told('duty'), [
        ['down', '17:00'],
        ['up', '23:00'],
      ]);
    });

    test('that is assigned itself is told once, also when it waits', async () => {
      const f = await given({ chat: { hours: 'day' }, pager: {} });
      await f.post(`checks/${f.check.uuid}`, { channels: '*' }, 200);

      await f.until('22:00');
      await f.tell('fail');
      await f.until('08:00', 3);

      assert.deepEqual(
        [await f.told('chat'), await f.told('pager')],
        [[['down', '08:00']], [['down', '22:00']]],
      );
    });

    test('that has left the group while it waited is not told', async () => {
      const f = await given({ chat: { hours: 'day' }, pager: {} });

      await f.until('22:00');
      await f.tell('fail');
      await f.post(`channels/${f.group.id}`, { settings: { channels: [f.uuids.pager] } }, 200);
      await f.until('09:00', 3);

      assert.deepEqual(await f.told('chat'), []);
    });

    test('hears no repeats outside of its hours, and those of the day', async () => {
      const f = await given({ chat: { hours: 'day' }, pager: {} });
      await f.post('alerting/', { policy: 'keep-reminding' }, 200);

      await f.until('17:30', 3);
      await f.tell('fail');
      await f.until('18:01', 3);
      await f.until('18:32', 3);
      assert.deepEqual(await f.told('chat'), [['down', '17:30']]);
      assert.ok((await f.told('pager')).length >= 2);
      await f.until('09:00', 4);
      await f.until('09:31', 4);

      assert.ok((await f.told('chat')).length >= 2);
    });

    test('hears no repeats in its hours of what it was not told of, nor of the end', async () => {
      const f = await given({ chat: { hours: 'day', outside_hours: 'drop' }, pager: {} });
      await f.post('alerting/', { policy: 'keep-reminding' }, 200);

      await f.until('22:00');
      await f.tell('fail');
      await f.until('08:31', 3);
      await f.until('09:02', 3);
      await f.tell('success');

      assert.ok((await f.told('pager')).length >= 3);
      assert.deepEqual(await f.told('chat'), []);
    });

    for (const outside of ['hold', 'drop'])
      test(`hears nothing of what its hours kept from it, also when it has none any more (${outside})`, async () => {
        const f = await given({ chat: { hours: 'day', outside_hours: outside }, pager: {} });
        await f.post('alerting/', { policy: 'keep-reminding' }, 200);

        await f.until('22:00');
        await f.tell('fail');
        await f.until('22:31');
        // One that waits is told without its hours, unless somebody has the outage.
        if (outside === 'hold') await f.post(`checks/${f.check.uuid}/acknowledge`, {}, 200);
        await f.post(`channels/${f.uuids.chat}`, { settings: { hours: '' } }, 200);
        await f.until('23:02');
        await f.tell('success');

        assert.deepEqual(await f.told('chat'), []);
        assert.deepEqual((await f.told('pager')).at(-1), ['up', '23:02']);
      });

    test('hears of the end if it has joined the group since', async () => {
      const f = await given({ chat: {}, pager: {} });
      await f.post(`channels/${f.group.id}`, { settings: { channels: [f.uuids.pager] } }, 200);
      await f.post('alerting/', { policy: 'keep-reminding' }, 200);

      await f.until('22:00');
      await f.tell('fail');
      await f.post(`channels/${f.group.id}`, { settings: { channels: Object.values(f.uuids) } }, 200);
      await f.until('22:10');
      await f.tell('success');

      assert.deepEqual(await f.told('chat'), [['up', '22:10']]);
    });

    test('that wants one message of many gets it, though the group takes none', async () => {
      const f = await given({ chat: { together_above: 2 }, pager: {} }, { checks: 6 });

      await f.until('20:00');
      await f.tell('fail');
      await f.until('20:01');

      assert.equal((await f.told('pager')).length, 6);
      assert.equal(f.requests.length, 1);
      assert.match(textOf(f.requests[0] ?? assert.fail()), /4 checks down/);
    });
  });
});

const instantOf = (text: string) => fromIso(text) ?? assert.fail(text);
