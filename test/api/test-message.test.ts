import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Channel } from '../../src/domain/alert/channel.ts';
import { type Outcome, tryAgain } from '../../src/domain/alert/delivery.ts';
import { SERVER } from '../../src/integrations/kind/alert-event.test-support.ts';
import type { AlertEvent } from '../../src/integrations/kind/alert-event.ts';
import { HttpClient } from '../../src/lib/http-client.ts';
import { seconds } from '../../src/lib/instant.ts';
import type { Mail } from '../../src/lib/mail-sender.ts';
import type { ChannelSender } from '../../src/notifier/channel-sender.ts';
import { createChannelSender, type Transports } from '../../src/notifier/channel-sender.ts';
import { createTestSender } from '../../src/notifier/test-sender.ts';
import { unsubscribe } from '../../src/services/alert/channel-links.ts';
import { draftChannel } from '../../src/services/alert/channels.ts';
import type { SendTest } from '../../src/services/alert/test-message.ts';
import { type Actor, systemActor } from '../../src/services/core/actor.ts';
import { ATTEMPT_RULES } from '../../src/services/people/attempts.ts';
import { type ChannelOverrides, SITE, START, sharedTestApp } from '../app.ts';
import { forEachEngine, openTestDriver } from '../engines.ts';
import { assertCors, assertError } from './answers.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const NAMED_SITE = { ...SITE, name: 'Tocsin' };

/** Takes every message that is wanted, and answers as it is told. */
class FakeSender implements ChannelSender {
  readonly sent: { channel: Channel; event: AlertEvent }[] = [];
  readonly wanted = new Set(['up', 'down']);
  answer: () => Outcome | Promise<Outcome> = () => ({ kind: 'delivered' });

  wants(_channel: Channel, event: string): boolean {
    return this.wanted.has(event === 'up' ? 'up' : 'down');
  }

  needsBody(): boolean {
    return true;
  }

  needsStory(): boolean {
    return false;
  }

  needsDocument(): boolean {
    return false;
  }

  buttons() {
    return { choice: 'none', needsTaps: false } as const;
  }

  destination(): string {
    return 'somewhere';
  }

  limit(): null {
    return null;
  }

  async send(channel: Channel, event: AlertEvent): Promise<Outcome> {
    this.sent.push({ channel, event });
    return this.answer();
  }
}

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A provider on the loopback that answers with this status. */
async function startProvider(
  status: number,
): Promise<AsyncDisposable & { url: string; received: Received[] }> {
  const received: Received[] = [];
  const server: Server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: await text(request) });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

forEachEngine((engine) => {
  let sendTest: SendTest = async () => ({ kind: 'delivered' });
  const app = sharedTestApp(engine, {}, { sendTest: (channel, project) => sendTest(channel, project) });

  async function fixture(
    overrides: ChannelOverrides = {},
    timeoutMs?: number,
    owner: { ownerId?: number } = {},
  ) {
    const given = await app().givenProject(owner);
    const channel = await app().givenChannel(given.project, overrides);
    const sender = new FakeSender();
    sendTest = createTestSender(app().deps, sender, NAMED_SITE, timeoutMs === undefined ? {} : { timeoutMs });
    const send = (version = 3, body?: unknown) =>
      app().request('POST', `/api/v${version}/channels/${channel.uuid}/test`, {
        key: given.key,
        ...(body !== undefined && { body }),
      });
    return { ...given, channel, sender, send };
  }

  const throughReal = (transports: Partial<Transports>) => {
    sendTest = createTestSender(
      app().deps,
      createChannelSender({
        http: async () => ({ error: 'Connection failed' }),
        mail: null,
        server: SERVER,
        vault: app().deps.vault,
        unsubscribeUrl: ({ uuid }) => `${SITE.root}/integrations/${uuid}/unsub/token/`,
        ...transports,
      }),
      NAMED_SITE,
    );
  };

  /** The last try in the row of the channel. */
  async function lastTry({ id }: Channel): Promise<Record<string, unknown>> {
    await using driver = await openTestDriver(app().database);
    const [row] = await driver.all<Record<string, unknown>>(
      `select last_notify_at as at, last_notify_micros as micros, last_error as error, disabled
         from channels where id = $1`,
      [id],
    );
    return { ...row, disabled: Boolean(row?.disabled) };
  }

  test('the message is about a check named TEST that has been silent for too long', async () => {
    const { sender, channel, project, send } = await fixture();

    const reply = await send();

    assert.deepEqual(
      [reply.status, reply.headers['content-type'], reply.text],
      [200, 'application/json', '{"ok":true}'],
    );
    assert.equal(sender.sent.length, 1);
    const { event } = sender.sent[0] ?? assert.fail();
    const { check, deliveryId, ...rest } = event;
    assert.equal(sender.sent[0]?.channel.uuid, channel.uuid);
    assert.match(deliveryId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      isTest: true,
      askedFor: 1,
      now: START,
      at: START,
      to: 'down',
      reason: 'timeout',
      downFor: null,
      projectName: project.name,
      ping: null,
      body: null,
      story: null,
      others: null,
      answers: null,
      statusUrl: null,
      buttons: [],
      site: { name: 'Tocsin', root: SITE.root },
    });
    assert.deepEqual([check.name, check.cadence], ['TEST', { kind: 'simple', timeoutSeconds: 86_400 }]);
    const shown = JSON.parse(check.json);
    assert.deepEqual(
      [shown.name, shown.status, shown.n_pings, shown.last_ping, shown.timeout],
      ['TEST', 'down', 42, '2024-02-29T12:00:00+00:00', 86_400],
    );
  });

  test('the check does not come to exist, nor does a delivery', async () => {
    const { key, send } = await fixture();

    await send();

    assert.equal((await app().request('GET', '/api/v3/checks/', { key })).text, '{"checks":[]}');
    assert.equal(await app().deps.store.deliveries.nextAttemptAt(), null);
  });

  test('a channel that does not want to know of checks going down is told of one coming up, without a reason or a downtime', async () => {
    const { sender, send } = await fixture();
    sender.wanted.delete('down');

    const reply = await send();

    assert.equal(reply.text, '{"ok":true}');
    const { event } = sender.sent[0] ?? assert.fail();
    const { to, reason, downFor, check } = event;
    assert.deepEqual([to, reason, downFor, JSON.parse(check.json).status], ['up', '', null, 'up']);
  });

  test('a channel that is off in both directions is sent nothing, and keeps what it says of its last try', async () => {
    const { sender, channel, send } = await fixture();
    sender.answer = () => tryAgain('Received status code 500');
    await send();
    sender.wanted.clear();

    const reply = await send();

    assert.deepEqual([reply.status, reply.text], [200, '{"ok":false,"error":"no-op"}']);
    assert.equal(sender.sent.length, 1);
    assert.equal((await lastTry(channel)).error, 'Received status code 500');
  });

  test('what the provider said is the answer, and nothing is tried again', async () => {
    const { sender, send } = await fixture();
    sender.answer = () => tryAgain('Received status code 500');

    const reply = await send();

    assert.deepEqual([reply.status, reply.text], [200, '{"ok":false,"error":"Received status code 500"}']);
    assert.equal(sender.sent.length, 1);
  });

  test('the channel remembers the try; a success clears the error', async () => {
    const { sender, channel, send } = await fixture();
    sender.answer = () => {
      app().clock.set(START + seconds(1.5));
      return tryAgain('Connection failed');
    };
    await send();
    const afterFailure = await lastTry(channel);
    sender.answer = () => ({ kind: 'delivered' });
    await send();

    const expected = { at: START, micros: 1_500_000, error: 'Connection failed', disabled: false };
    assert.deepEqual(afterFailure, expected);
    assert.deepEqual(await lastTry(channel), {
      at: START + seconds(1.5),
      micros: 0,
      error: '',
      disabled: false,
    });
  });

  test('a channel that is switched off is tested, and stays off; the answer says so', async () => {
    const { sender, channel, send } = await fixture({ isOff: true });

    assert.equal((await send()).text, '{"ok":true,"disabled":true,"disabled_reason":"switched_off"}');
    assert.equal(sender.sent.length, 1);
    assert.equal((await lastTry(channel)).disabled, true);
  });

  test('a failure for good switches the channel off', async () => {
    const { sender, channel, send } = await fixture();
    sender.answer = () => ({ kind: 'permanent', error: 'gone' });

    assert.equal(
      (await send()).text,
      '{"ok":false,"error":"gone","disabled":true,"disabled_reason":"failed"}',
    );
    assert.equal((await lastTry(channel)).disabled, true);
  });

  test('an address that is not confirmed gets nothing', async () => {
    const { sender, channel, send } = await fixture({ verified: false });

    assert.equal((await send()).text, '{"ok":false,"error":"Email not verified"}');
    assert.equal(sender.sent.length, 0);
    assert.equal((await lastTry(channel)).error, 'Email not verified');
  });

  test('who has unsubscribed gets no test, with the saved settings or as a draft of the same address', async () => {
    const { sender, channel, send } = await fixture();
    await unsubscribe(app().deps, channel);

    assert.match((await send()).text, /^{"ok":false,"error":"Email not verified"/);
    assert.equal(sender.sent.length, 0);

    const draft = { uuid: channel.uuid, settings: {} };
    const actor = systemActor(channel.projectId);
    const member: Actor = { ...actor, caller: { kind: 'api_key', keyId: 1, access: 'read_write' } };
    const offer = { server: SERVER, hasMail: true };
    const { verified } = await draftChannel(app().deps, member, draft, offer);
    assert.equal(verified, false);
  });

  test('the projects of an account send so many test messages an hour together', async () => {
    const { project, send: sendHere } = await fixture();
    const { sender, send: sendThere } = await fixture({}, undefined, { ownerId: project.ownerId });
    const { maxAttempts } = ATTEMPT_RULES.testMessagesPerOwner;
    for (let n = 0; n < maxAttempts; n++)
      assert.equal((await (n % 2 === 0 ? sendHere : sendThere)()).status, 200);

    for (const send of [sendHere, sendThere]) {
      const reply = await send();
      assert.deepEqual([reply.status, reply.headers['retry-after']], [429, '60']);
    }
    assert.equal(sender.sent.length, maxAttempts);
  });

  test('test messages of an account leave those of another as they are', async () => {
    const { project, send: sendMany } = await fixture();
    const subject = String(project.ownerId);
    for (let n = 0; n < ATTEMPT_RULES.testMessagesPerOwner.maxAttempts; n++)
      await app().node.accounts.attempts.take([{ rule: 'testMessagesPerOwner', subject }]);
    assert.equal((await sendMany()).status, 429);

    const { send } = await fixture();

    assert.equal((await send()).status, 200);
  });

  test('a provider that keeps silent does not keep the answer', async () => {
    const { sender, channel, send } = await fixture({}, 20);
    sender.answer = () => Promise.withResolvers<Outcome>().promise;

    assert.equal((await send()).text, '{"ok":false,"error":"Connection timed out"}');
    assert.equal((await lastTry(channel)).error, 'Connection timed out');
  });

  test('a webhook receives the request that its owner wrote', async () => {
    await using provider = await startProvider(204);
    await using client = new HttpClient({
      userAgent: 'Tocsin',
      allowPrivateAddresses: true,
      proxies: { http: null, https: null },
    });
    const call = {
      method: 'POST',
      url: `${provider.url}/$STATUS?name=$NAME`,
      headers: { 'X-Reason': '$REASON' },
      body: '$JSON',
    };
    const { channel, send } = await fixture({ kind: 'webhook', settings: { down: call } });
    throughReal({ http: (request) => client.send(request) });

    const reply = await send();

    assert.equal(reply.text, '{"ok":true}');
    assert.equal(provider.received.length, 1);
    const { method, url, headers, body } = provider.received[0] ?? assert.fail();
    assert.deepEqual([method, url, headers['x-reason']], ['POST', '/down?name=TEST', 'timeout']);
    const { name, channels } = JSON.parse(body);
    assert.deepEqual([name, channels], ['TEST', channel.uuid]);
  });

  test('a webhook that only tells of checks coming up, at a provider that refuses', async () => {
    await using provider = await startProvider(418);
    await using client = new HttpClient({
      userAgent: 'Tocsin',
      allowPrivateAddresses: true,
      proxies: { http: null, https: null },
    });
    const { send } = await fixture({
      kind: 'webhook',
      settings: { up: { method: 'GET', url: `${provider.url}/$STATUS/$REASON` } },
    });
    throughReal({ http: (request) => client.send(request) });

    const reply = await send();

    assert.equal(reply.text, '{"ok":false,"error":"Received status code 418"}');
    assert.deepEqual(
      provider.received.map(({ url }) => url),
      ['/up/'],
    );
  });

  test('a mail says that it is a test, and where to unsubscribe', async () => {
    const mails: Mail[] = [];
    const { channel, send } = await fixture();
    throughReal({
      mail: {
        send: async (mail) => {
          mails.push(mail);
          return null;
        },
        [Symbol.asyncDispose]: async () => undefined,
      },
    });

    assert.equal((await send()).text, '{"ok":true}');
    const [mail] = mails;
    assert.deepEqual([mail?.to, mail?.subject], ['alice@example.org', 'Down: TEST']);
    assert.match(mail?.text ?? '', /This is a test message/);
    assert.ok(mail?.text.includes(`/integrations/${channel.uuid}/unsub/`));
  });

  test('where no mail can be sent, the answer says so', async () => {
    const { send } = await fixture();
    throughReal({});

    assert.equal((await send()).text, '{"ok":false,"error":"Sending mail is not configured"}');
  });

  test('a channel of a kind that is not known fails, and the reason is told', async () => {
    const { send } = await fixture({ kind: 'pigeon', settings: {} });
    throughReal({});

    assert.deepEqual((await send()).json, {
      ok: false,
      error: 'Channels of the kind "pigeon" are not supported',
    });
  });

  test('all versions have it, with any body that is an object, null or nothing', async () => {
    const { sender, send } = await fixture();

    const replies = [await send(1), await send(2, {}), await send(3, 'null'), await send(3, { a: 1 })];

    assert.deepEqual(
      replies.map(({ status, text }) => [status, text]),
      replies.map(() => [200, '{"ok":true}']),
    );
    assert.equal(sender.sent.length, 4);
  });

  test('the key may be in the body', async () => {
    const { channel, key } = await fixture();
    const path = `/api/v3/channels/${channel.uuid}/test`;

    assert.equal((await app().request('POST', path, { body: { api_key: key } })).text, '{"ok":true}');
  });

  test('a body that is no object is refused, and nothing is sent', async () => {
    const { sender, send } = await fixture();

    assertError(await send(3, '{'), 400, 'could not parse request body');
    assertError(await send(3, '[]'), 400, 'json validation error: value is not an object');
    assert.equal(sender.sent.length, 0);
  });

  test('a read-only key, a wrong one and none at all send nothing', async () => {
    const { sender, channel, readOnlyKey } = await fixture();
    const path = `/api/v3/channels/${channel.uuid}/test`;

    assertError(await app().request('POST', path, { key: readOnlyKey }), 401, 'wrong api key');
    assertError(await app().request('POST', path, { key: 'x'.repeat(32) }), 401, 'wrong api key');
    assertError(await app().request('POST', path), 401, 'missing api key');
    assert.equal(sender.sent.length, 0);
  });

  test('another project is told that the channel is not its own, and nothing is sent', async () => {
    const { sender, channel } = await fixture();
    const { key } = await app().givenProject();

    const reply = await app().request('POST', `/api/v3/channels/${channel.uuid}/test`, { key });

    assertError(reply, 403, 'access denied');
    assert.equal(sender.sent.length, 0);
  });

  test('a channel that does not exist is not found, and neither is any other path', async () => {
    const { channel, key } = await fixture();
    const post = (path: string) => app().request('POST', `/api/v3/channels/${path}`, { key });

    assertError(await post(`${NOWHERE}/test`), 404, 'channel not found');
    assertError(await post('alice/test'), 404, 'not found');
    assertError(await post(`${channel.uuid.toUpperCase()}/test`), 404, 'not found');
    assertError(await post(`${channel.uuid}/test/`), 404, 'not found');
  });

  test('only a POST sends', async () => {
    const { sender, channel, key } = await fixture();
    const path = `/api/v3/channels/${channel.uuid}/test`;

    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      assert.equal((await app().request(method, path, { key })).status, 405, method);
    }
    assertCors(await app().request('OPTIONS', path), ['POST', 'OPTIONS']);
    assert.equal(sender.sent.length, 0);
  });
});
