import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { suite, test } from 'node:test';
import { CERTIFICATE } from '../../lib/certificate.test-support.ts';
import { bytesOf, pingOf, targetOf } from '../ping.test-support.ts';
import type { Delivery, Ping } from '../ping.ts';
import {
  AWARE,
  type Received,
  startRawServer,
  startRecordingServer,
} from '../recording-server.test-support.ts';
import { type ConnectionOptions, openSender } from './connection.ts';

const NEVER = new AbortController().signal;

function senderWith(options: Partial<ConnectionOptions> = {}) {
  const defaults = {
    userAgent: 'tocsin/1 (test)',
    headers: [],
    headersTo: null,
    ca: null,
    env: {},
    wallNow: () => 0,
  };
  const sender = openSender({ ...defaults, ...options });
  return Object.assign(sender, { [Symbol.dispose]: () => sender.close() });
}

async function sendOne(
  endpoint: string,
  options: Partial<ConnectionOptions> = {},
  signal = NEVER,
): Promise<Delivery> {
  using sender = senderWith(options);
  return await sender.send(pingOf(targetOf(endpoint), 'success'), { ageMs: null, until: signal });
}

/** Why it failed; fails if it did not. */
function reasonOf(delivery: Delivery): string {
  assert.equal(delivery.kind, 'failed');
  return delivery.kind === 'failed' ? delivery.reason : '';
}

suite('a sender', () => {
  test('posts with a length, never in chunks, over one kept connection', async () => {
    await using server = await startRecordingServer();
    using sender = senderWith({ headers: [['X-Team', 'night']] });
    const target = targetOf(server.endpoint);
    const pings: Ping[] = [
      pingOf(target, 'start'),
      pingOf(target, 3, { body: bytesOf('out') }),
      pingOf(target, 'success'),
    ];
    for (const ping of pings) {
      const delivery = await sender.send(ping, { ageMs: 1500, until: NEVER });
      assert.deepEqual(delivery, { kind: 'accepted', limits: { bodyBytes: 10_000, ageSeconds: 2_592_000 } });
    }
    assert.deepEqual(server.paths(), [
      'POST /ping/the-ping-key/backup/start?age=1.5',
      'POST /ping/the-ping-key/backup/3?age=1.5',
      'POST /ping/the-ping-key/backup?age=1.5',
    ]);
    assert.deepEqual(
      server.received.map(({ headers }) => headers['content-length']),
      ['0', '3', '0'],
    );
    assert.deepEqual(
      server.received.map(({ headers }) => headers['transfer-encoding']),
      [undefined, undefined, undefined],
    );
    assert.deepEqual(
      server.received.map(({ connection }) => connection),
      [1, 1, 1],
    );
    assert.equal(server.received[0]?.headers['user-agent'], 'tocsin/1 (test)');
    assert.equal(server.received[0]?.headers['x-team'], 'night');
    assert.equal(server.received[1]?.body, 'out');
  });

  test('sends headers to the one server that they are meant for', async () => {
    await using server = await startRecordingServer();
    const headers: ConnectionOptions['headers'] = [['Authorization', 'Basic secret']];
    await sendOne(server.endpoint, { headers, headersTo: 'https://another.example' });
    await sendOne(server.endpoint, { headers, headersTo: new URL(server.endpoint).origin });
    assert.deepEqual(
      server.received.map((one) => one.headers.authorization),
      [undefined, 'Basic secret'],
    );
  });

  test('opens a connection anew where the server has closed the kept one', async () => {
    const sockets: net.Socket[] = [];
    await using server = await startRawServer((socket) => {
      sockets.push(socket);
      const isFirst = sockets.length === 1;
      let requests = 0;
      socket.on('data', () => {
        requests += 1;
        if (isFirst && requests > 1) socket.destroy();
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK');
      });
    });
    using sender = senderWith();
    const ping = pingOf(targetOf(server.endpoint), 'success');
    assert.equal((await sender.send(ping, { ageMs: null, until: NEVER })).kind, 'accepted');
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await sender.send(ping, { ageMs: null, until: NEVER })).kind, 'accepted');
    assert.equal(sockets.length, 2);
  });

  test('tells refusals and failures apart', async () => {
    await using server = await startRecordingServer((_received, count) => ({
      status: count === 1 ? 404 : 503,
    }));
    assert.deepEqual(await sendOne(server.endpoint), { kind: 'refused', status: 404 });
    const reason = 'the server answered 503';
    assert.deepEqual(await sendOne(server.endpoint), {
      kind: 'failed',
      reason,
      status: 503,
      retryAfterMs: null,
    });
  });

  test('names why there was no connection, without the address', async () => {
    const server = await startRawServer(() => undefined);
    await server[Symbol.asyncDispose]();
    assert.equal(reasonOf(await sendOne(server.endpoint)), 'connection refused');
    assert.match(reasonOf(await sendOne('http://no-such-name.invalid/ping')), /^name /);
    assert.match(reasonOf(await sendOne('no address at all')), /^connection failed \(ERR_INVALID_URL\)$/);
  });

  test('trusts the certificates of the given file as well', async () => {
    await using server = await startRecordingServer(undefined, { secure: true });
    assert.equal((await sendOne(server.endpoint, { ca: CERTIFICATE })).kind, 'accepted');
    assert.match(reasonOf(await sendOne(server.endpoint)), /^connection failed \([A-Z_]+\)$/);
    assert.equal(server.received.length, 1);
  });
});

suite('redirects', () => {
  test('307 and 308 are followed with method and body, and the own headers stay with the own server', async () => {
    await using other = await startRecordingServer();
    await using server = await startRecordingServer((_received, count) =>
      count === 1
        ? { status: 307, headers: { Location: '/elsewhere?rid=1' } }
        : { status: 308, headers: { Location: `${other.endpoint}/there` } },
    );
    using sender = senderWith({ headers: [['Authorization', 'Basic secret']] });
    const ping = pingOf(targetOf(server.endpoint), 'fail', { body: bytesOf('why') });
    assert.equal((await sender.send(ping, { ageMs: null, until: NEVER })).kind, 'accepted');
    assert.deepEqual(server.paths(), ['POST /ping/the-ping-key/backup/fail', 'POST /elsewhere?rid=1']);
    assert.deepEqual(other.paths(), ['POST /ping/there']);
    assert.equal(other.received[0]?.body, 'why');
    assert.equal(server.received[1]?.headers.authorization, 'Basic secret');
    assert.equal(other.received[0]?.headers.authorization, undefined);
  });

  test('more than three are a failure, loops included', async () => {
    await using server = await startRecordingServer(() => ({
      status: 308,
      headers: { Location: '/ping/again' },
    }));
    assert.equal(reasonOf(await sendOne(server.endpoint)), 'more than 3 redirects');
    assert.equal(server.received.length, 4);
  });

  test('never lead from https to http, nor to something else, nor nowhere', async () => {
    await using plain = await startRecordingServer();
    const places = [plain.endpoint, 'file:///etc/passwd', 'http://[', undefined];
    await using server = await startRecordingServer(
      (_received, count) => {
        const place = places[count - 1];
        return { status: 307, headers: place === undefined ? {} : { Location: place } };
      },
      { secure: true },
    );
    assert.equal(
      reasonOf(await sendOne(server.endpoint, { ca: CERTIFICATE })),
      'a redirect from https to http',
    );
    for (let nth = 1; nth < places.length; nth += 1) {
      const reason = reasonOf(await sendOne(server.endpoint, { ca: CERTIFICATE }));
      assert.equal(reason, 'the server answered 307 without an address');
    }
    assert.equal(plain.received.length, 0);
  });

  test('of other kinds are a failure', async () => {
    await using server = await startRecordingServer(() => ({
      status: 302,
      headers: { Location: '/sign-in' },
    }));
    assert.equal(reasonOf(await sendOne(server.endpoint)), 'the server answered 302');
    assert.equal(server.received.length, 1);
  });
});

suite('servers that lie', () => {
  const lies: readonly [name: string, answer: string][] = [
    ['nothing', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['what is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
  ];
  for (const [name, answer] of lies) {
    test(`an answer that is ${name} is a failure`, async () => {
      await using server = await startRawServer((socket) => socket.once('data', () => socket.end(answer)));
      assert.match(reasonOf(await sendOne(server.endpoint)), /^connection (closed|failed \(HPE_\w+\))$/);
    });
  }

  test('headers without an end are a failure', async () => {
    await using server = await startRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = () => {
        while (!socket.destroyed && socket.write(`X-${'a'.repeat(100)}: ${'b'.repeat(1000)}\r\n`));
      };
      socket.on('drain', more);
      more();
    });
    assert.equal(reasonOf(await sendOne(server.endpoint)), 'the answer has too many headers');
  });

  test('no answer, and words before the answer without an end, take no longer than the attempt', async () => {
    for (const say of ['', 'HTTP/1.1 102 Processing\r\n\r\n']) {
      const attempt = new AbortController();
      await using server = await startRawServer((socket) =>
        socket.once('data', () => {
          socket.write(say.repeat(10));
          setImmediate(() => attempt.abort());
        }),
      );
      assert.equal(reasonOf(await sendOne(server.endpoint, {}, attempt.signal)), 'no answer in time');
    }
  });

  test('a body without an end is not read to its end, and the next ping gets a connection of its own', async () => {
    let connections = 0;
    await using server = await startRawServer((socket) => {
      connections += 1;
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const more = () => {
          while (!socket.destroyed && socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`));
        };
        socket.on('drain', more);
        more();
      });
    });
    using sender = senderWith();
    const ping = pingOf(targetOf(server.endpoint), 'success');
    assert.equal((await sender.send(ping, { ageMs: null, until: NEVER })).kind, 'accepted');
    assert.equal((await sender.send(ping, { ageMs: null, until: NEVER })).kind, 'accepted');
    assert.equal(connections, 2);
  });

  test('an answer whose body breaks off has been given all the same', async () => {
    await using server = await startRawServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nO')),
    );
    assert.equal((await sendOne(server.endpoint)).kind, 'accepted');
  });
});

suite('proxies', () => {
  test('get requests to http servers whole, with their own password', async () => {
    await using proxy = await startRecordingServer();
    const env = { http_proxy: `http://user:p%40ss@127.0.0.1:${proxy.port}` };
    assert.equal((await sendOne('http://tocsin.invalid/ping', { env })).kind, 'accepted');
    const [received] = proxy.received as [Received];
    assert.equal(received.path, 'http://tocsin.invalid/ping/the-ping-key/backup');
    assert.equal(received.headers.host, 'tocsin.invalid');
    assert.equal(
      received.headers['proxy-authorization'],
      `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
    );
    assert.equal(received.headers.authorization, undefined);
  });

  test('pass requests to https servers on unread, over one kept connection', async () => {
    await using server = await startRecordingServer(undefined, { secure: true });
    await using proxy = await startTunnels(server.port);
    using sender = senderWith({
      ca: CERTIFICATE,
      env: { HTTPS_PROXY: `http://u:p@127.0.0.1:${proxy.port}` },
    });
    const ping = pingOf(targetOf('https://tls.test:4430/ping'), 'success');
    for (let nth = 0; nth < 2; nth += 1) {
      const delivery = await sender.send(ping, { ageMs: null, until: NEVER });
      assert.equal(delivery.kind, 'accepted', JSON.stringify(delivery));
    }
    assert.deepEqual(proxy.asked, ['tls.test:4430 Basic dTpw']);
    assert.equal(server.received.length, 2);
    assert.equal(server.received[0]?.headers['proxy-authorization'], undefined);
  });

  test('that refuse, do not answer or go away are a failure', async () => {
    await using refusing = await startTunnels(null);
    const through = (port: number) => ({ ca: CERTIFICATE, env: { HTTPS_PROXY: `127.0.0.1:${port}` } });
    assert.equal(
      reasonOf(await sendOne('https://tls.test/', through(refusing.port))),
      'the proxy answered 407',
    );

    await using plain = await startRawServer((socket) => socket.once('data', () => socket.end()));
    assert.equal(reasonOf(await sendOne('https://tls.test/', through(plain.port))), 'connection closed');

    const attempt = new AbortController();
    await using silent = await startRawServer((socket) => socket.once('data', () => attempt.abort()));
    const delivery = await sendOne('https://tls.test/', through(silent.port), attempt.signal);
    assert.equal(reasonOf(delivery), 'no answer in time');
  });

  test('answer no limits: a certificate for another name is refused', async () => {
    await using server = await startRecordingServer(() => ({ headers: AWARE }), { secure: true });
    await using proxy = await startTunnels(server.port);
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const delivery = await sendOne('https://other.test/ping', { ca: CERTIFICATE, env });
    assert.equal(reasonOf(delivery), 'connection failed (ERR_TLS_CERT_ALTNAME_INVALID)');
    assert.equal(server.received.length, 0);
  });
});

/** A proxy that leads every tunnel to one port, or refuses. */
async function startTunnels(port: number | null) {
  const asked: string[] = [];
  const sockets = new Set<net.Socket>();
  const server = http.createServer();
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    if (port === null) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const upstream = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    asked,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
