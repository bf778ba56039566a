import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { after, before, suite, test } from 'node:test';
import { Aedes } from 'aedes';
import { SMTPServer } from 'smtp-server';
import { tryAgain } from '../src/domain/alert/delivery.ts';
import { alertMail } from '../src/integrations/email/message.ts';
import {
  anEvent,
  aStory,
  recordingPorts,
  SERVER,
  VAULT,
} from '../src/integrations/kind/alert-event.test-support.ts';
import type { Ports } from '../src/integrations/kind/kind.ts';
import { mqtt } from '../src/integrations/mqtt/mqtt.ts';
import type { AlertEvent, ChannelKind, OutboundRequest } from '../src/integrations/registry.ts';
import { openChannel, storedSettings } from '../src/integrations/registry.ts';
import { HttpClient } from '../src/lib/http-client.ts';
import { seconds } from '../src/lib/instant.ts';
import { createMailSender, type MailServer } from '../src/lib/mail-sender.ts';
import { SocketClient } from '../src/lib/socket-client.ts';
import { freePort } from './free-port.ts';
import { REPOSITORY, startProcess, temporaryFolder, unless } from './process.ts';
import { becomes, until } from './waiting.ts';

// Servers that others have written understand what we send.

const PASSWORD = 'secret-of-the-server';

suite('a broker of MQTT', () => {
  const received: { topic: string; qos: number; retain: boolean; payload: string }[] = [];
  const client = new SocketClient({ allowPrivateAddresses: true });
  let broker: Aedes;
  let server: net.Server;

  before(async () => {
    broker = await Aedes.createBroker({
      authenticate: (_client, username, password, done) =>
        done(null, username === 'tocsin' && String(password) === PASSWORD),
    });
    broker.on('publish', ({ topic, qos, retain, payload }, from) => {
      if (from !== null) received.push({ topic, qos, retain, payload: String(payload) });
    });
    server = net.createServer(broker.handle).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  after(async () => {
    await client[Symbol.asyncDispose]();
    await new Promise<void>((done) => broker.close(done));
    server.close();
  });

  const deliver = (event = anEvent(), password = PASSWORD) => {
    const { port } = server.address() as AddressInfo;
    const settings = { url: `mqtt://127.0.0.1:${port}`, username: 'tocsin', password };
    const ports: Ports = {
      ...recordingPorts(),
      converse: ({ timeoutMs, isOperators: _, ...target }, talk) => client.converse(target, timeoutMs, talk),
    };
    return mqtt.deliver(event, { ...settings, topic: 'jobs/$NAME', is_retained: true }, ports, {});
  };

  test('takes the messages of an outage under one topic, and keeps the last', async () => {
    const up = anEvent({ to: 'up', reason: '', downFor: seconds(61) });

    assert.deepEqual([await deliver(), await deliver(up)], [{ kind: 'delivered' }, { kind: 'delivered' }]);

    assert.deepEqual(
      received.map(({ topic, qos, retain, payload }) => [topic, qos, retain, JSON.parse(payload).status]),
      [
        ['jobs/Nightly backup', 1, true, 'down'],
        ['jobs/Nightly backup', 1, true, 'up'],
      ],
    );
  });

  test('that does not know the password says so', async () => {
    const outcome = await deliver(anEvent(), 'another');

    assert.ok(outcome.kind === 'try_again');
    assert.match(outcome.error, /^The broker does not (accept the user name or the password|allow it)$/);
  });
});

suite('a mail server', () => {
  const mails: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === PASSWORD ? done(null, { user: username }) : done(new Error('Invalid password')),
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith('nobody@') ? done(new Error('No such user here')) : done(),
    onData: (message, _session, done) =>
      void text(message).then((mail) => {
        mails.push(mail);
        done();
      }),
  });

  before(() => new Promise<void>((done) => void server.listen(0, '127.0.0.1', done)));
  after(() => new Promise<void>((done) => server.close(done)));

  const send = async (to: string, overrides: Partial<MailServer> = {}) => {
    const { port } = server.server.address() as AddressInfo;
    await using sender = createMailSender({
      ...{ host: '127.0.0.1', port, user: 'tocsin', password: PASSWORD },
      ...{ requiresTls: false, isSecure: false, from: 'Tocsin <tocsin@example.org>', clientNames: [] },
      ...overrides,
    });
    const { answers: _, ...mail } = alertMail(anEvent(), to, 'https://example.org/stop');
    return await sender.send({ ...mail, id: anEvent().deliveryId });
  };

  test('takes an alert, with both parts and the way to unsubscribe', async () => {
    assert.equal(await send('alice@example.org'), null);

    const [mail = ''] = mails;
    assert.match(mail, /^Subject: Down: Nightly backup$/m);
    assert.match(mail, new RegExp(`^Message-ID: <${anEvent().deliveryId}@example\\.org>$`, 'im'));
    assert.match(mail, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    assert.match(mail, /multipart\/alternative[\s\S]*text\/plain[\s\S]*text\/html/);
  });

  test('that does not know the password, or the recipient, is the reason', async () => {
    assert.match((await send('alice@example.org', { password: 'x' })) ?? '', /Invalid password/);
    assert.match((await send('nobody@example.org')) ?? '', /No such user here/);
  });

  test('that cannot speak TLS gets neither mail nor password where TLS is required', async () => {
    const count = mails.length;

    assert.match((await send('alice@example.org', { requiresTls: true })) ?? '', /^Mail was not accepted: /);
    assert.equal(mails.length, count);
  });
});

/** Programs that nobody needs for anything else. Their tests run where they are. */
const ALERTMANAGER = process.env.TEST_ALERTMANAGER ?? 'alertmanager';
const APPRISE_PYTHON = process.env.TEST_APPRISE_PYTHON ?? 'python3';

/** Sends an alert as the service does. */
async function deliver(kind: ChannelKind, settings: object, event: AlertEvent, server = SERVER) {
  await using client = new HttpClient({
    userAgent: 'Tocsin',
    allowPrivateAddresses: true,
    proxies: { http: null, https: null },
  });
  const stored = { kind, settings: storedSettings(kind, { ...settings }, VAULT) };
  const ports = { ...recordingPorts(), http: (request: OutboundRequest) => client.send(request) };
  return await openChannel(stored, server, VAULT).send(event, ports);
}

const NO_ALERTMANAGER = unless(
  [ALERTMANAGER, '--version'],
  'there is no Alertmanager: TEST_ALERTMANAGER can name one',
);

interface FiringAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

test('an Alertmanager fires an alert until its check is up', { skip: NO_ALERTMANAGER }, async () => {
  await using folder = await temporaryFolder();
  const config = join(folder.path, 'alertmanager.yml');
  await writeFile(config, 'route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n');
  const root = `http://127.0.0.1:${await freePort()}`;
  const args = [
    ...[`--config.file=${config}`, `--storage.path=${folder.path}`],
    ...[`--web.listen-address=${new URL(root).host}`, '--cluster.listen-address='],
  ];
  await using _ = startProcess(ALERTMANAGER, args, { cwd: folder.path });
  await until('it is ready', () =>
    fetch(`${root}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const at = Date.now() * 1_000;
  const settings = { url: root, severity: 'page', labels: 'team=platform', hours: 1 };
  const firing = async () => (await fetch(`${root}/api/v2/alerts`)).json() as Promise<FiringAlert[]>;

  const down = anEvent({ at, now: at });
  assert.deepEqual(await deliver('alertmanager', settings, down), { kind: 'delivered' });

  const [{ labels, annotations } = assert.fail(), ...others] = await firing();
  assert.deepEqual(others, []);
  const { uniqueKey: check } = down.check;
  assert.deepEqual(labels, { alertname: 'CheckDown', check, severity: 'page', team: 'platform' });
  assert.equal(annotations.name, 'Nightly backup');

  const up = anEvent({ to: 'up', reason: '', downFor: seconds(1), at: at + 1, now: at + 1 });
  assert.deepEqual(await deliver('alertmanager', settings, up), { kind: 'delivered' });
  await becomes(firing, []);

  const elsewhere = await deliver('alertmanager', { ...settings, url: `${root}/nowhere` }, down);
  assert.deepEqual(elsewhere, tryAgain('Received status code 404'));
});

const NO_APPRISE = unless(
  [APPRISE_PYTHON, '-c', 'import apprise'],
  'there is no Apprise: TEST_APPRISE_PYTHON can name a Python that has it',
);

test('Apprise hands an alert to the service of its URL', { skip: NO_APPRISE }, async () => {
  const received: unknown[] = [];
  const service = createServer(async (request, response) => {
    received.push(await json(request));
    response.writeHead(request.url === '/full/' ? 507 : 200).end();
  }).listen(0, '127.0.0.1');
  using _ = { [Symbol.dispose]: () => service.close() };
  await once(service, 'listening');
  const destination = `json://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const port = await freePort();
  await using apprise = startProcess(
    APPRISE_PYTHON,
    [join(REPOSITORY, 'test/apprise-server.py'), `${port}`],
    {
      cwd: REPOSITORY,
    },
  );
  await apprise.output(/listening/);
  const send = (url: string, event = anEvent({ story: aStory() })) =>
    deliver('apprise', { url }, event, { ...SERVER, APPRISE_API_URL: `http://127.0.0.1:${port}` });

  assert.deepEqual(await send(`${destination}/`), { kind: 'delivered' });
  assert.deepEqual(await send(`${destination}/`, anEvent({ to: 'up', reason: '' })), { kind: 'delivered' });

  assert.deepEqual(
    received.map((message) => (message as { type: string }).type),
    ['failure', 'success'],
  );
  assert.match(JSON.stringify(received[0]), /"title":"Nightly backup is DOWN".*no ping for 25 h/);
  assert.deepEqual(await send(`${destination}/full/`), tryAgain('Failed'));
  assert.deepEqual(await send('nothing://127.0.0.1/'), tryAgain('Failed'));
});
