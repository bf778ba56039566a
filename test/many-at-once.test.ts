import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Channel } from '../src/domain/alert/channel.ts';
import type { Check } from '../src/domain/check/check.ts';
import type { AccountLimits } from '../src/domain/people/account.ts';
import type { OutboundRequest } from '../src/integrations/registry.ts';
import { leaseMessages } from '../src/services/alert/channel-messages.ts';
import { AccountTurns } from '../src/services/core/account-turns.ts';
import { recordFlips } from '../src/services/core/flips.ts';
import { drain as drainAlerts, FakeSender, newNotifier } from './alerts.ts';
import { START, sharedTestApp } from './app.ts';
import { messageNode, textOf } from './channel-messages.test-support.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { someoneWaits } from './postgres-locks.ts';
import { checkRecord } from './records.ts';
import { until } from './waiting.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(count: number, settings: object = { together_above: 5 }, tags = '', kind = 'slack') {
    const made = await app().givenProject({ limits: { checks: 500, pings: 100 } as AccountLimits });
    const channel = await app().givenChannel(made.project, {
      kind,
      settings: { ...(kind === 'slack' && { url: 'https://hooks.example/a' }), ...settings },
    });
    const checks: Check[] = [];
    await app().deps.store.transaction(async (tx) => {
      for (let n = 1; n <= count; n++) {
        const facts = { name: `web${n}`, tags, status: 'up', lastPingAt: START } as const;
        const check = await tx.checks.insert(checkRecord(made.project.id, facts));
        await tx.checks.setChannels(check, [channel.id]);
        checks.push(check);
      }
    });
    const many = messageNode(app());
    const singles = new FakeSender();
    const notifier = newNotifier(app(), singles);
    /** Lets the time pass, and sends what is due then. */
    const pass = async (span: Parameters<ReturnType<typeof app>['clock']['advance']>[0]) => {
      app().clock.advance(span);
      await drainAlerts({ app: app(), notifier });
      await many.drain();
    };
    return { ...made, channel, checks, ...many, singles: singles.sent, pass };
  }

  const rows = ({ id }: Channel) => app().deps.store.deliveries.ofChannel(id, 1_000);

  /** Changes the status of all of them in one transaction. */
  const flip = (checks: readonly Check[], newStatus: 'up' | 'down') =>
    app().deps.store.transaction(async (tx) => {
      const now = app().clock.now();
      await tx.checks.noteChanges(checks);
      const oldStatus = newStatus === 'up' ? 'down' : 'up';
      const reason = newStatus === 'up' ? '' : 'fail';
      return recordFlips(
        app().deps,
        tx,
        checks.map(({ id }) => ({ checkId: id, createdAt: now, oldStatus, newStatus, reason, cause: '' })),
        now,
      );
    });

  const titleOf = (request: OutboundRequest | undefined) => textOf(request ?? assert.fail());

  suite('a channel that gets many at once', () => {
    test('gets the first ones at once, and all others as one message when the time is over', async () => {
      const { checks, channel, singles, requests, pass } = await given(200);

      for (let n = 0; n < 200; n += 50) {
        await flip(checks.slice(n, n + 50), 'down');
        await pass({ seconds: 0.5 });
        assert.deepEqual([singles.length, requests.length], [5, 0]);
      }
      await pass({ seconds: 29 });

      assert.deepEqual([singles.length, requests.length], [5, 1]);
      const text = titleOf(requests[0]);
      assert.match(text, /195 checks down/);
      assert.match(text, /Down: (web\d+, ){19}web\d+ and 175 more\./);
      assert.ok((await rows(channel)).every(({ state }) => state === 'delivered'));
      assert.equal((await rows(channel)).filter(({ why }) => why.includes('together')).length, 195);
    });

    test('pays for one, if its messages cost money', async () => {
      const settings = { phone: '+15551234567', together_above: 5 };
      const { checks, channel, counted, requests, pass } = await given(40, settings, '', 'sms');

      await flip(checks, 'down');
      await pass({ seconds: 31 });

      assert.deepEqual([counted, requests.length], [[channel.id], 1]);
      assert.match(decodeURIComponent(textOf(requests[0] ?? assert.fail())), /35.checks.down/);
    });

    if (engine === 'postgres')
      test('is told of further ones while the result of its last message is written', async () => {
        const { checks, channel, pass } = await given(20);
        await flip(checks.slice(0, 10), 'down');
        app().clock.advance({ seconds: 31 });
        const { store } = app().deps;
        const { leased } = await leaseMessages(app().deps, new AccountTurns(10), 10, []);
        const [message] = leased.filter(({ channelId }) => channelId === channel.id);
        const [isSettled, isTold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];

        const settling = store.transaction(async (tx) => {
          await tx.channelMessages.settle([
            { ...(message ?? assert.fail()), nextAttemptAt: null, state: 'delivered' },
          ]);
          isSettled.resolve();
          await isTold.promise;
        });
        await isSettled.promise;
        await using driver = await openTestDriver(app().database);
        let isDone = false;
        const told = flip(checks.slice(10), 'down').then(() => {
          isDone = true;
        });
        await until('it is told, or waits', async () => isDone || (await someoneWaits(driver)));
        const hasWaited = !isDone;
        isTold.resolve();
        await Promise.all([settling, told]);
        await pass({ minutes: 10 });

        assert.equal(hasWaited, false);
      });

    test('gets one every five minutes while it lasts, and a single one is not delayed afterwards', async () => {
      const { checks, singles, requests, pass } = await given(181);

      const sentAt: number[] = [];
      for (let second = 10; second <= 600; second += 10) {
        const n = (3 * second) / 10;
        await flip(checks.slice(n - 3, n), 'down');
        await pass({ seconds: 10 });
        if (requests.length > sentAt.length) sentAt.push(second);
      }
      assert.deepEqual([sentAt, singles.length], [[40, 340], 5]);
      await pass({ minutes: 5 });
      const told = requests.map((one) => Number(/(\d+) checks down/.exec(titleOf(one))?.[1]));
      assert.deepEqual(told, [7, 90, 78]);
      await flip(checks.slice(180), 'down');
      await pass({ seconds: 1 });
      assert.equal(singles.length, 6);
    });

    test('learns of a beginning and its end in one message, if both are still to be told', async () => {
      const { checks, channel, requests, pass } = await given(8);

      await flip(checks, 'down');
      await pass({ seconds: 5 });
      await flip(checks.slice(6), 'up');
      await pass({ minutes: 1 });

      assert.equal(requests.length, 1);
      assert.match(titleOf(requests[0]), /1 check down, 2 up again.*Down, and up again: web7, web8/s);
      assert.ok((await rows(channel)).every(({ state }) => state === 'delivered'));
    });

    test('gets the same message again while the provider refuses it, and no row is lost', async () => {
      const { checks, channel, requests, answers, pass } = await given(20);

      answers.status = 500;
      await flip(checks, 'down');
      await pass({ seconds: 31 });
      await flip(checks.slice(10, 12), 'up');
      await pass({ seconds: 1 });
      assert.equal((await rows(channel)).filter(({ state }) => state === 'open').length, 17);
      answers.status = 200;
      await pass({ minutes: 10 });
      await pass({ minutes: 10 });

      assert.ok((await rows(channel)).every(({ state }) => state === 'delivered'));
      const ids = requests
        .map((request) => titleOf(request))
        .filter((text) => text.includes('15 checks down'));
      assert.ok(ids.length >= 2);
      assert.equal(new Set(ids).size, 1);
    });

    test('that was sent it by a node which died gets it again with the same rows', async () => {
      const { checks, project, channel, requests, pass } = await given(12);
      await flip(checks, 'down');
      app().clock.advance({ seconds: 31 });
      const turns = [{ accountId: project.ownerId, limit: 9 }];
      const now = app().clock.now();
      await app().deps.store.transaction((tx) =>
        tx.channelMessages.lease({ now, until: now + 15_000_000, turns, busyChannels: [] }),
      );
      await flip(checks.slice(0, 1), 'up');
      await pass({ seconds: 16 });
      await pass({ minutes: 5 });

      assert.match(titleOf(requests[0]), /7 checks down/);
      assert.ok((await rows(channel)).every(({ state }) => state === 'delivered'));
    });

    test('that is switched off gets nothing, and its rows say why', async () => {
      const { checks, channel, requests, pass } = await given(12);
      await flip(checks, 'down');
      await app().deps.store.transaction((tx) =>
        tx.channels.switchOff(channel, { reason: 'switched_off', error: '', at: app().clock.now() }),
      );
      await pass({ minutes: 1 });

      assert.equal(requests.length, 0);
      const states = (await rows(channel)).map(({ state, error }) => `${state} ${error !== ''}`);
      assert.deepEqual(new Set(states), new Set(['skipped true']));
    });

    test('is not told of what it does not want any more, and those rows end as single ones do', async () => {
      const { key, checks, channel, requests, answers, pass } = await given(12);
      const want = async (...events: readonly string[]) => {
        const reply = await app().request('POST', `/api/v3/channels/${channel.uuid}`, {
          key,
          body: { events },
        });
        assert.equal(reply.status, 200, reply.text);
      };
      /** Rows that do not concern their channel are not listed. */
      const listed = async () =>
        (await rows(channel)).map(({ status, state }) => `${status} ${state}`).toSorted();
      await flip(checks, 'down');
      await pass({ seconds: 5 });
      await flip(checks.slice(10), 'up');

      await want('down_fail');
      answers.status = 500;
      await pass({ seconds: 31 });
      const sent = Array(5).fill('down delivered');
      assert.deepEqual(await listed(), [...sent, ...Array(7).fill('down open')]);
      // What it was not told of it is not told later, either: the message is tried again as it was.
      await want('down_fail', 'up');
      answers.status = 200;
      await pass({ minutes: 1 });

      assert.deepEqual([requests.length, new Set(requests.map(titleOf)).size], [2, 1]);
      assert.match(titleOf(requests[0]), /7 checks down.*Down: web6, web7, /s);
      assert.deepEqual(await listed(), [...sent, ...Array(7).fill('down delivered')]);
    });

    test('is told of each by itself, if it can tell no message about many any more', async () => {
      const settings = { user_key: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG', priority_down: 0, priority_up: 0 };
      const { key, checks, channel, singles, requests, pass } = await given(
        12,
        { ...settings, together_above: 5 },
        '',
        'po',
      );
      await flip(checks, 'down');
      await pass({ seconds: 5 });
      assert.equal(singles.length, 5);
      for (const changed of [{ together_above: null }, { priority_down: 2 }]) {
        const body = { settings: { ...settings, ...changed } };
        const reply = await app().request('POST', `/api/v3/channels/${channel.uuid}`, { key, body });
        assert.equal(reply.status, 200, reply.text);
      }

      await pass({ seconds: 31 });
      await pass({ seconds: 1 });

      assert.deepEqual([singles.length, requests.length], [12, 0]);
      assert.ok((await rows(channel)).every(({ state }) => state === 'delivered'));
    });

    test('that is told of one check alone is told at once', async () => {
      const { checks, singles, pass } = await given(1);
      await flip(checks, 'down');
      await pass({ seconds: 1 });
      assert.equal(singles.length, 1);
    });
  });

  suite('a tag that is told as one', () => {
    test('tells how many are missing after half a minute, and when all are up again', async () => {
      const { key, checks, requests, singles, pass } = await given(40, {}, 'web');
      const set = await app().request('POST', '/api/v3/alerting/', {
        key,
        body: { tags: [{ tag: 'web', as_one: true }] },
      });
      assert.equal(set.status, 200, set.text);
      for (const check of checks.slice(0, 3)) await app().receive(check, 'fail');
      await pass({ seconds: 29 });
      assert.equal(requests.length, 0);
      await pass({ seconds: 2 });
      assert.match(titleOf(requests[0]), /3 of 40 missing \(web\).*web1, web2, web3/s);

      for (const check of checks.slice(0, 3)) await app().receive(check, 'success');
      await pass({ minutes: 5 });

      assert.equal(requests.length, 2);
      assert.match(titleOf(requests[1]), /All 40 of web are up again/);
      assert.deepEqual(
        singles.map(({ event }) => [event.to, event.check.name]),
        [],
      );
    });
  });

  test('what depends on a parent that is up again is told as one, if it stays down', async () => {
    const { key, checks, requests, singles, pass } = await given(5, {});
    const [router, ...children] = checks as [Check, ...Check[]];
    for (const child of children)
      await app().request('POST', `/api/v3/checks/${child.uuid}`, { key, body: { parents: [router.uuid] } });
    for (const check of checks) await app().receive(check, 'fail');
    await pass({ minutes: 2 });
    await app().receive(router, 'success');
    await app().receive(children[3] ?? assert.fail(), 'success');
    await pass({ seconds: 61 });

    assert.deepEqual([singles.length, requests.length], [2, 1]);
    assert.match(titleOf(requests[0]), /3 checks down/);
  });

  test('kinds that cannot are refused', async () => {
    const { key } = await given(0);
    for (const [kind, settings] of Object.entries({
      webhook: { down: { url: 'https://hooks.example/a', method: 'POST', body: '', headers: {} } },
      pd: { service_key: 'k'.repeat(32) },
      group: { channels: [] },
    })) {
      const reply = await app().request('POST', '/api/v3/channels/', {
        key,
        body: { kind, name: kind, settings: { ...settings, together_above: 5 } },
      });
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, /together_above/);
    }
  });
});
