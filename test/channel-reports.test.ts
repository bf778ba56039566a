import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import { fromIso, seconds, toTemporal } from '../src/lib/instant.ts';
import { queueChannelReports } from '../src/services/alert/channel-reports.ts';
import { recordBeat } from '../src/services/core/liveness.ts';
import { setReports } from './account-mails.ts';
import { assertStatus } from './api/answers.ts';
import { sharedTestApp } from './app.ts';
import { messageNode, textOf } from './channel-messages.test-support.ts';
import { forEachEngine } from './engines.ts';

const DAY = seconds(86_400);
/** A Wednesday. */
const NOON = fromIso('2027-03-03T12:00:00Z') ?? assert.fail();

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(settings: object = { report: 'daily' }, tz = 'UTC') {
    const { deps, clock } = app();
    clock.set(NOON);
    const made = await app().givenProject();
    await setReports(app(), made.ownerId, 'off', tz);
    const url = `https://hooks.example/${made.project.uuid}`;
    const channel = await app().givenChannel(made.project, { kind: 'slack', settings: { url, ...settings } });
    const check = await app().givenCheck(made.project, {
      ...{ name: 'db', status: 'up', lastPingAt: NOON, timeoutSeconds: 30 * 86_400 },
    });
    const node = messageNode(app());
    const own = () => node.requests.filter((request) => request.url === url);
    const nextAt = async () => {
      const [row] = (await deps.store.channels.dueReports(NOON + 30 * DAY, 100)).filter(
        ({ id }) => id === channel.id,
      );
      return row?.nextReportAt ?? null;
    };
    const tick = async () => {
      while (await queueChannelReports(deps));
      await node.drain();
    };
    /** Goes on to the next report, and sends it. */
    const report = async () => {
      await tick();
      clock.set((await nextAt()) ?? assert.fail('there is no date'));
      await tick();
      return textOf(own().at(-1) ?? assert.fail('nothing was sent'));
    };
    const fails = async (some: Check, hours: number) => {
      await app().receive(some, 'fail');
      clock.advance({ hours });
      await app().receive(some, 'success');
    };
    return { ...made, channel, check, own, nextAt, tick, report, fails };
  }

  const local = (at: number, tz: string) => toTemporal(at).toZonedDateTimeISO(tz);

  suite('a channel that wants the report of its project', () => {
    test('gets it every day in the morning of the owner, once', async () => {
      const { nextAt, tick, report, own } = await given({ report: 'daily' }, 'Asia/Tokyo');

      await tick();
      const due = local((await nextAt()) ?? 0, 'Asia/Tokyo');
      await report();
      await tick();

      assert.equal(due.toPlainDate().toString(), '2027-03-04');
      assert.ok(due.hour === 9 || due.hour === 10, due.toString());
      assert.equal(own().length, 1);
      assert.equal(
        local((await nextAt()) ?? 0, 'Asia/Tokyo')
          .toPlainDate()
          .toString(),
        '2027-03-05',
      );
    });

    test('gets it every Monday, if it wants that', async () => {
      const { nextAt, tick, report } = await given({ report: 'weekly' });

      await tick();

      assert.equal(
        local((await nextAt()) ?? 0, 'UTC')
          .toPlainDate()
          .toString(),
        '2027-03-08',
      );
      assert.match(await report(), /Weekly report of Alpha.*1 to 7 March: nothing was down/s);
    });

    test('reads one line if nothing was down', async () => {
      const { report } = await given();

      const { attachments } = JSON.parse(await report());

      assert.equal(attachments[0].title, 'Daily report of Alpha');
      assert.equal(attachments[0].text, '3 March: nothing was down. 1 is fine.');
    });

    test('reads what was down for how long and why, and what is down now', async () => {
      const f = await given();
      const web = await app().givenCheck(f.project, {
        ...{ name: 'web', status: 'up', lastPingAt: NOON, timeoutSeconds: 30 * 86_400 },
      });
      await f.tick();
      await f.fails(f.check, 1);
      await f.fails(web, 3);
      await f.fails(web, 1);
      app().clock.set(NOON + DAY / 2 + seconds(3600));
      await app().receive(f.check, 'fail');

      const { attachments } = JSON.parse(await f.report());

      assert.equal(
        attachments[0].text,
        '3 March: 3 times down, 5 h in all (3 failed).\nweb: 2 times, 4 h\ndb: 1 time, 1 h\nNow: 1 down. 1 is fine. Down: db.',
      );
    });

    test('reads which checks had slow runs, twice as long as usual and over a minute, of that day alone', async () => {
      const f = await given();
      const short = await app().givenCheck(f.project, { name: 'short', status: 'up', lastPingAt: NOON });
      await f.tick();
      const ran = async (check: Check, minutes: readonly number[]) => {
        for (const length of minutes) {
          const runStartedAt = app().clock.now();
          app().clock.advance({ minutes: length });
          await app().givenPing(check, { runStartedAt });
        }
      };
      await ran(f.check, [2, 2, 2, 2, 2, 5, 2, 3, 10]);
      await ran(short, [0.1, 0.1, 0.1, 0.9]);

      const { attachments } = JSON.parse(await f.report());
      assert.equal(attachments[0].text, '3 March: nothing was down. Slow: db 2 times. 2 are fine.');

      await ran(f.check, [1, 1, 12]);
      app().clock.set(NOON + DAY);
      await f.fails(short, 1);
      const next = JSON.parse(await f.report()).attachments[0].text;
      assert.match(next, /short: 1 time, 1 h\nSlow: db 1 time\.\nNow: 2 are fine\.$/);
    });

    test('is told nothing of other projects, and nothing by a project without checks', async () => {
      const one = await given();
      const two = await given();
      await app().request('DELETE', `/api/v3/checks/${two.check.uuid}`, { key: two.key });
      await two.tick();
      app().clock.set(NOON + DAY);
      await two.tick();
      await one.fails(one.check, 1);

      assert.equal(two.own().length, 0);
    });

    test('gets it once from three nodes', async () => {
      const f = await given();
      await f.tick();
      app().clock.set((await f.nextAt()) ?? 0);

      await Promise.all([1, 2, 3].map(() => queueChannelReports(app().deps)));
      await f.tick();

      assert.equal(f.own().length, 1);
    });

    test('gets the latest one alone after days in which nobody was there', async () => {
      const f = await given();
      await f.tick();
      app().clock.set(NOON + 5 * DAY);

      await f.tick();

      assert.equal(f.own().length, 1);
      assert.match(textOf(f.own()[0] ?? assert.fail()), /7 March/);
    });

    test('keeps its date through other edits, and gets a new one with another rhythm', async () => {
      const f = await given();
      await f.tick();
      const before = await f.nextAt();
      const edit = (settings: object) =>
        app().request('POST', `/api/v3/channels/${f.channel.uuid}`, { key: f.key, body: { settings } });

      assertStatus(await edit({ together_above: 3 }), 200);
      await f.tick();
      assert.equal(await f.nextAt(), before);
      assertStatus(await edit({ report: 'weekly' }), 200);
      await f.tick();

      assert.equal(
        local((await f.nextAt()) ?? 0, 'UTC')
          .toPlainDate()
          .toString(),
        '2027-03-08',
      );
      assertStatus(await edit({ report: 'off' }), 200);
      assert.equal(await f.nextAt(), null);
    });

    test('gets none any more once it was taken back, though one was queued, and none while it is off', async () => {
      const [one, two] = [await given(), await given()];
      await one.tick();
      await app().deps.store.transaction((tx) =>
        tx.channels.switchOff(two.channel, { reason: 'switched_off', error: '', at: NOON }),
      );
      app().clock.set(NOON + DAY);
      await queueChannelReports(app().deps);
      const open = { url: `https://hooks.example/${one.project.uuid}` };
      await app().deps.store.transaction((tx) =>
        tx.channels.setSettings(one.channel, { open, sealed: null }),
      );
      await one.tick();
      await two.tick();

      assert.deepEqual([one.own().length, two.own().length], [0, 0]);
    });

    test('comes at its time after a clock that was a day ahead has passed over it', async () => {
      const f = await given();
      await f.tick();
      const due = (await f.nextAt()) ?? assert.fail('there is no date');
      app().clock.set(NOON + DAY);
      await recordBeat(app().deps, 'node', true);
      await f.tick();
      app().clock.set(NOON);

      await recordBeat(app().deps, 'node', true);
      await f.tick();

      const [before, after] = [due, (await f.nextAt()) ?? 0].map((at) =>
        local(at, 'UTC').toPlainDate().toString(),
      );
      assert.equal(after, before);
    });

    test('is given a new date if a wrong clock has set one', async () => {
      const f = await given();
      app().clock.set(NOON + 900 * DAY);
      await f.tick();
      app().clock.set(NOON);

      await f.tick();

      assert.equal(
        local((await f.nextAt()) ?? 0, 'UTC')
          .toPlainDate()
          .toString(),
        '2027-03-04',
      );
    });
  });

  test('the report is a setting of kinds that take such messages, and others refuse it', async () => {
    const { key } = await given();
    const make = (kind: string, settings: object) =>
      app().request('POST', '/api/v3/channels/', { key, body: { kind, name: kind, settings } });
    const slack = { url: 'https://hooks.example/a' };

    const made = await make('slack', { ...slack, report: 'weekly' });

    assertStatus(made, 201, made.text);
    assert.equal((made.json as { settings: { report: string } }).settings.report, 'weekly');
    for (const [kind, settings] of [
      ['slack', { ...slack, report: 'hourly' }],
      ['slack', { ...slack, report: 1 }],
      ['webhook', { down: { url: slack.url, method: 'POST', body: '', headers: {} }, report: 'daily' }],
      ['pd', { service_key: 'k'.repeat(32), report: 'daily' }],
      ['group', { channels: [], report: 'daily' }],
    ] as const) {
      const reply = await make(kind, settings);
      assertStatus(reply, 400, reply.text);
      assert.match(reply.text, /report/);
    }
  });
});
