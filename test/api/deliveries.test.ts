import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { Channel } from '../../src/domain/alert/channel.ts';
import { type NewDelivery, type Outcome, tryAgain } from '../../src/domain/alert/delivery.ts';
import type { Check } from '../../src/domain/check/check.ts';
import { seconds } from '../../src/lib/instant.ts';
import type { ChannelSender } from '../../src/notifier/channel-sender.ts';
import { Notifier } from '../../src/notifier/notifier.ts';
import { callbackId } from '../../src/services/alert/callbacks.ts';
import { listDeliveries } from '../../src/services/alert/deliveries.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { SITE, START, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { deliveryRecord, flipRecord } from '../records.ts';
import { assertCors, assertError, assertStatus } from './answers.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';

const log = pino({ level: 'silent' });

interface DeliveryAnswer {
  readonly id: string;
  readonly status: string;
  readonly state: string;
  readonly error: string;
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function fixture() {
    const given = await app().givenProject();
    const channel = await app().givenChannel(given.project, { name: 'On call', kind: 'webhook' });
    const check = await app().givenCheck(given.project, { status: 'up', lastPingAt: START });
    await app().assign(check, channel);
    const list = async (version = 3) => {
      const path = `/api/v${version}/checks/${check.uuid}/deliveries/`;
      const reply = await app().request('GET', path, { key: given.key });
      assertStatus(reply, 200);
      return { text: reply.text, deliveries: (reply.json as { deliveries: DeliveryAnswer[] }).deliveries };
    };
    return { ...given, channel, check, list };
  }

  /** One try, which takes so many microseconds and ends like this. Whatever else is due is taken. */
  async function attempt(check: Check, verdict: Outcome | 'unwanted', took = 0): Promise<void> {
    const sender: ChannelSender = {
      wants: () => verdict !== 'unwanted',
      needsBody: () => false,
      needsStory: () => false,
      needsDocument: () => false,
      buttons: () => ({ choice: 'none', needsTaps: false }) as const,
      destination: () => 'anywhere',
      limit: () => null,
      async send(_channel, event) {
        if (event.check.uuid !== check.uuid || verdict === 'unwanted') return { kind: 'delivered' };
        app().clock.set(app().clock.now() + took);
        return verdict;
      },
    };
    const options = {
      site: { ...SITE, name: 'Tocsin' },
      log,
      maxConcurrent: 100,
      maxConcurrentPerDestination: 100,
    };
    await using notifier = new Notifier(app().deps, sender, options);
    await notifier.tick();
  }

  const insert = (check: Check, channel: Channel, overrides: readonly Partial<NewDelivery>[]) =>
    app().deps.store.transaction(async (tx) => {
      const flips = await tx.flips.insertMany(overrides.map(() => flipRecord(check.id)));
      const over = { state: 'delivered', attemptCount: 1, nextAttemptAt: null, finishedAt: START } as const;
      await tx.deliveries.insertMany(
        flips.map((flip, index) =>
          deliveryRecord(flip, channel.id, { ...over, createdAt: START, ...overrides[index] }),
        ),
      );
    });

  test('notifications are listed newest first, with all their tries', async () => {
    const { check, channel, list } = await fixture();
    await app().receive(check, 'fail');
    await attempt(check, tryAgain('Received status code 429', 120), 1_234_567);
    app().clock.advance({ seconds: 120 });
    await attempt(check, { kind: 'delivered' }, 500);
    app().clock.set(START + seconds(600));
    await app().receive(check, 'success');
    await attempt(check, tryAgain('Connection failed'), 0);
    app().clock.set(START + seconds(600 + 90_000));
    await attempt(check, tryAgain('Connection timed out'), seconds(30));
    await app().receive(check, 'fail');
    await attempt(check, tryAgain('Received status code 500', 60), 20_000);

    const { text, deliveries } = await list();

    const shown = { id: channel.uuid, name: 'On call', kind: 'webhook' };
    const [third, second, first] = deliveries.map(({ id }) => id);
    assert.equal(new Set([first, second, third]).size, 3);
    assert.equal(
      text,
      JSON.stringify({
        deliveries: [
          {
            id: third,
            channel: shown,
            status: 'down',
            state: 'open',
            created: '2024-03-02T13:10:30.000000+00:00',
            finished: null,
            next_attempt: '2024-03-02T13:11:30.020000+00:00',
            error: 'Received status code 500',
            attempts: [
              {
                n: 1,
                date: '2024-03-02T13:10:30.000000+00:00',
                duration: 0.02,
                error: 'Received status code 500',
              },
            ],
          },
          {
            id: second,
            channel: shown,
            status: 'up',
            state: 'given_up',
            created: '2024-03-01T12:10:00.000000+00:00',
            finished: '2024-03-02T13:10:30.000000+00:00',
            next_attempt: null,
            error: 'Connection timed out',
            attempts: [
              { n: 1, date: '2024-03-01T12:10:00.000000+00:00', duration: 0, error: 'Connection failed' },
              { n: 2, date: '2024-03-02T13:10:00.000000+00:00', duration: 30, error: 'Connection timed out' },
            ],
          },
          {
            id: first,
            channel: shown,
            status: 'down',
            state: 'delivered',
            created: '2024-03-01T12:00:00.000000+00:00',
            finished: '2024-03-01T12:02:01.235067+00:00',
            next_attempt: null,
            error: '',
            attempts: [
              {
                n: 1,
                date: '2024-03-01T12:00:00.000000+00:00',
                duration: 1.235,
                error: 'Received status code 429',
              },
              { n: 2, date: '2024-03-01T12:02:01.234567+00:00', duration: 0.001, error: '' },
            ],
          },
        ],
      }),
    );
  });

  test('a notification that nobody has tried yet is open and has no tries', async () => {
    const { check, channel, list } = await fixture();
    await app().receive(check, 'fail');

    const { text, deliveries } = await list();

    assert.equal(
      text,
      JSON.stringify({
        deliveries: [
          {
            id: deliveries[0]?.id,
            channel: { id: channel.uuid, name: 'On call', kind: 'webhook' },
            status: 'down',
            state: 'open',
            created: '2024-03-01T12:00:00.000000+00:00',
            finished: null,
            next_attempt: '2024-03-01T12:00:00.000000+00:00',
            error: '',
            attempts: [],
          },
        ],
      }),
    );
  });

  test('all versions answer alike', async () => {
    const { check, list } = await fixture();
    await app().receive(check, 'fail');

    const [one, two, three] = [await list(1), await list(2), await list(3)];

    assert.equal(three.deliveries.length, 1);
    assert.deepEqual([one.text, two.text], [three.text, three.text]);
  });

  test('a check about which nothing was told has an empty list', async () => {
    const { list } = await fixture();

    assert.equal((await list()).text, '{"deliveries":[]}');
  });

  test('every channel has a notification of its own, and those of other checks are not listed', async () => {
    const { project, check, channel, list } = await fixture();
    const second = await app().givenChannel(project, { name: '' });
    const otherCheck = await app().givenCheck(project, { status: 'up' });
    await app().assign(check, channel, second);
    await app().assign(otherCheck, channel);
    await app().receive(check, 'fail');
    await app().receive(otherCheck, 'fail');

    const { deliveries } = await list();

    const channels = deliveries.map((one) => (one as unknown as { channel: unknown }).channel);
    assert.deepEqual(channels, [
      { id: second.uuid, name: '', kind: 'email' },
      { id: channel.uuid, name: 'On call', kind: 'webhook' },
    ]);
  });

  test('what concerned the channel not is not listed', async () => {
    const { check, list } = await fixture();
    await app().receive(check, 'fail');
    await attempt(check, 'unwanted');

    assert.equal((await list()).text, '{"deliveries":[]}');
  });

  test('the list has at most the 100 newest, whatever was skipped among them', async () => {
    const { check, channel, list } = await fixture();
    const told = Array.from({ length: 102 }, (_, n) => ({ error: `told ${n}` }));
    await insert(check, channel, [
      ...told,
      ...Array.from({ length: 30 }, () => ({ state: 'skipped' as const })),
    ]);

    const { deliveries } = await list();

    assert.equal(deliveries.length, 100);
    assert.deepEqual([deliveries[0]?.error, deliveries[99]?.error], ['told 101', 'told 2']);
  });

  test('what a provider reports afterwards is shown', async () => {
    const { check, list } = await fixture();
    await app().receive(check, 'fail');
    await attempt(check, { kind: 'delivered' }, 1_000);
    const [told = assert.fail()] = await listDeliveries(app().deps, systemActor(check.projectId), check);
    const callback = callbackId(app().deps, told);

    await app().request('POST', `/api/v3/notifications/${callback}/status`, {
      body: 'error=Mailbox+is+full',
    });

    const [delivery] = (await list()).deliveries;
    assert.deepEqual([delivery?.state, delivery?.error], ['delivered', 'Mailbox is full']);
  });

  test('the form without a slash redirects', async () => {
    const { check, key } = await fixture();

    for (const version of [1, 2, 3]) {
      const path = `/api/v${version}/checks/${check.uuid}/deliveries`;
      const reply = await app().request('GET', `${path}?a=b`, { key });

      assert.deepEqual([reply.status, reply.headers.location], [301, `${path}/?a=b`]);
    }
  });

  test('a read-only key, a wrong one and none at all do not see them', async () => {
    const { check, readOnlyKey } = await fixture();
    const path = `/api/v3/checks/${check.uuid}/deliveries/`;

    assertError(await app().request('GET', path, { key: readOnlyKey }), 401, 'wrong api key');
    assertError(await app().request('GET', path, { key: 'x'.repeat(32) }), 401, 'wrong api key');
    assertError(await app().request('GET', path), 401, 'missing api key');
  });

  test('another project is told that the check is not its own', async () => {
    const { check } = await fixture();
    const stranger = await app().givenProject();
    await app().receive(check, 'fail');

    const reply = await app().request('GET', `/api/v3/checks/${check.uuid}/deliveries/`, stranger);

    assertError(reply, 403, 'access denied');
  });

  test('a check that does not exist, and one named by its unique key, is not found', async () => {
    const { check, key } = await fixture();
    const get = (ref: string) => app().request('GET', `/api/v3/checks/${ref}/deliveries/`, { key });

    assertError(await get(NOWHERE), 404, 'check not found');
    assertError(await get(check.uniqueKey), 404, 'not found');
  });

  test('the list can only be read, by pages of any origin', async () => {
    const { check, key } = await fixture();
    const path = `/api/v3/checks/${check.uuid}/deliveries/`;

    for (const method of ['POST', 'PUT', 'DELETE', 'HEAD']) {
      assert.equal((await app().request(method, path, { key })).status, 405, method);
    }
    assertCors(await app().request('OPTIONS', path), ['GET', 'OPTIONS']);
  });
});
