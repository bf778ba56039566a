import assert from 'node:assert/strict';
import { describe, suite, test } from 'node:test';
import type { Channel } from '../src/domain/alert/channel.ts';
import type { Delivery, Outcome } from '../src/domain/alert/delivery.ts';
import { HOUR, MINUTE } from '../src/domain/check/check.test-support.ts';
import type { Check } from '../src/domain/check/check.ts';
import type { NewFlip } from '../src/domain/check/flip.ts';
import { SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import type { OutboundRequest } from '../src/integrations/kind/kind.ts';
import type { HttpResult } from '../src/lib/http-client.ts';
import type { Mail } from '../src/lib/mail-sender.ts';
import { type ChannelSender, createChannelSender } from '../src/notifier/channel-sender.ts';
import { Notifier } from '../src/notifier/notifier.ts';
import { createTestSender } from '../src/notifier/test-sender.ts';
import { callbackId } from '../src/services/alert/callbacks.ts';
import { listDeliveries, settleDeliveries, skipDeliveries } from '../src/services/alert/deliveries.ts';
import type { SendTest } from '../src/services/alert/test-message.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { systemActor } from '../src/services/core/actor.ts';
import type { Store } from '../src/storage/store.ts';
import { endedTries, failure, fixture, lease, log, newNotifier, OK, told } from './alerts.ts';
import { type ChannelOverrides, type GivenProject, SITE, START, sharedTestApp } from './app.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { flipRecord } from './records.ts';
import { until } from './waiting.ts';

const NAMED_SITE = { ...SITE, name: 'Tocsin' };
const VERSIONS = [1, 2, 3];

const answer = (status: number): HttpResult => ({ status, headers: {}, body: new Uint8Array() });

const call = (url: string, body = '') => ({ method: 'POST', url, headers: {}, body });

/** A sender whose code for that channel throws at that step, until it is mended. */
function failingAt(
  step: keyof ChannelSender,
  { id }: Channel,
  sender: ChannelSender,
): ChannelSender & { isMended: boolean } {
  const failing = Object.assign(Object.create(sender), { isMended: false });
  const whole = sender[step] as (channel: Channel, ...rest: unknown[]) => unknown;
  failing[step] = (channel: Channel, ...rest: unknown[]) => {
    if (channel.id === id && !failing.isMended) throw new Error('cannot use the token very-secret');
    return whole.call(sender, channel, ...rest);
  };
  return failing;
}

forEachEngine((engine) => {
  let sendTest: SendTest = async () => null;
  const app = sharedTestApp(engine, {}, { sendTest: (channel, project) => sendTest(channel, project) });

  /** A check with one channel, and all that leaves for it; each request is answered with the next status. */
  async function given(channelFields: ChannelOverrides, ...statuses: number[]) {
    const project: GivenProject = await app().givenProject();
    const channel = await app().givenChannel(project.project, channelFields);
    const check = await app().givenCheck(project.project, {
      status: 'up',
      lastPingAt: START,
      tags: 'one two',
    });
    await app().assign(check, channel);
    const requests: OutboundRequest[] = [];
    const mails: Mail[] = [];
    const sender = createChannelSender({
      http: async (request) => {
        requests.push(request);
        return answer(statuses.length > 1 ? (statuses.shift() ?? 200) : (statuses[0] ?? 200));
      },
      mail: {
        send: async (mail) => {
          mails.push(mail);
          return null;
        },
        [Symbol.asyncDispose]: async () => undefined,
      },
      server: SERVER,
      vault: app().deps.vault,
      unsubscribeUrl: () => `${SITE.root}/unsubscribe`,
    });
    const notifier = new Notifier(app().deps, sender, {
      site: NAMED_SITE,
      log,
      maxConcurrent: 10,
      maxConcurrentPerDestination: 10,
    });
    const drain = async () => {
      while ((await notifier.tick()) === true) await notifier.settled();
    };
    return { ...project, channel, check, requests, mails, sender, drain };
  }

  const webhook = (settings: Record<string, unknown>): ChannelOverrides => ({ kind: 'webhook', settings });
  const urlOnDown = webhook({ down: call('https://hook.example/down') });

  const rowsOf = async (check: Check) =>
    (await listDeliveries(app().deps, systemActor(check.projectId), check)).map(
      ({ status, state, error }) => [status, state, error],
    );

  const onlyDelivery = async (check: Check) =>
    (await listDeliveries(app().deps, systemActor(check.projectId), check))[0] ??
    assert.fail('nothing was delivered');

  /** The last try in the row of the channel. */
  async function lastTry({ id }: Channel) {
    await using driver = await openTestDriver(app().database);
    const [row] = await driver.all<{
      at: number | null;
      micros: number | null;
      error: string;
      disabled: unknown;
    }>(
      `select last_notify_at as at, last_notify_micros as micros, last_error as error, disabled
         from channels where id = $1`,
      [id],
    );
    return { ...row, disabled: Boolean(row?.disabled) };
  }

  test('a webhook that has an address for going down alone is asked nothing when the check comes up', async () => {
    const { check, requests, drain } = await given(urlOnDown);

    await app().receive(check, 'fail');
    await app().receive(check, 'success');
    await drain();

    assert.deepEqual(
      requests.map(({ url }) => url),
      ['https://hook.example/down'],
    );
    assert.deepEqual(await rowsOf(check), [['down', 'delivered', '']]);
  });

  test('an address that does not want to know of checks coming up gets no mail of it', async () => {
    const { check, mails, drain } = await given({
      settings: { email: 'bob@example.org', events: ['down_timeout', 'down_fail'] },
    });

    await app().receive(check, 'fail');
    await app().receive(check, 'success');
    await drain();

    assert.equal(mails.length, 1);
    assert.match(mails[0]?.subject ?? '', /^Down: /);
  });

  for (const isPlanned of [false, true])
    test(`an address hears of the changes that it wants, and of no others, ${isPlanned ? 'with' : 'without'} a plan`, async () => {
      const { project, check, mails, drain } = await given({
        settings: { email: 'failures@example.org', events: ['down_fail', 'up'] },
      });
      const hook = await app().givenChannel(project, webhook({ up: call('https://hook.example/up') }));
      const [address = assert.fail()] = await app().deps.store.channels.ofProject(project.id);
      await app().assign(check, address, hook);
      if (isPlanned) await app().deps.store.transaction((tx) => tx.projects.usePolicies(project.id));

      await app().receive(check, 'fail');
      await app().receive(check, 'success');
      app().clock.advance({ days: 2 });
      while (await flipOverdue({ ...app().deps, onPoison: () => assert.fail() }));
      await app().receive(check, 'success');
      await drain();

      assert.deepEqual(
        mails
          .filter(({ to }) => to === 'failures@example.org')
          .map(({ subject }) => /^[^:]+/.exec(subject)?.[0]),
        ['Down', 'Up again', 'Up again'],
      );
      const rows = await app().deps.store.deliveries.ofChannel(hook.id, 10);
      assert.deepEqual(
        rows.map(({ status, state }) => `${status} ${state}`),
        ['up delivered', 'up delivered'],
      );
    });

  test('channels do not wait for each other, so that their order does not matter', async () => {
    const f = await fixture(app());
    const project = (await f.app.deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    const fast = await f.app.givenChannel(project, { settings: { name: 'fast' } });
    await f.app.assign(f.check, f.channel, fast);
    const { promise: slow, resolve: end } = Promise.withResolvers<Outcome>();
    f.sender.answer = (_event, settings) =>
      JSON.stringify(settings) === JSON.stringify(f.channel.settings.open) ? slow : OK;
    const states = async () => {
      const deliveries = await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check);
      return new Map(deliveries.map(({ channelId, state }) => [channelId, state]));
    };

    await f.app.receive(f.check, 'fail');
    await f.notifier.tick();
    await until('the fast one was told', async () => (await states()).get(fast.id) === 'delivered');

    assert.equal((await states()).get(f.channel.id), 'open');
    end(OK);
    await f.notifier.settled();
  });

  test('a message is open until it was taken; its channel then has no error any more', async () => {
    const { check, channel, drain } = await given(urlOnDown, 500, 200);
    await app().receive(check, 'fail');
    assert.deepEqual(await rowsOf(check), [['down', 'open', '']]);
    await drain();
    assert.equal((await lastTry(channel)).error, 'Received status code 500');

    app().clock.advance({ minutes: 1 });
    await drain();

    assert.deepEqual(await rowsOf(check), [['down', 'delivered', '']]);
    assert.deepEqual(await lastTry(channel), { at: START + MINUTE, micros: 0, error: '', disabled: false });
  });

  test('a failure is told with the message and its channel, and does nothing to the check', async () => {
    const { check, channel, requests, drain } = await given(urlOnDown, 500);
    const before = await app().receive(check, 'fail');

    await drain();

    const text = 'Received status code 500';
    assert.deepEqual(await rowsOf(check), [['down', 'open', text]]);
    assert.deepEqual(await lastTry(channel), { at: START, micros: 0, error: text, disabled: false });
    assert.deepEqual(await app().deps.store.checks.byUuid(check.uuid), before);
    assert.equal(requests.length, 1);
    await app().deps.store.transaction((tx) => tx.checks.delete(check));
  });

  const steps = [
    'wants',
    'destination',
    'limit',
    'needsBody',
    'needsStory',
    'needsDocument',
    'send',
  ] as const;
  for (const step of steps) {
    test(`code that throws at "${step}" is an error of its channel alone, which says nothing secret and is tried again`, async () => {
      const f = await fixture(app());
      const { projectId } = f.check;
      const project = (await app().deps.store.projects.byId(projectId)) ?? assert.fail();
      const other = await app().givenChannel(project, { settings: { email: 'bob@example.org' } });
      await app().assign(f.check, f.channel, other);
      const sender = failingAt(step, f.channel, f.sender);
      const notifier = newNotifier(app(), sender);
      const drain = async () => {
        while ((await notifier.tick()) === true) await notifier.settled();
      };
      const rows = async () =>
        (await listDeliveries(app().deps, systemActor(projectId), f.check))
          .map(({ channelId, state, error, attempts }) => [
            channelId,
            state,
            error,
            ...attempts.map((one) => one.error),
          ])
          .sort(([one], [two]) => Number(one) - Number(two));
      await app().receive(f.check, 'fail');

      await drain();

      const text = 'Sending failed: internal error';
      assert.deepEqual(await rows(), [
        [f.channel.id, 'open', text, text],
        [other.id, 'delivered', '', ''],
      ]);
      assert.deepEqual(await lastTry(f.channel), { at: START, micros: 0, error: text, disabled: false });

      sender.isMended = true;
      app().clock.advance({ minutes: 1 });
      await drain();

      assert.deepEqual(told(f), ['down', 'down']);
      assert.deepEqual((await rows())[0], [f.channel.id, 'delivered', '', text, '']);
      assert.equal((await lastTry(f.channel)).error, '');
    });
  }

  test('a provider that fails and then takes it gets the same request each time', async () => {
    const { check, requests, drain } = await given(urlOnDown, 500, 500, 200);
    await app().receive(check, 'fail');

    for (const minutes of [0, 1, 2]) {
      app().clock.advance({ minutes });
      await drain();
    }

    assert.equal(requests.length, 3);
    assert.deepEqual(requests[1], requests[0]);
    assert.deepEqual(requests[2], requests[0]);
    assert.deepEqual(await rowsOf(check), [['down', 'delivered', '']]);
  });

  suite('of all answers', () => {
    for (const status of [200, 201, 202, 204]) {
      test(`${status} means that the message was taken`, async () => {
        const { check, drain } = await given(urlOnDown, status);
        await app().receive(check, 'fail');

        await drain();

        assert.deepEqual(await rowsOf(check), [['down', 'delivered', '']]);
      });
    }

    for (const status of [203, 206, 304, 400, 401, 404, 410, 429, 503]) {
      test(`${status} means that it was not, and the channel stays on`, async () => {
        const { check, channel, drain } = await given(urlOnDown, status);
        await app().receive(check, 'fail');

        await drain();

        assert.deepEqual(await rowsOf(check), [['down', 'open', `Received status code ${status}`]]);
        assert.equal((await lastTry(channel)).disabled, false);
        await app().deps.store.transaction((tx) => tx.checks.delete(check));
      });
    }
  });

  test('of a long error text the first 200 characters are kept', async () => {
    const f = await fixture(app());
    f.sender.answer = () => failure('🔔'.repeat(1000), true);
    await f.app.receive(f.check, 'fail');

    await f.notifier.tick();
    await f.notifier.settled();

    const [delivery] = await listDeliveries(f.app.deps, systemActor(f.check.projectId), f.check);
    assert.equal(delivery?.error, '🔔'.repeat(200));
    assert.equal(delivery?.attempts[0]?.error, '🔔'.repeat(200));
    assert.equal((await lastTry(f.channel)).error, '🔔'.repeat(200));
  });

  test('a test message that is not taken is one request, and no more', async () => {
    const { channel, sender, requests, drain, key } = await given(urlOnDown, 500);
    sendTest = createTestSender(app().deps, sender, NAMED_SITE);

    const reply = await app().request('POST', `/api/v3/channels/${channel.uuid}/test`, { key });
    app().clock.advance({ hours: 1 });
    await drain();

    assert.deepEqual(reply.json, { ok: false, error: 'Received status code 500' });
    assert.equal(requests.length, 1);
  });

  suite('what a provider tells later', () => {
    const post = (uuid: string, form: string, version = 3) =>
      app().request('POST', `/api/v${version}/notifications/${uuid}/status`, { body: form });
    const report = (delivery: Delivery, form: string, version = 3) =>
      post(callbackId(app().deps, delivery), form, version);

    test('changes nothing at the UUID that every message carries, and the answer is the same', async () => {
      const { check, channel, drain } = await given(urlOnDown);
      await app().receive(check, 'fail');
      await drain();
      const { uuid } = await onlyDelivery(check);

      for (const version of VERSIONS) {
        const reply = await post(uuid, 'error=gone&mark_disabled=1', version);

        assert.deepEqual([reply.status, reply.text], [200, '']);
      }
      assert.deepEqual(await rowsOf(check), [['down', 'delivered', '']]);
      const { error, disabled } = await lastTry(channel);
      assert.deepEqual([error, disabled], ['', false]);
    });

    for (const [form, error] of [
      ['MessageStatus=undelivered', 'Delivery failed (status=undelivered).'],
      ['MessageStatus=failed', 'Delivery failed (status=failed).'],
      ['CallStatus=failed', 'Delivery failed (status=failed).'],
      ['error=Mailbox+full', 'Mailbox full'],
      ['MessageStatus=delivered', ''],
      ['CallStatus=completed', ''],
    ] as const) {
      test(`${form} within an hour: ${error || 'nothing'}`, async () => {
        for (const version of VERSIONS) {
          const { check, channel, drain } = await given(urlOnDown);
          await app().receive(check, 'fail');
          await drain();
          app().clock.advance({ minutes: 59 });

          const reply = await report(await onlyDelivery(check), form, version);

          assert.deepEqual([reply.status, reply.text], [200, '']);
          assert.deepEqual(await rowsOf(check), [['down', 'delivered', error]]);
          const { error: lastError, disabled } = await lastTry(channel);
          assert.deepEqual([lastError, disabled], [error, false]);
        }
      });
    }

    test('after 61 minutes changes nothing, and the answer is the same', async () => {
      const { check, channel, drain } = await given(urlOnDown);
      await app().receive(check, 'fail');
      await drain();
      app().clock.advance({ minutes: 61 });

      const reply = await report(await onlyDelivery(check), 'error=gone&mark_disabled=1');

      assert.deepEqual([reply.status, reply.text], [200, '']);
      assert.deepEqual(await rowsOf(check), [['down', 'delivered', '']]);
      assert.equal((await lastTry(channel)).disabled, false);
    });

    test('counts from when the provider took it, which may have been hours after the change', async () => {
      const { check, drain } = await given(urlOnDown, 500, 200);
      await app().receive(check, 'fail');
      await drain();
      app().clock.advance({ hours: 5 });
      await drain();
      app().clock.advance({ minutes: 10 });

      await report(await onlyDelivery(check), 'MessageStatus=undelivered');

      assert.deepEqual(await rowsOf(check), [['down', 'delivered', 'Delivery failed (status=undelivered).']]);
    });

    test('with mark_disabled switches the channel off, and the next change is withheld from it, with a reason', async () => {
      const { check, channel, requests, drain } = await given(
        webhook({ down: call('https://hook.example/'), up: call('https://hook.example/') }),
      );
      await app().receive(check, 'fail');
      await drain();

      await report(await onlyDelivery(check), 'error=x&mark_disabled=1');
      await app().receive(check, 'success');
      await drain();

      assert.deepEqual(await rowsOf(check), [
        ['up', 'skipped', 'The integration is off: its provider asked to stop'],
        ['down', 'delivered', 'x'],
      ]);
      const { error, disabled } = await lastTry(channel);
      assert.deepEqual([error, disabled], ['x', true]);
      assert.equal(requests.length, 1);
    });

    test('is cut at 200 characters', async () => {
      const { check, drain } = await given(urlOnDown);
      await app().receive(check, 'fail');
      await drain();

      await report(await onlyDelivery(check), new URLSearchParams({ error: '🔔'.repeat(500) }).toString());

      assert.deepEqual(await rowsOf(check), [['down', 'delivered', '🔔'.repeat(200)]]);
    });
  });

  test('of four notifiers none tells of recovery before the outage was told', async () => {
    const f = await fixture(app());
    const project = (await f.app.deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    const second = await f.app.givenChannel(project, { settings: { name: 'second' } });
    await f.app.assign(f.check, f.channel, second);
    f.sender.answer = async () => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      return OK;
    };
    const notifiers = [f.notifier, ...[1, 2, 3].map(() => newNotifier(f.app, f.sender))];

    await f.app.receive(f.check, 'fail');
    f.app.clock.advance({ seconds: 30 });
    await f.app.receive(f.check, 'success');
    for (let turn = 0; turn < 4; turn++) {
      await Promise.all(notifiers.map((notifier) => notifier.tick()));
      await Promise.all(notifiers.map((notifier) => notifier.settled()));
      f.app.clock.advance({ seconds: 1 });
    }

    const byChannel = Map.groupBy(f.sender.sent, ({ channel }) => JSON.stringify(channel));
    assert.equal(byChannel.size, 2);
    for (const own of byChannel.values()) {
      assert.deepEqual(
        own.map(({ event }) => event.to),
        ['down', 'up'],
      );
    }
  });

  test('whoever lost its claim cannot have the message that follows sent twice', async () => {
    const f = await fixture(app());
    const claim = async () =>
      (await lease(f.app.deps, 1_000)).filter(({ checkId }) => checkId === f.check.id);
    await f.app.receive(f.check, 'fail');
    await f.app.receive(f.check, 'success');
    const lost = await claim();
    f.app.clock.advance({ seconds: 16 });
    const [taken = assert.fail('the claim did not run out')] = await claim();
    await settleDeliveries(f.app.deps, await endedTries(f.app.deps, [taken], OK));
    const following = await claim();

    await skipDeliveries(
      f.app.deps,
      lost.map((row) => ({ row, because: null })),
    );

    assert.deepEqual(
      [lost, following].map((claimed) => claimed.map(({ status }) => status)),
      [['down'], ['up']],
    );
    assert.deepEqual(await claim(), []);
  });

  test('what stands for something in a webhook is put in once, where it may be', async () => {
    const body = '$EXITSTATUS $BODY $NAME $TAG1';
    const { check, requests, drain } = await given(
      webhook({ down: call('https://hook.example/$EXITSTATUS/$BODY/$NAME', body) }),
    );
    await app().deps.store.transaction(async (tx) => {
      const current = (await tx.checks.lock(check.id)) ?? assert.fail();
      await tx.checks.saveConfig({ ...current, name: '$TAGS' });
    });

    await app().ping(`/${check.uuid}/fail`, { body: 'out of disk' });
    await drain();

    assert.deepEqual(
      requests.map((request) => [request.url, String(request.body)]),
      [['https://hook.example/-1/$BODY/%24TAGS', '-1 out of disk $TAGS one']],
    );
  });

  test('$JSON in a webhook is what the API answers about the check', async () => {
    const { check, channel, project, key, requests, drain } = await given(
      webhook({
        down: { method: 'POST', url: 'https://hook.example/', headers: {}, body: '$JSON' },
        up: { method: 'GET', url: 'https://hook.example/', headers: { 'X-Check': '$JSON' }, body: '' },
      }),
    );
    await app().assign(check, channel, await app().givenChannel(project, { isOff: true }));
    const shown = async () => {
      const { json } = await app().request('GET', `/api/v3/checks/${check.uuid}`, { key });
      // Messages keep their form. Clients of the API are told who has set the fields.
      return Object.fromEntries(Object.entries(json ?? {}).filter(([name]) => name !== 'sources'));
    };

    await app().receive(check, 'fail');
    await drain();
    const whenDown = await shown();
    await app().receive(check, 'success');
    await drain();

    const [down, up] = requests;
    assert.deepEqual(JSON.parse(String(down?.body)), whenDown);
    assert.deepEqual(JSON.parse(up?.headers['X-Check'] ?? ''), await shown());
  });

  const histories: [before: string, last: Partial<NewFlip> | null, downFor: number | null][] = [
    ['without a record of going down', null, null],
    ['after a record that it came up', { oldStatus: 'down', newStatus: 'up' }, null],
    ['after a record of going down', { oldStatus: 'up', newStatus: 'down', reason: 'timeout' }, MINUTE],
  ];
  for (const [before, last, downFor] of histories) {
    const says = downFor === null ? 'does not say' : 'says';
    test(`a check that comes up ${before} ${says} for how long it was down`, async () => {
      const f = await fixture(app(), { status: 'down', lastPingAt: START - HOUR });
      const flips = last === null ? [] : [flipRecord(f.check.id, { ...last, createdAt: START - MINUTE })];
      await f.app.deps.store.transaction((tx) => tx.flips.insertMany(flips));

      await f.app.receive(f.check, 'success');
      await f.notifier.tick();
      await f.notifier.settled();

      assert.deepEqual(told(f), ['up']);
      const sent = f.sender.sent.find(({ event }) => event.check.uuid === f.check.uuid);
      assert.equal(sent?.event.downFor, downFor);
    });
  }
});

// On SQLite transactions take turns.
describe('on postgres, of several nodes', () => {
  const app = sharedTestApp('postgres');

  test('a message is not held back by one that is just ending', async () => {
    const f = await fixture(app());
    const { deps } = f.app;
    await f.app.receive(f.check, 'fail');
    const [delivery = assert.fail('there was nothing to claim')] = await lease(deps, 10);
    await f.app.receive(f.check, 'success');

    const store: Store = {
      ...deps.store,
      transaction: (work) =>
        deps.store.transaction(async (tx) => {
          const result = await work(tx);
          // Another node looks for work before this one has committed.
          await lease(deps, 10);
          return result;
        }),
    };
    await settleDeliveries({ ...deps, store }, await endedTries(deps, [delivery], OK));

    const claimed = await lease(deps, 10);
    assert.deepEqual(
      claimed.map(({ status }) => status),
      ['up'],
    );
  });
});
