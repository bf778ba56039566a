import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel } from '../../src/domain/alert/channel.ts';
import { aReply, SERVER } from '../../src/integrations/kind/alert-event.test-support.ts';
import type { OutboundRequest } from '../../src/integrations/kind/kind.ts';
import { MASK } from '../../src/integrations/kind/setting.ts';
import {
  CHANNEL_KINDS,
  createPreparer,
  describeKind,
  messageLimits,
} from '../../src/integrations/registry.ts';
import type { HttpResult } from '../../src/lib/http-client.ts';
import { seconds, toIsoSeconds } from '../../src/lib/instant.ts';
import { createChannelSender } from '../../src/notifier/channel-sender.ts';
import { createTestSender } from '../../src/notifier/test-sender.ts';
import { WITHHELD_ANSWER } from '../../src/services/alert/provider-answers.ts';
import type { SendTest } from '../../src/services/alert/test-message.ts';
import { takeQuota } from '../../src/services/alert/undelivered.ts';
import { noteMail } from '../../src/services/people/address-proof.ts';
import { ATTEMPT_RULES } from '../../src/services/people/attempts.ts';
import { dueMails } from '../account-mails.ts';
import { drain, failure, fixture, newNotifier, OK } from '../alerts.ts';
import { givenToken } from '../api/tokens.ts';
import { SITE, sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { unique } from '../records.ts';
import { askEvents } from './ask-events.ts';
import { type Browser, newBrowser } from './browser.ts';
import { givenMember, givenTeam, signedIn } from './team.ts';

const HOOK = {
  kind: 'webhook',
  name: 'Jobs',
  settings: {
    down: {
      method: 'POST',
      url: 'https://hooks.example.org/secret-path?status=$STATUS',
      headers: { Authorization: 'Bearer very-secret', 'X-Job': '$NAME' },
      body: '{"job": $NAME_JSON}',
    },
  },
};

const OFFER = { server: { ...SERVER, PUSHOVER_API_TOKEN: null }, hasMail: true };

forOneEngine((engine) => {
  let sendTest: SendTest = async () => OK;
  let matrixServer: (request: OutboundRequest) => HttpResult = () => aReply(403);
  const app = sharedTestApp(
    engine,
    {},
    {
      sendTest: (...given) => sendTest(...given),
      offer: OFFER,
      prepareSettings: createPreparer(async (request) => matrixServer(request), SERVER),
    },
    { hasMail: true },
  );
  const team = async () => {
    const owner = await givenTeam(app());
    return { ...owner, acts: `${owner.path}/do`, views: `${owner.path}/read` };
  };

  test('a room of Matrix is joined when it is saved, and a refusal says whom to invite', async () => {
    const { browser, acts, views } = await team();
    const matrix = (room: string) => ({ kind: 'matrix', settings: { room } });
    matrixServer = () => aReply(403);

    const refused = await browser.post(`${acts}/createChannel`, matrix('#ops:example.org'));
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.json, {
      ...refused.json,
      error: `room does not let this service in: invite ${SERVER.MATRIX_USER_ID} to it`,
      field: 'settings.room',
    });

    const joined: string[] = [];
    matrixServer = ({ url }) => {
      joined.push(url);
      return aReply(200, { room_id: `!${joined.length}:example.org` });
    };
    const made = await browser.post(`${acts}/createChannel`, matrix('#ops:example.org'));
    assert.equal(made.status, 200, made.text);
    const channel = made.json.id;
    const saved = async () => (await browser.post(`${views}/channelDetails`, { channel })).json;
    const { name, settings } = await saved();
    assert.deepEqual([name, settings], ['#ops:example.org', { room: '!1:example.org' }]);
    await browser.post(`${acts}/editChannel`, { channel, settings: { room: '#dev:example.org' } });
    assert.deepEqual((await saved()).settings, { room: '!2:example.org' });
    const settingsThatStay = { settings: { room: '!2:example.org' }, events: ['up'] };
    await browser.post(`${acts}/editChannel`, { channel, ...settingsThatStay });
    assert.deepEqual(
      joined.map((url) => url.split('/').at(-1)),
      ['%23ops%3Aexample.org', '%23dev%3Aexample.org'],
      'nothing is joined for settings that stay',
    );
  });

  test('commands are written by people who are signed in, never by a key or a token', async () => {
    const { browser, account, project, acts, views } = await team();
    const { secret } = await givenToken(app(), account.id);
    const key = (
      await browser.post(`/projects/${project.uuid}/do/createKey`, { kind: 'read_write', name: 'CI' })
    ).json.secret;
    const headers = { 'x-project': project.uuid };
    const shell = { kind: 'shell', settings: { cmd_down: 'true' } };
    const made = await browser.post(`${acts}/createChannel`, shell);
    assert.equal(made.status, 200, made.text);
    const path = `/api/v3/channels/${made.json.id}`;

    for (const by of [{ key }, { key: secret, headers }]) {
      const call = (at: string, body: object) => app().request('POST', at, { ...by, body });
      for (const reply of [
        await call('/api/v3/channels/', shell),
        await call(path, { settings: { cmd_down: 'id' } }),
        await call(path, { settings: {} }),
      ]) {
        assert.equal(reply.status, 403, reply.text);
        assert.match(reply.text, /only people who are signed in write commands/);
      }
      assert.equal((await call(path, { name: 'Renamed' })).status, 200);
    }
    assert.equal(
      (await browser.post(`${acts}/editChannel`, { channel: made.json.id, settings: { cmd_down: 'id' } }))
        .status,
      200,
    );
    assert.equal((await browser.get(`${views}/channelOverview`)).json.channels.length, 1);
  });

  test('the kinds come with all that a form needs, and with the setting that is missing', async () => {
    const { browser, views } = await team();

    const { json } = await browser.get(`${views}/channelKinds`);

    const kinds = new Map(json.kinds.map((one: { kind: string }) => [one.kind, one]));
    assert.deepEqual([...kinds.keys()].toSorted(), CHANNEL_KINDS.toSorted());
    assert.equal(Buffer.from(json.pushKey, 'base64url').length, 65);
    const sms = kinds.get('sms') as Record<string, unknown>;
    assert.deepEqual(sms.suggestedEvents, ['down_timeout', 'down_fail']);
    assert.deepEqual(sms.quota, { used: 0, limit: SERVER.SMS_NEW_ACCOUNT_LIMIT });
    assert.deepEqual([sms.confirmedBy, sms.mustConnect], ['code', false]);
    const pushover = kinds.get('po') as Record<string, unknown>;
    assert.equal(pushover.missing, 'PUSHOVER_API_TOKEN');
    assert.deepEqual((pushover.fields as unknown[])[0], {
      name: 'user_key',
      label: 'User key',
      help: 'The key of the user or group that your Pushover page shows.',
      control: 'text',
      isSecret: true,
      isAdvanced: false,
      isRequired: true,
      default: null,
      choices: [],
      maxLength: 50,
    });
  });

  test('a kind that the instance does not offer is refused with the name of the setting', async () => {
    const { browser, acts } = await team();

    const reply = await browser.post(`${acts}/createChannel`, {
      kind: 'po',
      name: '',
      settings: { user_key: 'abc' },
    });

    assert.equal(reply.status, 409);
    assert.match(reply.json.error, /PUSHOVER_API_TOKEN/);
  });

  test('a channel is made, assigned to all checks, and listed with its health', async () => {
    const { browser, project, acts, views } = await team();
    await app().givenCheck(project);
    await app().givenCheck(project);

    const made = await browser.post(`${acts}/createChannel`, {
      ...HOOK,
      checks: '*',
      events: ['down_fail', 'up'],
    });

    assert.equal(made.status, 200, made.text);
    const { json } = await browser.get(`${views}/channelOverview`);
    assert.equal(json.checks, 2);
    assert.deepEqual(json.channels, [
      {
        id: made.json.id,
        name: 'Jobs',
        kind: 'webhook',
        health: 'waiting',
        failingSince: null,
        off: null,
        label: 'Webhook',
        target: 'POST hooks.example.org',
        events: ['down_fail'],
        buttons: 'answer',
        checks: 2,
        quota: null,
        isLeftBehind: false,
        strip: [],
        last: null,
        waiting: 0,
        lastError: '',
      },
    ]);
  });

  test('an integration that costs the operator money is listed with what is left of the month', async () => {
    const { browser, project, acts, views } = await team();
    await browser.post(`${acts}/createChannel`, { kind: 'sms', settings: { phone: '+15551234567' } });
    await browser.post(`${acts}/createChannel`, { kind: 'call', settings: { phone: '+15551234567' } });
    const lost = { recipient: '', text: '' };
    await takeQuota(app().deps, project.id, 'sms', messageLimits(SERVER), lost);

    const { json } = await browser.get(`${views}/channelOverview`);

    const { SMS_NEW_ACCOUNT_LIMIT: texts, CALL_NEW_ACCOUNT_LIMIT: calls } = SERVER;
    assert.deepEqual(
      json.channels.map(({ kind, quota }: { kind: string; quota: object }) => [kind, quota]),
      [
        // Each got a code, which counts.
        ['sms', { used: 2, limit: texts }],
        ['call', { used: 1, limit: calls }],
      ],
    );
  });

  test('secrets are masked, and stay when their masks are sent back', async () => {
    const { browser, acts, views } = await team();
    const { json: made } = await browser.post(`${acts}/createChannel`, HOOK);

    const { json } = await browser.post(`${views}/channelDetails`, { channel: made.id });

    assert.deepEqual(json.settings.down, {
      method: 'POST',
      url: `https://hooks.example.org/${MASK}?status=$STATUS`,
      headers: { Authorization: MASK, 'X-Job': '$NAME' },
      body: '{"job": $NAME_JSON}',
    });
    const down = { ...json.settings.down, body: 'changed' };
    assert.equal(
      (await browser.post(`${acts}/editChannel`, { channel: made.id, settings: { down } })).status,
      200,
    );
    const stored = await app().deps.store.channels.byUuid(made.id);
    const values = JSON.parse(app().deps.vault.unseal(stored?.settings.sealed ?? '') ?? '');
    assert.deepEqual(values.down, { ...HOOK.settings.down, body: 'changed' });
  });

  test('a masked secret is not sent to another host, nor taken for a value', async () => {
    const { browser, acts } = await team();
    const { json: made } = await browser.post(`${acts}/createChannel`, HOOK);
    const down = { url: 'https://evil.example/', headers: { Authorization: MASK } };

    const edited = await browser.post(`${acts}/editChannel`, { channel: made.id, settings: { down } });
    const created = await browser.post(`${acts}/createChannel`, {
      kind: 'slack',
      settings: { url: `https://a.b/${MASK}` },
    });

    for (const [{ status, json }, field, error] of [
      [edited, 'settings.down.headers', /give it again/],
      [created, 'settings.url', /masked/],
    ] as const) {
      assert.equal(status, 400);
      assert.equal(json.field, field);
      assert.match(json.error, error);
    }
  });

  test('what is wrong is named with its field', async () => {
    const { browser, acts } = await team();
    const wrong: [body: object, field: string][] = [
      [{ kind: 'pigeon', settings: {} }, 'kind'],
      [{ kind: 'email', settings: { email: 'nobody' } }, 'settings.email'],
      [{ kind: 'email', settings: { email: 'a@b.cd' }, events: [] }, 'events'],
      [{ kind: 'email', settings: { email: 'a@b.cd', colour: 'red' } }, 'settings.colour'],
      [{ kind: 'webhook', settings: { down: { url: 'ftp://x' } } }, 'settings.down.url'],
      [{ kind: 'group', settings: { channels: [unique()] } }, 'settings.channels'],
      [{ ...HOOK, name: 'x'.repeat(101) }, 'name'],
      [{ ...HOOK, checks: ['no uuid'] }, 'checks'],
    ];
    for (const [body, field] of wrong) {
      const reply = await browser.post(`${acts}/createChannel`, body);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.json.field, field);
    }
  });

  test('an address of others is unconfirmed until its owner follows the link, without signing in', async () => {
    const { browser, acts, views } = await team();
    const email = `${unique()}@example.org`;
    await dueMails(app());

    const { json: made } = await browser.post(`${acts}/createChannel`, {
      kind: 'email',
      settings: { email },
    });
    assert.equal(made.health, 'unconfirmed');

    const [mail, ...others] = await dueMails(app());
    assert.deepEqual([mail?.to, others], [email, []]);
    const [, token] = /\/integrations\/[0-9a-f-]+\/verify\/([-\w]+)\//.exec(mail?.text ?? '') ?? [];
    const stranger = newBrowser(app());
    const confirm = (word?: string) =>
      stranger.post('/do/confirmRecipient', { channel: made.id, token: word });
    assert.equal((await confirm('wrong')).json.code, 'invalid_link');
    assert.equal((await confirm(token)).status, 204);
    assert.equal(
      (await browser.post(`${views}/channelDetails`, { channel: made.id })).json.health,
      'waiting',
    );
    assert.deepEqual(await dueMails(app()), []);
  });

  test('no alert is sent to an address before it is confirmed', async () => {
    const f = await fixture(app());
    await f.app.deps.store.transaction((tx) => tx.channels.update({ ...f.channel, verified: false }));

    await f.app.receive(f.check, 'fail');
    await drain(f);

    assert.deepEqual(f.sender.sent, []);
  });

  test('one’s own address is ready at once, and no mail asks whether it is', async () => {
    const { browser, account, acts } = await team();
    await dueMails(app());

    const own = { kind: 'email', settings: { email: account.email } };
    const { json } = await browser.post(`${acts}/createChannel`, own);

    assert.equal(json.health, 'waiting');
    assert.deepEqual(await dueMails(app()), []);
    // Not if somebody may have taken the address while no mail could prove whose it is.
    await noteMail(app().deps, false);
    try {
      assert.equal((await browser.post(`${acts}/createChannel`, own)).json.health, 'unconfirmed');
      assert.deepEqual(
        (await dueMails(app())).map(({ to }) => to),
        [account.email],
      );
    } finally {
      await app().deps.store.transaction((tx) => tx.instance.delete('without_mail'));
    }
  });

  test('another mail with the link can be asked for, a few times a day', async () => {
    const { browser, acts } = await team();
    const email = `${unique()}@example.org`;
    const { json: made } = await browser.post(`${acts}/createChannel`, {
      kind: 'email',
      settings: { email },
    });
    const again = () => browser.post(`${acts}/askRecipient`, { channel: made.id });

    for (let n = 2; n <= 5; n++) assert.equal((await again()).status, 204);

    assert.equal((await again()).status, 429);
  });

  test('a test tells what was sent and what the provider answered, without its secrets', async () => {
    const { browser, acts } = await team();
    const { json: made } = await browser.post(`${acts}/createChannel`, HOOK);
    const requests: { url: string }[] = [];
    const sender = createChannelSender({
      http: async (request) => {
        requests.push(request);
        return { status: 403, headers: {}, body: Buffer.from('bad token very-secret at secret-path') };
      },
      mail: null,
      server: SERVER,
      vault: app().deps.vault,
      unsubscribeUrl: () => '',
    });
    sendTest = createTestSender(app().deps, sender, { ...SITE, name: 'Tocsin' });

    const saved = await browser.post(`${acts}/testChannel`, { channel: made.id });
    const draft = await browser.post(`${acts}/testChannelDraft`, { channel: made.id, settings: {} });

    for (const { json } of [saved, draft]) {
      assert.equal(json.ok, false);
      assert.equal(json.error, 'Received status code 403');
      assert.equal(json.request, 'POST https://hooks.example.org');
      assert.equal(json.answer, `403 Forbidden: bad token ${MASK} at ${MASK}`);
    }
    assert.equal(requests[1]?.url, 'https://hooks.example.org/secret-path?status=down');
    sendTest = async () => OK;
  });

  test('a preview shows the requests with the data of a check of the project, and sends nothing', async () => {
    const { browser, project, views } = await team();
    await app().givenCheck(project, { name: 'nightly "backup"' });

    const { json, status } = await browser.post(`${views}/channelPreview`, {
      ...{ kind: HOOK.kind, settings: HOOK.settings, event: 'down_fail' },
    });

    assert.equal(status, 200);
    const [request] = json.requests;
    assert.equal(request.url, `https://hooks.example.org/${MASK}?status=down`);
    assert.equal(request.headers.Authorization, MASK);
    assert.equal(request.headers['X-Job'], 'nightly "backup"');
    assert.equal(request.body, '{"job": "nightly \\"backup\\""}');
    assert.equal(json.about, 'nightly "backup"');
    assert.doesNotMatch(JSON.stringify(json), /very-secret|secret-path/);
  });

  test('a preview is about the check that fell last, else about the one that was pinged last', async () => {
    const { browser, project, views } = await team();
    const { project: foreign } = await team();
    const now = app().clock.now();
    await app().givenCheck(foreign, { name: 'of others', status: 'down', lastFlipAt: now });
    const down = { method: 'POST', url: 'https://hooks.example.org', body: '$NAME ($TAGS) at $NOW' };
    const previewed = async () => {
      const { json } = await browser.post(`${views}/channelPreview`, { kind: 'webhook', settings: { down } });
      return [json.about, json.requests[0].body];
    };

    assert.deepEqual(await previewed(), [null, `TEST () at ${toIsoSeconds(now)}`]);

    const pinged = { name: 'pinged', tags: 'prod db', status: 'up', lastReceivedAt: now - 1 } as const;
    await app().givenCheck(project, pinged);
    await app().givenCheck(project, { name: 'created later' });
    assert.deepEqual(await previewed(), ['pinged', `pinged (prod db) at ${toIsoSeconds(now)}`]);

    const fellAt = now - seconds(7_200);
    await app().givenCheck(project, { name: 'fell first', status: 'down', lastFlipAt: fellAt - 1 });
    await app().givenCheck(project, { name: 'fell last', status: 'down', lastFlipAt: fellAt });
    assert.deepEqual(await previewed(), ['fell last', `fell last () at ${toIsoSeconds(fellAt)}`]);
  });

  test('a preview of every kind contains no secret', async () => {
    const { browser, project, views } = await team();
    const other = await app().givenChannel(project);
    const chat = await app().givenChannel(project, { kind: 'telegram', settings: { id: 1 } });
    const drafts: [draft: object, secret: string][] = [
      [{ kind: 'email', settings: { email: 'a@example.org' } }, 'nothing secret'],
      [{ kind: 'slack', settings: { url: 'https://hooks.slack.example/very/secret' } }, 'very/secret'],
      [{ channel: chat.uuid, settings: { title: 'Look' } }, SERVER.TELEGRAM_TOKEN ?? ''],
      [{ kind: 'group', settings: { channels: [other.uuid] } }, 'nothing secret'],
    ];
    for (const [draft, secret] of drafts) {
      const { json, status, text } = await browser.post(`${views}/channelPreview`, draft);
      assert.equal(status, 200, text);
      assert.ok(!text.includes(secret), text);
      assert.equal(json.requests.length + json.mails.length + json.channels.length, 1, text);
    }
  });

  test('neither a form nor a test can name what only the provider can', async () => {
    const { browser, project, path, views } = await team();
    const chat = await app().givenChannel(project, { kind: 'telegram', settings: { id: 1 } });
    const asked: [path: string, body: object, field: string][] = [
      ['do/createChannel', { kind: 'telegram', settings: { id: 2 } }, 'settings.id'],
      ['do/testChannelDraft', { kind: 'telegram', settings: { id: 2 } }, 'settings.id'],
      ['do/testChannelDraft', { channel: chat.uuid, settings: { id: 2 } }, 'settings.id'],
      ['read/channelPreview', { channel: chat.uuid, settings: { thread_id: 2 } }, 'settings.thread_id'],
      ['do/editChannel', { channel: chat.uuid, settings: { id: 2 } }, 'settings.id'],
      [
        'do/createChannel',
        { kind: 'github', settings: { installation_id: 1, repo: 'a/b' } },
        'settings.installation_id',
      ],
    ];

    for (const [operation, body, field] of asked) {
      const reply = await browser.post(`${path}/${operation}`, body);
      assert.deepEqual([reply.status, reply.json.field], [400, field], reply.text);
    }

    const { json } = await browser.get(`${views}/channelKinds`);
    const SHARED = ['hours', 'outside_hours', 'together_above', 'together_seconds', 'report'];
    const connected = json.kinds.filter((one: { mustConnect: boolean }) => one.mustConnect);
    assert.deepEqual(
      connected.map(({ kind, fields }: { kind: string; fields: { name: string }[] }) => [
        kind,
        fields.map(({ name }) => name),
      ]),
      [
        ['telegram', ['title', 'text', ...SHARED]],
        ['github', ['labels', 'on_recovery', 'title', 'text', ...SHARED]],
      ],
    );
  });

  test('who cannot be asked at GitHub which repositories are theirs can add none', () => {
    const without = { ...OFFER, server: { ...OFFER.server, GITHUB_CLIENT_SECRET: null } };

    assert.equal(describeKind('github', OFFER).missing, null);
    assert.equal(describeKind('github', without).missing, 'GITHUB_CLIENT_SECRET');
  });

  test('a channel is told of the events that it wants, and of no others', async () => {
    const f = await fixture(app());
    const { browser } = await ownerOf(f.check.projectId);
    const project = await app().deps.store.projects.byId(f.check.projectId);
    const edit = { channel: f.channel.uuid, events: ['down_timeout'] };
    const edited = await browser.post(`/projects/${project?.uuid}/do/editChannel`, edit);
    assert.equal(edited.status, 200);
    const sent: string[] = [];
    const notifier = newNotifier(
      app(),
      createChannelSender({
        http: async () => assert.fail('it is a mail'),
        mail: {
          send: async ({ subject }: { subject: string }) => {
            sent.push(subject);
            return null;
          },
        } as never,
        server: SERVER,
        vault: app().deps.vault,
        unsubscribeUrl: () => '',
      }),
    );
    const told = { ...f, notifier };

    await f.app.receive(f.check, 'fail');
    await drain(told);
    await f.app.receive(f.check, 'success');
    await drain(told);

    assert.deepEqual(sent, []);
  });

  async function ownerOf(projectId: number) {
    const account = await app().deps.store.accounts.ownerOf(projectId);
    assert.ok(account);
    const { passwordHash } = (await givenTeam(app())).account;
    await app().deps.store.transaction((tx) => tx.accounts.save({ ...account, passwordHash }));
    return signedIn(app(), account);
  }

  test('deliveries come with their attempts and answers, and one that was given up is tried again', async () => {
    const f = await fixture(app());
    const { browser } = await ownerOf(f.check.projectId);
    const project = (await app().deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    const path = `/projects/${project.uuid}`;
    const channel = f.channel.uuid;
    const overview = () => browser.get(`${path}/read/channelOverview`);
    f.sender.answer = () => ({ kind: 'refused', error: 'Received status code 403' });
    await f.app.receive(f.check, 'fail');
    await drain(f);

    const before = await browser.post(`${path}/read/channelDeliveries`, { channel });
    const list = await overview();

    const [delivery] = before.json;
    assert.equal(delivery.state, 'given_up');
    assert.equal(delivery.reason, 'fail');
    assert.equal(delivery.attempts.length, 1);
    assert.deepEqual(list.json.channels[0].strip, ['given_up']);
    assert.equal(list.json.channels[0].health, 'failing');
    assert.deepEqual((await browser.get(`${path}/read/channelCounts`)).json, { total: 1, failing: 1 });

    f.sender.answer = () => OK;
    const retry = (at = path) => browser.post(`${at}/do/retryDelivery`, { channel, delivery: delivery.id });
    assert.equal((await retry()).status, 204);
    await drain(f);

    const after = await overview();
    assert.deepEqual(after.json.channels[0].strip, ['retried']);
    assert.equal(after.json.channels[0].health, 'delivering');
    assert.equal((await retry()).status, 404, 'what was delivered is not sent twice');

    const subject = String(project.ownerId);
    for (let n = 2; n < ATTEMPT_RULES.testMessagesPerOwner.maxAttempts; n++)
      await app().node.accounts.attempts.take([{ rule: 'testMessagesPerOwner', subject }]);
    const { project: second } = await app().givenProject({ ownerId: project.ownerId });
    for (const tried of [
      await retry(),
      await retry(`/projects/${second.uuid}`),
      await browser.post(`/checks/${f.check.uuid}/do/hurryMessage`, { delivery: delivery.id }),
    ])
      assert.equal(tried.status, 429);
  });

  test('those who only read see whether it worked, and no answer of a provider, which may quote an address', async () => {
    const f = await fixture(app());
    const owner = await ownerOf(f.check.projectId);
    const project = (await app().deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    const reader = await givenMember(app(), project, 'read_only');
    const { secret } = await givenToken(app(), reader.account.id);
    f.sender.answer = () => ({ kind: 'permanent', error: '550 ops@hidden.example is unknown' });
    await f.app.receive(f.check, 'fail');
    await drain(f);
    const path = `/projects/${project.uuid}`;
    const channel = f.channel.uuid;
    const key = f.check.uniqueKey;
    const seenBy = async (browser: Browser) => {
      const asked = await Promise.all([
        browser.get(`${path}/read/channelOverview`),
        browser.post(`${path}/read/channelDetails`, { channel }),
        browser.post(`${path}/read/channelDeliveries`, { channel }),
        browser.get(`/checks/${key}/read/checkPage`),
        askEvents(browser, `/checks/${key}`),
        browser.get(`/checks/${key}/events/export?format=csv`),
        browser.post(`${path}/read/checkDetails`, { keys: [key] }),
      ]);
      return asked.map(({ status, text }) => `${status} ${text.includes('hidden.example')}`);
    };

    assert.deepEqual(new Set(await seenBy(owner.browser)), new Set(['200 true']));
    assert.deepEqual(new Set(await seenBy(reader.browser)), new Set(['200 false']));

    const headers = { 'x-project': project.uuid };
    const listed = await app().request('GET', '/api/v3/channels/', { key: secret, headers });
    assert.deepEqual([listed.status, listed.text.includes('hidden.example')], [200, false]);
    const [delivery] = (await reader.browser.post(`${path}/read/channelDeliveries`, { channel })).json;
    assert.deepEqual(
      [delivery.state, delivery.error, delivery.attempts.map(({ error }: { error: string }) => error)],
      ['given_up', WITHHELD_ANSWER, [WITHHELD_ANSWER]],
    );
  });

  test('the address of a check in the bin is not shown, and no message about it is sent again', async () => {
    const f = await fixture(app());
    const { browser } = await ownerOf(f.check.projectId);
    const project = (await app().deps.store.projects.byId(f.check.projectId)) ?? assert.fail();
    const path = `/projects/${project.uuid}`;
    const channel = f.channel.uuid;
    const latest = async () => (await browser.post(`${path}/read/channelDeliveries`, { channel })).json[0];
    f.sender.answer = () => ({ kind: 'refused', error: 'no' });
    await f.app.receive(f.check, 'fail');
    await drain(f);
    const before = await latest();
    const name = f.check.name || f.check.slug || f.check.uniqueKey.slice(0, 8);

    const removed = await browser.post(`/checks/${f.check.uuid}/do/deleteCheck`, { typedName: name });
    assert.equal(removed.status, 204, removed.text);
    const after = await latest();

    assert.equal(before.check.uuid, f.check.uuid);
    assert.deepEqual(after.check, { name: f.check.name });
    assert.equal(
      (await browser.post(`${path}/do/retryDelivery`, { channel, delivery: after.id })).status,
      404,
    );
  });

  test('a channel that has failed for a day while another one worked is said to', async () => {
    const f = await fixture(app());
    const { browser } = await ownerOf(f.check.projectId);
    const project = await app().deps.store.projects.byId(f.check.projectId);
    assert.ok(project);
    const other = await app().givenChannel(project);
    const note = (channel: Channel, error: string) =>
      app().deps.store.transaction((tx) =>
        tx.channels.noteAttempt(channel, { startedAt: app().clock.now(), duration: 1, error }),
      );
    await note(f.channel, 'Received status code 500');
    app().clock.advance({ hours: 1 });
    await note(other, '');
    const isLeftBehind = async () =>
      (await browser.get(`/projects/${project.uuid}/read/channelOverview`)).json.channels[0].isLeftBehind;

    assert.equal(await isLeftBehind(), false);
    app().clock.advance({ hours: 23 });
    await browser.signIn((await app().deps.store.accounts.ownerOf(project.id))?.email ?? '');
    assert.equal(await isLeftBehind(), true);
  });

  test('the checks of a channel are chosen as a whole, and foreign ones are refused', async () => {
    const { browser, project, acts, views } = await team();
    const [one, two] = [await app().givenCheck(project), await app().givenCheck(project)];
    const foreign = await app().givenCheck((await givenTeam(app())).project);
    const { json: made } = await browser.post(`${acts}/createChannel`, { ...HOOK, checks: '*' });
    const channel = made.id;
    const assign = async (checks: unknown) =>
      (await browser.post(`${acts}/assignChecks`, { channel, checks })).json;

    assert.deepEqual(await assign([two.uuid]), { added: 0, removed: 1 });
    assert.deepEqual(await assign(two.uuid), { added: 0, removed: 0 });
    assert.equal((await assign([one.uuid, foreign.uuid])).field, 'checks');
    const edited = await browser.post(`${acts}/editChannel`, {
      channel: made.id,
      settings: { up: { url: 'https://a.example/' } },
    });
    assert.equal(edited.status, 200, 'an edit assigns nothing');

    const { json } = await browser.post(`${views}/channelChecks`, { channel });
    assert.deepEqual(
      json.map(({ uuid, isAssigned }: Record<string, unknown>) => [uuid, isAssigned]),
      [
        [one.uuid, false],
        [two.uuid, true],
      ],
    );
  });

  test('a channel is renamed, switched off and on, and deleted, and the log knows it', async () => {
    const { browser, path, acts, views } = await team();
    const { json: made } = await browser.post(`${acts}/createChannel`, HOOK);
    const channel = made.id;
    const details = () => browser.post(`${views}/channelDetails`, { channel });
    const after = async (act: string, given = {}) => {
      const { status } = await browser.post(`${acts}/${act}`, { channel, ...given });
      assert.ok(status < 300, act);
      return (await details()).json;
    };

    assert.equal((await after('editChannel', { name: 'Renamed' })).name, 'Renamed');
    assert.equal((await after('switchChannelOff')).health, 'disabled');
    assert.equal((await after('switchChannelOn')).health, 'waiting');
    await after('deleteChannel');

    assert.equal((await details()).status, 404);
    const { json } = await browser.post(`${path}/read/auditLog`, { cursor: '' });
    const actions = json.acts.map(({ action }: { action: string }) => action);
    assert.deepEqual(actions.slice(0, 6), [
      'channel.deleted',
      'channel.switched_off',
      'channel.switched_on',
      'channel.switched_off',
      'channel.renamed',
      'channel.created',
    ]);
  });

  test('those who only read see masked targets and no settings, and cannot test', async () => {
    const { browser, project, path, acts, views } = await team();
    const { json: made } = await browser.post(`${acts}/createChannel`, HOOK);
    const reader = (await givenMember(app(), project, 'read_only')).browser;

    const listed = await reader.get(`${views}/channelOverview`);
    const single = await reader.post(`${views}/channelDetails`, { channel: made.id });

    assert.equal(listed.json.channels[0].target, MASK);
    assert.deepEqual(single.json.settings, {});
    for (const name of ['do/testChannel', 'read/channelPreview', 'do/testChannelDraft', 'do/createChannel'])
      assert.equal((await reader.post(`${path}/${name}`, {})).json.code, 'permission_denied', name);
  });

  test('strangers send no test, neither by the project of others nor by their own', async () => {
    const { browser, acts } = await team();
    const { json: made } = await browser.post(`${acts}/createChannel`, HOOK);
    const stranger = await team();
    const sent: unknown[] = [];
    sendTest = async (channel) => {
      sent.push(channel);
      return OK;
    };

    const byTheirs = await stranger.browser.post(`${acts}/testChannel`, { channel: made.id });
    const byOwn = await stranger.browser.post(`${stranger.acts}/testChannel`, { channel: made.id });
    const byNobody = await newBrowser(app()).post(`${acts}/testChannel`, { channel: made.id });
    const draft = await stranger.browser.post(`${acts}/testChannelDraft`, HOOK);

    assert.deepEqual(
      [byTheirs, draft, byOwn, byNobody].map(({ status, json }) => [status, json.code]),
      [
        [404, 'project_not_found'],
        [404, 'project_not_found'],
        [403, 'channel_of_other_project'],
        [401, 'not_signed_in'],
      ],
    );
    assert.deepEqual(sent, []);
    sendTest = async () => OK;
  });

  test('a group has no group among its members, and a failure of the provider is kept with its words', async () => {
    const { browser, acts } = await team();
    const { json: hook } = await browser.post(`${acts}/createChannel`, HOOK);
    const group = { kind: 'group', settings: { channels: [hook.id] } };
    const { json: made } = await browser.post(`${acts}/createChannel`, group);

    const nested = await browser.post(`${acts}/createChannel`, {
      kind: 'group',
      settings: { channels: [made.id] },
    });

    assert.equal(nested.json.field, 'settings.channels');
    const stranger = await team();
    const { json: foreign } = await stranger.browser.post(`${stranger.acts}/createChannel`, HOOK);
    const mixed = await browser.post(`${acts}/createChannel`, {
      kind: 'group',
      settings: { channels: [hook.id, foreign.id] },
    });
    assert.equal(mixed.json.field, 'settings.channels');
    sendTest = async () => failure('Connections to private addresses are not allowed');
    const { json } = await browser.post(`${acts}/testChannel`, { channel: hook.id });
    assert.equal(json.error, 'Connections to private addresses are not allowed');
    sendTest = async () => OK;
  });
});
