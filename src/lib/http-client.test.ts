import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import tls from 'node:tls';
import { HANG_MS } from '../../test/waiting.ts';
import { CERTIFICATE, KEY } from './certificate.test-support.ts';
import { HttpClient, type HttpClientOptions, type HttpRequest, type HttpResult } from './http-client.ts';

const PRIVATE = { error: 'Connections to private IP addresses are not allowed' };
const TIMED_OUT = { error: 'Connection timed out' };
const FAILED = { error: 'Connection failed' };
const TLS_FAILED = { error: 'TLS handshake failed' };
const UNRESOLVED = { error: 'Could not resolve host' };
const TOO_MANY_REDIRECTS = { error: 'Too many redirects' };

/** Addresses of the public Internet: what is dialled there in these tests ends up at a server of theirs. */
const PUBLIC = '93.184.215.14';
const OTHER_PUBLIC = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface TestServer extends AsyncDisposable {
  readonly port: number;
  readonly requests: Received[];
  /** Sockets ever accepted, those still open, and the most that were open at once. */
  readonly connections: { total: number; open: number; peak: number };
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
}

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

async function listen(server: net.Server, requests: Received[] = []): Promise<TestServer> {
  const sockets = new Set<net.Socket>();
  const connections = { total: 0, open: 0, peak: 0 };
  let idle = Promise.withResolvers<void>();
  server.on('connection', (socket: net.Socket) => {
    if (connections.open === 0) idle = Promise.withResolvers<void>();
    connections.total++;
    connections.open++;
    connections.peak = Math.max(connections.peak, connections.open);
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (--connections.open === 0) idle.resolve();
    });
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    port: address.port,
    requests,
    connections,
    idle: () => (connections.open === 0 ? Promise.resolve() : idle.promise),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function recording(requests: Received[], handler: Handler): Handler {
  return async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    requests.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: Buffer.concat(chunks).toString(),
    });
    handler(request, response);
  };
}

const ok: Handler = (_request, response) => response.end('fine');

function startServer(handler: Handler = ok): Promise<TestServer> {
  const requests: Received[] = [];
  return listen(http.createServer(recording(requests, handler)), requests);
}

function startTlsServer(handler: Handler = ok): Promise<TestServer> {
  const requests: Received[] = [];
  return listen(https.createServer({ cert: CERTIFICATE, key: KEY }, recording(requests, handler)), requests);
}

/** A server that speaks no HTTP: it does with each connection what the test says. */
function startRawServer(onConnection: (socket: net.Socket) => void): Promise<TestServer> {
  return listen(net.createServer(onConnection));
}

/** A client that may go to loopback, where all names are. */
function localClient(options: Partial<HttpClientOptions> = {}): HttpClient {
  return new HttpClient({
    userAgent: 'test-agent',
    allowPrivateAddresses: true,
    proxies: { http: null, https: null },
    resolve: async () => ['127.0.0.1'],
    timeoutMs: HANG_MS,
    ...options,
  });
}

/** A client that may not. */
function guardedClient(options: Partial<HttpClientOptions> = {}): HttpClient {
  return localClient({ allowPrivateAddresses: false, resolve: async () => [PUBLIC], ...options });
}

function get(url: string, parts: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', url, headers: {}, body: null, ...parts };
}

function received(result: HttpResult): {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
} {
  if ('error' in result) assert.fail(result.error);
  return { status: result.status, headers: result.headers, text: Buffer.from(result.body).toString() };
}

/**
 * Stands between the client and the network: records the addresses that would be dialled, and connects to a
 * port of loopback instead; to none if the test does not expect any connection.
 */
function watchDials(t: TestContext, portFor: (port: number) => number | null): string[][] {
  const dials: string[][] = [];
  const connect = net.connect;
  t.mock.method(net, 'connect', (options: net.TcpNetConnectOpts) => {
    const addresses: string[] = [];
    if (net.isIP(options.host ?? '') !== 0) addresses.push(options.host ?? '');
    else {
      options.lookup?.(options.host ?? '', { all: true }, (_error, found) => {
        for (const { address } of Array.isArray(found) ? found : []) addresses.push(address);
      });
    }
    dials.push(addresses);
    const port = portFor(options.port);
    return port === null ? new net.Socket() : connect({ host: '127.0.0.1', port });
  });
  return dials;
}

function trustTestCertificate(t: TestContext): void {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, CERTIFICATE]);
  t.after(() => tls.setDefaultCACertificates(before));
}

describe('a request', () => {
  test('carries its method, path, query, headers and body', async () => {
    await using server = await startServer((_request, response) => {
      response.writeHead(201, { 'X-Reply': 'yes', 'Set-Cookie': ['a=1', 'b=2'] }).end('created');
    });
    await using client = localClient();

    const result = await client.send({
      method: 'PUT',
      url: `http://a.test:${server.port}/some/path?q=1&r=%20#fragment`,
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Custom': 'value' },
      body: 'höher',
    });

    const [request] = server.requests;
    assert.equal(request?.method, 'PUT');
    assert.equal(request?.url, '/some/path?q=1&r=%20');
    assert.equal(request?.headers.host, `a.test:${server.port}`);
    assert.equal(request?.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(request?.headers['x-custom'], 'value');
    assert.equal(request?.headers['content-length'], '6');
    assert.equal(request?.body, 'höher');
    const { status, headers, text } = received(result);
    assert.equal(status, 201);
    assert.equal(headers['x-reply'], 'yes');
    assert.equal(headers['set-cookie'], 'a=1, b=2');
    assert.equal(text, 'created');
  });

  test('may have a body of bytes', async () => {
    await using server = await startServer();
    await using client = localClient();

    await client.send(
      get(`http://a.test:${server.port}/`, { method: 'POST', body: Buffer.from('xbytesx').subarray(1, 6) }),
    );

    assert.equal(server.requests[0]?.body, 'bytes');
  });

  test('asks for no compression and brings no cookies', async () => {
    await using server = await startServer((_request, response) =>
      response.setHeader('Set-Cookie', 'a=1').end(),
    );
    await using client = localClient();

    await client.send(get(`http://a.test:${server.port}/`));
    await client.send(get(`http://a.test:${server.port}/`));

    assert.deepEqual(Object.keys(server.requests[1]?.headers ?? {}).sort(), [
      'connection',
      'host',
      'user-agent',
    ]);
  });

  test('names the default agent unless it names its own', async () => {
    await using server = await startServer();
    await using client = localClient();

    await client.send(get(`http://a.test:${server.port}/`));
    await client.send(get(`http://a.test:${server.port}/`, { headers: { 'USER-Agent': 'mine' } }));

    assert.deepEqual(
      server.requests.map(({ headers }) => headers['user-agent']),
      ['test-agent', 'mine'],
    );
  });

  test('has its header values in Latin-1, both ways', async () => {
    await using server = await startServer((_request, response) => response.setHeader('X-Reply', 'é').end());
    await using client = localClient();

    const result = await client.send(
      get(`http://a.test:${server.port}/`, { headers: { 'X-A': '½ ü', 'X-B': 'bār 🔔' } }),
    );

    // Node reads header bytes as Latin-1, so what was one byte is one character.
    assert.equal(server.requests[0]?.headers['x-a'], '½ ü');
    assert.equal(server.requests[0]?.headers['x-b'], 'b?r ?');
    assert.equal(received(result).headers['x-reply'], 'é');
  });

  test('cannot say how it is framed', async () => {
    await using server = await startServer();
    await using client = localClient();
    const headers = {
      'Content-Length': '999',
      'Transfer-Encoding': 'chunked',
      Connection: 'upgrade',
      Upgrade: 'h2c',
      Expect: '100-continue',
      'Keep-Alive': 'timeout=9',
      'Proxy-Authorization': 'Basic eDp5',
    };

    const result = await client.send(
      get(`http://a.test:${server.port}/`, { method: 'POST', headers, body: 'abc' }),
    );

    assert.equal(received(result).status, 200);
    assert.equal(server.requests[0]?.body, 'abc');
    assert.deepEqual(Object.keys(server.requests[0]?.headers ?? {}).sort(), [
      'connection',
      'content-length',
      'host',
      'user-agent',
    ]);
  });

  test('turns credentials of the URL into a header, unless it has one', async () => {
    await using server = await startServer();
    await using client = localClient();
    const url = `http://us%40er:p%C3%A4ss@a.test:${server.port}/x`;

    await client.send(get(url));
    await client.send(get(url, { headers: { Authorization: 'Bearer t' } }));

    const basic = `Basic ${Buffer.from('us@er:päss').toString('base64')}`;
    assert.deepEqual(
      server.requests.map(({ headers }) => headers.authorization),
      [basic, 'Bearer t'],
    );
    assert.equal(server.requests[0]?.url, '/x');
  });

  for (const [name, value] of [
    ['X-A', 'one\r\nX-Injected: two'],
    ['X-A', 'nul\0'],
    ['X A', 'blank in the name'],
    ['X-Ā', 'not a name'],
  ] as const) {
    test(`with the header ${JSON.stringify(`${name}: ${value}`)} is not sent`, async () => {
      await using server = await startServer();
      await using client = localClient();

      assert.deepEqual(
        await client.send(get(`http://a.test:${server.port}/`, { headers: { [name]: value } })),
        FAILED,
      );
      assert.equal(server.requests.length, 0);
    });
  }

  for (const method of ['CONNECT', 'GET /other HTTP/1.1\r\nX:', '']) {
    test(`with the method ${JSON.stringify(method)} is not sent`, async () => {
      await using server = await startServer();
      await using client = localClient();

      assert.deepEqual(await client.send(get(`http://a.test:${server.port}/`, { method })), FAILED);
      assert.equal(server.requests.length, 0);
    });
  }

  for (const url of [
    'ftp://a.test/',
    'file:///etc/passwd',
    'data:,x',
    'a.test/x',
    'http://',
    'http://a b/',
    '',
  ]) {
    test(`to ${JSON.stringify(url)} fails`, async () => {
      await using client = localClient();

      assert.deepEqual(await client.send(get(url)), FAILED);
    });
  }

  test('gets any status as it is', async () => {
    await using server = await startServer((request, response) => {
      response.writeHead(Number(request.url?.slice(1))).end();
    });
    await using client = localClient();

    for (const status of [200, 204, 206, 300, 304, 404, 500, 599]) {
      const result = await client.send(get(`http://a.test:${server.port}/${status}`));
      assert.equal(received(result).status, status);
    }
  });

  test('reaches a name that only the system knows, and a private address where that is allowed', async () => {
    await using server = await startServer();
    await using client = new HttpClient({
      userAgent: 'test-agent',
      allowPrivateAddresses: true,
      proxies: { http: null, https: null },
    });

    assert.equal(received(await client.send(get(`http://localhost:${server.port}/`))).status, 200);
  });
});

describe('a failure', () => {
  test('to resolve the name is told', async () => {
    await using failing = localClient({
      resolve: async () => {
        throw new Error('ENOTFOUND');
      },
    });
    await using empty = localClient({ resolve: async () => [] });

    assert.deepEqual(await failing.send(get('http://a.test/')), UNRESOLVED);
    assert.deepEqual(await empty.send(get('https://a.test/')), UNRESOLVED);
  });

  test('to connect is told, however many want to at once', async () => {
    const { port } = await (async () => {
      await using server = await startServer();
      return server;
    })();
    await using client = localClient();

    const results = await Promise.all(
      Array.from({ length: 30 }, () => client.send(get(`http://a.test:${port}/`))),
    );

    assert.equal(results.length, 30);
    for (const result of results) assert.deepEqual(result, FAILED);
  });

  for (const [name, onData] of Object.entries<(socket: net.Socket) => void>({
    'a connection closed without an answer': (socket) => socket.end(),
    'a connection reset': (socket) => socket.resetAndDestroy(),
    'an answer that is not HTTP': (socket) => socket.end('220 mail.test ESMTP\r\n'),
    'an answer cut off in its head': (socket) => socket.end('HTTP/1.1 200 OK\r\nX-A: 1'),
    'an answer cut off in its body': (socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
    'an answer with endless headers': (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      for (let i = 0; i < 2_000; i++) socket.write(`X-${i}: ${'x'.repeat(100)}\r\n`);
    },
    'an upgrade nobody asked for': (socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    },
  })) {
    test(`is what ${name} is`, async () => {
      await using server = await startRawServer((socket) => socket.once('data', () => onData(socket)));
      await using client = localClient();

      assert.deepEqual(await client.send(get(`http://a.test:${server.port}/`)), FAILED);
      await server.idle();
    });
  }

  test('never repeats a secret of the request', async () => {
    await using refusing = await startRawServer((socket) => socket.destroy());
    await using looping = await startServer((_request, response) => {
      response.writeHead(302, { Location: '/sesame-redirect' }).end();
    });
    await using client = localClient({ timeoutMs: 200 });
    const headers = { Authorization: 'Bearer sesame' };

    const results = [
      await client.send(get(`http://user:sesame@a.test:${refusing.port}/sesame?token=sesame`, { headers })),
      await client.send(get(`https://user:sesame@a.test:${refusing.port}/sesame`, { headers })),
      await client.send(get(`http://a.test:${looping.port}/sesame`, { headers })),
      await client.send(get('http://sesame:sesame:sesame/', { headers })),
      await client.send(get('http://a.test/', { headers: { 'X-Sesame': 'sesame\n' } })),
    ];

    for (const result of results) assert.doesNotMatch(JSON.stringify(result), /sesame/i);
  });
});

describe('TLS', () => {
  test('is spoken with a server whose certificate is good for the name or address', async (t) => {
    trustTestCertificate(t);
    await using server = await startTlsServer(({ socket }, response) => {
      response.end(String(socket instanceof tls.TLSSocket && socket.servername));
    });
    await using client = localClient();

    assert.equal(received(await client.send(get(`https://tls.test:${server.port}/`))).text, 'tls.test');
    assert.equal(received(await client.send(get(`https://tls.test.:${server.port}/`))).text, 'tls.test');
    assert.equal(received(await client.send(get(`https://127.0.0.1:${server.port}/`))).text, 'false');
  });

  test('fails with a certificate that nobody vouches for', async () => {
    await using server = await startTlsServer();
    await using client = localClient();

    assert.deepEqual(await client.send(get(`https://tls.test:${server.port}/`)), TLS_FAILED);
    assert.equal(server.requests.length, 0);
    await server.idle();
  });

  test('fails with a certificate for another name, whatever the Host header says', async (t) => {
    trustTestCertificate(t);
    await using server = await startTlsServer();
    await using client = localClient();

    const request = get(`https://other.test:${server.port}/`, { headers: { Host: 'tls.test' } });

    assert.deepEqual(await client.send(request), TLS_FAILED);
    assert.equal(server.requests.length, 0);
  });

  test('is verified even where the environment says otherwise', async (t) => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    t.after(() => {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    });
    await using server = await startTlsServer();
    await using client = localClient();

    assert.deepEqual(await client.send(get(`https://tls.test:${server.port}/`)), TLS_FAILED);
  });

  test('fails with a server that speaks plain HTTP, or hangs up', async () => {
    await using plain = await startServer();
    await using closing = await startRawServer((socket) => socket.once('data', () => socket.destroy()));
    await using client = localClient();

    assert.deepEqual(await client.send(get(`https://tls.test:${plain.port}/`)), TLS_FAILED);
    assert.deepEqual(await client.send(get(`https://tls.test:${closing.port}/`)), TLS_FAILED);
  });
});

describe('the time limit', () => {
  test('is 30 seconds unless told otherwise', async (t) => {
    const timers = t.mock.method(globalThis, 'setTimeout');
    await using client = new HttpClient({
      userAgent: 'test-agent',
      allowPrivateAddresses: true,
      proxies: { http: null, https: null },
      resolve: async () => [],
    });

    assert.deepEqual(await client.send(get('http://a.test/')), UNRESOLVED);

    assert.equal(timers.mock.calls[0]?.arguments[1], 30_000);
  });

  test('covers an answer that does not come', async () => {
    await using server = await startServer(() => undefined);
    await using client = localClient({ timeoutMs: 100 });

    assert.deepEqual(await client.send(get(`http://a.test:${server.port}/`)), TIMED_OUT);
    await server.idle();
  });

  test('covers a name that is not resolved', async () => {
    await using client = localClient({
      timeoutMs: 50,
      resolve: () => Promise.withResolvers<string[]>().promise,
    });

    assert.deepEqual(await client.send(get('http://a.test/')), TIMED_OUT);
  });

  test('covers a connection that is not accepted', async (t) => {
    watchDials(t, () => null);
    await using client = localClient({ timeoutMs: 50 });

    assert.deepEqual(await client.send(get('http://a.test/')), TIMED_OUT);
  });

  test('covers a TLS handshake that does not end', async () => {
    await using server = await startRawServer((socket) => socket.resume());
    await using client = localClient({ timeoutMs: 100 });

    assert.deepEqual(await client.send(get(`https://a.test:${server.port}/`)), TIMED_OUT);
    await server.idle();
  });

  test('covers a body that drips', async () => {
    await using server = await startServer((_request, response) => {
      const drip = setInterval(() => response.write('.'), 5);
      response.on('close', () => clearInterval(drip));
    });
    await using client = localClient({ timeoutMs: 100 });

    assert.deepEqual(await client.send(get(`http://a.test:${server.port}/`)), TIMED_OUT);
    await server.idle();
  });

  test('covers a request that is not read', async () => {
    await using server = await startRawServer((socket) => socket.pause());
    await using client = localClient({ timeoutMs: 100 });
    const body = Buffer.alloc(16 * 1024 * 1024);

    assert.deepEqual(
      await client.send(get(`http://a.test:${server.port}/`, { method: 'POST', body })),
      TIMED_OUT,
    );
  });

  test('is one for all redirects together', async () => {
    await using server = await startServer((_request, response) => {
      setTimeout(() => response.writeHead(302, { Location: '/' }).end(), 100);
    });
    await using client = localClient({ timeoutMs: 250 });

    assert.deepEqual(await client.send(get(`http://a.test:${server.port}/`)), TIMED_OUT);
  });

  test('covers the wait for a free connection, and what was given up is not sent later', async () => {
    const held: http.ServerResponse[] = [];
    const full = Promise.withResolvers<void>();
    await using server = await startServer((request, response) => {
      if (request.url !== '/held') response.end();
      else if (held.push(response) === 8) full.resolve();
    });
    await using client = localClient();
    const caller = new AbortController();
    const url = `http://a.test:${server.port}`;

    const holding = Array.from({ length: 8 }, () => client.send(get(`${url}/held`)));
    await full.promise;
    const waiting = client.send(get(`${url}/waiting`, { signal: caller.signal }));
    caller.abort(new DOMException('too late', 'TimeoutError'));
    assert.deepEqual(await waiting, TIMED_OUT);
    for (const response of held) response.end();
    await Promise.all(holding);
    await client.send(get(`${url}/next`));

    const paths = server.requests.map(({ url: path }) => path);
    assert.deepEqual([...new Set(paths)], ['/held', '/next']);
  });
});

describe('the caller’s signal', () => {
  test('ends a request before it is sent', async () => {
    await using server = await startServer();
    await using client = localClient();

    const result = await client.send(get(`http://a.test:${server.port}/`, { signal: AbortSignal.abort() }));

    assert.deepEqual(result, FAILED);
    assert.equal(server.connections.total, 0);
  });

  test('ends a request that is under way, and its connection', async () => {
    const arrived = Promise.withResolvers<void>();
    await using server = await startServer(() => arrived.resolve());
    await using client = localClient();
    const caller = new AbortController();

    const sending = client.send(get(`http://a.test:${server.port}/`, { signal: caller.signal }));
    await arrived.promise;
    caller.abort('any reason');

    assert.deepEqual(await sending, FAILED);
    await server.idle();
  });

  test('is a time limit if it says so', async () => {
    await using server = await startServer(() => undefined);
    await using client = localClient();

    const result = await client.send(
      get(`http://a.test:${server.port}/`, { signal: AbortSignal.timeout(50) }),
    );

    assert.deepEqual(result, TIMED_OUT);
  });
});

describe('a redirect', () => {
  /** Redirects as often as the number in the path says. */
  const countdown: Handler = (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end('arrived');
    else response.writeHead(302, { Location: `/${left - 1}` }).end('moved');
  };

  test('is followed three times, not four', async () => {
    await using server = await startServer(countdown);
    await using client = localClient();

    assert.equal(received(await client.send(get(`http://a.test:${server.port}/3`))).text, 'arrived');
    assert.deepEqual(await client.send(get(`http://a.test:${server.port}/4`)), TOO_MANY_REDIRECTS);
    assert.deepEqual(
      server.requests.map(({ url }) => url),
      ['/3', '/2', '/1', '/0', '/4', '/3', '/2', '/1'],
    );
    assert.equal(server.connections.total, 1);
  });

  test('is not followed by a client that follows none', async () => {
    await using server = await startServer(countdown);
    await using client = localClient({ maxRedirects: 0 });

    assert.equal(received(await client.send(get(`http://a.test:${server.port}/0`))).text, 'arrived');
    assert.deepEqual(await client.send(get(`http://a.test:${server.port}/1`)), TOO_MANY_REDIRECTS);
    assert.equal(server.requests.length, 2);
  });

  test('to itself ends', async () => {
    await using server = await startServer((_request, response) => {
      response.writeHead(307, { Location: '' }).end();
    });
    await using client = localClient();

    assert.deepEqual(await client.send(get(`http://a.test:${server.port}/x`)), TOO_MANY_REDIRECTS);
    assert.equal(server.requests.length, 4);
  });

  for (const status of [301, 302, 303, 307, 308]) {
    test(`of status ${status} keeps the method, the headers and the body`, async () => {
      await using server = await startServer((request, response) => {
        if (request.url === '/') response.writeHead(status, { Location: '/there' }).end();
        else response.end();
      });
      await using client = localClient();
      const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer t' };

      await client.send(get(`http://a.test:${server.port}/`, { method: 'POST', headers, body: '{}' }));

      const [, second] = server.requests;
      assert.equal(second?.method, 'POST');
      assert.equal(second?.url, '/there');
      assert.equal(second?.body, '{}');
      assert.equal(second?.headers['content-type'], 'application/json');
      assert.equal(second?.headers.authorization, 'Bearer t');
    });
  }

  test('without a location is the answer', async () => {
    await using server = await startServer((_request, response) => response.writeHead(301).end());
    await using client = localClient();

    assert.equal(received(await client.send(get(`http://a.test:${server.port}/`))).status, 301);
  });

  for (const location of ['ftp://a.test/', 'file:///etc/passwd', 'javascript:0', 'http://', '//:0/']) {
    test(`to ${location} fails`, async () => {
      await using server = await startServer((_request, response) => {
        response.writeHead(302, { Location: location }).end();
      });
      await using client = localClient();

      assert.deepEqual(await client.send(get(`http://a.test:${server.port}/`)), FAILED);
    });
  }

  test('may be written in raw UTF-8', async () => {
    await using server = await startServer((request, response) => {
      if (request.url === '/')
        response.writeHead(302, { Location: Buffer.from('/é').toString('latin1') }).end();
      else response.end();
    });
    await using client = localClient();

    await client.send(get(`http://a.test:${server.port}/`));

    assert.equal(server.requests[1]?.url, '/%C3%A9');
  });

  test('to another host or port leaves behind all headers that may be credentials', async () => {
    await using target = await startServer();
    await using server = await startServer((request, response) => {
      const host = request.url === '/host' ? 'b.test' : 'a.test';
      response.writeHead(302, { Location: `http://${host}:${target.port}/` }).end();
    });
    await using client = localClient();
    const headers = {
      Authorization: 'Bearer t',
      Cookie: 'a=1',
      Host: 'virtual.test',
      'X-Api-Key': 'k',
      'X-Anything': 'v',
      Accept: 'text/plain',
      'Content-Type': 'text/plain',
      'User-Agent': 'mine',
    };

    await client.send(get(`http://a.test:${server.port}/host`, { method: 'POST', headers, body: 'kept' }));
    await client.send(get(`http://user:pass@a.test:${server.port}/port`, { method: 'POST', body: 'kept' }));

    const [otherHost, otherPort] = target.requests;
    assert.equal(server.requests[0]?.headers['x-api-key'], 'k');
    assert.equal(server.requests[0]?.headers.host, 'virtual.test');
    assert.deepEqual(otherHost?.headers, {
      accept: 'text/plain',
      connection: 'keep-alive',
      'content-length': '4',
      'content-type': 'text/plain',
      host: `b.test:${target.port}`,
      'user-agent': 'mine',
    });
    assert.equal(otherHost?.body, 'kept');
    assert.equal(server.requests[1]?.headers.authorization?.startsWith('Basic '), true);
    assert.equal(otherPort?.headers.authorization, undefined);
  });

  test('from http up to https of the same host keeps them on the usual ports, and down again drops them', async (t) => {
    trustTestCertificate(t);
    await using secure = await startTlsServer((request, response) => {
      if (request.url === '/up') response.end();
      else response.writeHead(302, { Location: 'http://tls.test/down' }).end();
    });
    await using plain = await startServer((request, response) => {
      if (request.url === '/down') response.end();
      else
        response
          .writeHead(301, { Location: `https://tls.test${request.url === '/odd' ? ':8443' : ''}/up` })
          .end();
    });
    watchDials(t, (port) => (port === 443 || port === 8443 ? secure.port : plain.port));
    await using client = localClient();
    const headers = { Authorization: 'Bearer t' };

    await client.send(get('http://tls.test/', { headers }));
    await client.send(get('http://tls.test:8080/', { headers }));
    await client.send(get('http://tls.test/odd', { headers }));
    await client.send(get('https://tls.test/', { headers }));

    const seen = [...secure.requests, ...plain.requests].map((request) => [
      request.url,
      request.headers.authorization,
    ]);
    assert.deepEqual(seen, [
      ['/up', 'Bearer t'],
      ['/up', undefined],
      ['/up', undefined],
      ['/', 'Bearer t'],
      ['/', 'Bearer t'],
      ['/', 'Bearer t'],
      ['/odd', 'Bearer t'],
      ['/down', undefined],
    ]);
  });
});

describe('the body of an answer', () => {
  const LIMIT = 64 * 1024;

  for (const size of [0, 1, LIMIT - 1, LIMIT]) {
    test(`of ${size} bytes is read whole`, async () => {
      await using server = await startServer((_request, response) => response.end(Buffer.alloc(size, 'x')));
      await using client = localClient();

      assert.equal(received(await client.send(get(`http://a.test:${server.port}/`))).text.length, size);
    });
  }

  test('of one byte more is cut at 64 KiB', async () => {
    await using server = await startServer((_request, response) =>
      response.end(Buffer.alloc(LIMIT + 1, 'x')),
    );
    await using client = localClient();

    assert.equal(received(await client.send(get(`http://a.test:${server.port}/`))).text.length, LIMIT);
  });

  test('may be longer where the request says so', async () => {
    await using server = await startServer((_request, response) =>
      response.end(Buffer.alloc(3 * LIMIT, 'x')),
    );
    await using client = localClient();
    const request = { ...get(`http://a.test:${server.port}/`), maxAnswerBytes: 2 * LIMIT };

    assert.equal(received(await client.send(request)).text.length, 2 * LIMIT);
  });

  for (const size of [10 * LIMIT, 100 * LIMIT]) {
    test(`of ${size} bytes is cut at 64 KiB, and the connection given up`, async () => {
      await using server = await startServer((_request, response) => response.end(Buffer.alloc(size, 'x')));
      await using client = localClient();

      assert.equal(received(await client.send(get(`http://a.test:${server.port}/`))).text.length, LIMIT);
      await server.idle();
    });
  }

  test('without end is cut at 64 KiB, and little more is taken from the server', async () => {
    let written = 0;
    await using server = await startServer((_request, response) => {
      const chunk = Buffer.alloc(LIMIT, 'x');
      const pour = () => {
        do written += chunk.length;
        while (response.write(chunk));
      };
      response.on('drain', pour);
      pour();
    });
    await using client = localClient();

    assert.equal(received(await client.send(get(`http://a.test:${server.port}/`))).text.length, LIMIT);
    await server.idle();
    assert.ok(written < 32 * 1024 * 1024, `${written} bytes were taken`);
  });

  test('of tiny chunks between much padding keeps no padding', async () => {
    const chunks = 300;
    await using server = await startRawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        for (let i = 0; i < chunks; i++) socket.write(`1;${'p'.repeat(10_000)}\r\nx\r\n`);
        socket.write('0\r\n\r\n');
      });
    });
    await using client = localClient();

    const result = await client.send(get(`http://a.test:${server.port}/`));

    assert.ok('body' in result);
    assert.equal(result.body.length, chunks);
    assert.equal(result.body.buffer.byteLength, chunks);
  });

  test('that was announced as huge is cut too', async () => {
    await using server = await startRawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9007199254740991\r\n\r\n');
        socket.write(Buffer.alloc(2 * LIMIT, 'x'));
      });
    });
    await using client = localClient();

    assert.equal(received(await client.send(get(`http://a.test:${server.port}/`))).text.length, LIMIT);
    await server.idle();
  });

  test('that is compressed unasked stays as it is', async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 8, 0]);
    await using server = await startServer((_request, response) => {
      response.setHeader('Content-Encoding', 'gzip').end(bytes);
    });
    await using client = localClient();

    const result = await client.send(get(`http://a.test:${server.port}/`));

    assert.ok('body' in result);
    assert.deepEqual([...result.body], [...bytes]);
  });
});

describe('connections', () => {
  test('are used again', async (t) => {
    trustTestCertificate(t);
    await using plain = await startServer();
    await using secure = await startTlsServer();
    let resolved = 0;
    await using client = localClient({
      resolve: async () => {
        resolved++;
        return ['127.0.0.1'];
      },
    });

    for (let i = 0; i < 3; i++) {
      await client.send(get(`http://a.test:${plain.port}/`, { method: 'POST', body: 'x' }));
      await client.send(get(`https://tls.test:${secure.port}/`));
    }

    assert.equal(plain.requests.length, 3);
    assert.equal(plain.connections.total, 1);
    assert.equal(secure.requests.length, 3);
    assert.equal(secure.connections.total, 1);
    assert.equal(resolved, 2);
  });

  test('to one host are at most eight', async () => {
    await using server = await startServer((_request, response) => process.nextTick(() => response.end()));
    await using client = localClient();

    const results = await Promise.all(
      Array.from({ length: 50 }, () => client.send(get(`http://a.test:${server.port}/`))),
    );

    for (const result of results) assert.equal(received(result).status, 200);
    assert.equal(server.requests.length, 50);
    assert.equal(server.connections.peak, 8);
  });

  test('to several hosts are open at once', async () => {
    // Nobody is answered until all have asked.
    const waiting: http.ServerResponse[] = [];
    await using server = await startServer((_request, response) => {
      if (waiting.push(response) === 3) for (const each of waiting) each.end();
    });
    await using client = localClient();

    const results = await Promise.all(
      ['a.test', 'b.test', 'c.test'].map((host) => client.send(get(`http://${host}:${server.port}/`))),
    );

    for (const result of results) assert.equal(received(result).status, 200);
  });

  test('go to the next address where one does not work', async () => {
    await using server = await startServer();
    await using client = localClient({ resolve: async () => ['::1', '127.0.0.1'] });

    assert.equal(received(await client.send(get(`http://a.test:${server.port}/`))).status, 200);
  });

  test('are closed with the client, with what is under way', async () => {
    const arrived = Promise.withResolvers<void>();
    await using server = await startServer((request, response) => {
      if (request.url === '/idle') response.end();
      else arrived.resolve();
    });
    const client = localClient();

    await client.send(get(`http://a.test:${server.port}/idle`));
    const sending = client.send(get(`http://b.test:${server.port}/`));
    await arrived.promise;
    await client[Symbol.asyncDispose]();

    assert.deepEqual(await sending, FAILED);
    assert.deepEqual(await client.send(get(`http://a.test:${server.port}/`)), FAILED);
    await server.idle();
    assert.equal(server.requests.length, 2);
  });

  test('that are being opened are closed with the client', async () => {
    const arrived = Promise.withResolvers<void>();
    await using server = await startRawServer(() => arrived.resolve());
    const client = localClient();

    const sending = client.send(get(`https://a.test:${server.port}/`));
    await arrived.promise;
    await client[Symbol.asyncDispose]();

    assert.deepEqual(await sending, FAILED);
    await server.idle();
  });

  test('are not opened any more when a name is resolved after the client was closed', async (t) => {
    const dials = watchDials(t, () => null);
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<string[]>();
    const client = localClient({
      resolve: () => {
        asked.resolve();
        return answer.promise;
      },
    });

    const sending = client.send(get('http://a.test/'));
    await asked.promise;
    await client[Symbol.asyncDispose]();
    answer.resolve(['127.0.0.1']);
    await setImmediate();

    assert.deepEqual(await sending, FAILED);
    assert.deepEqual(dials, []);
  });
});

/** URLs of private hosts, and the address that each of them means. None where the URL has a zone, which no URL may have. */
const PRIVATE_URLS: readonly [url: string, address: string | null][] = [
  ['http://127.0.0.1/', '127.0.0.1'],
  ['https://127.0.0.1/', '127.0.0.1'],
  ['http://user:pass@127.0.0.1:8080/', '127.0.0.1'],
  ['http://127.0.0.1./', '127.0.0.1'],
  ['http://127.1/', '127.0.0.1'],
  ['http://2130706433/', '127.0.0.1'],
  ['http://0x7f000001/', '127.0.0.1'],
  ['http://0x7f.0.0.1/', '127.0.0.1'],
  ['http://0177.0.0.1/', '127.0.0.1'],
  ['http://１２７.0.0.1/', '127.0.0.1'],
  ['http://0/', '0.0.0.0'],
  ['http://0.0.0.0/', '0.0.0.0'],
  ['http://10.0.0.1/', '10.0.0.1'],
  ['http://100.64.0.1/', '100.64.0.1'],
  ['http://169.254.169.254/latest/meta-data/', '169.254.169.254'],
  ['http://172.16.0.1/', '172.16.0.1'],
  ['http://192.168.1.1/', '192.168.1.1'],
  ['http://198.18.0.1/', '198.18.0.1'],
  ['http://203.0.113.1/', '203.0.113.1'],
  ['http://224.0.0.1/', '224.0.0.1'],
  ['http://255.255.255.255/', '255.255.255.255'],
  ['http://[::]/', '::'],
  ['http://[::1]/', '::1'],
  ['https://[::1]:8443/', '::1'],
  ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
  ['http://[::ffff:a9fe:a9fe]/', '::ffff:a9fe:a9fe'],
  ['http://[::127.0.0.1]/', '::7f00:1'],
  ['http://[64:ff9b::10.0.0.1]/', '64:ff9b::a00:1'],
  ['http://[2002:7f00:1::]/', '2002:7f00:1::'],
  ['http://[2001:0:7f00:1::]/', '2001:0:7f00:1::'],
  ['http://[fc00::1]/', 'fc00::1'],
  ['http://[fe80::1]/', 'fe80::1'],
  ['http://[fe80::1%25eth0]/', null],
  ['http://[fe80::1%eth0]/', null],
  ['http://[2606:4700::1111%25eth0]/', null],
  ['http://[fec0::1]/', 'fec0::1'],
  ['http://[ff02::1]/', 'ff02::1'],
  ['http://localhost/', '127.0.0.1'],
  ['http://LocalHost./', '127.0.0.1'],
  ['https://db.localhost:5432/', '127.0.0.1'],
  ['http://loc%61lhost/', '127.0.0.1'],
];

describe('the guard', () => {
  for (const [url] of PRIVATE_URLS) {
    test(`refuses ${url}`, async (t) => {
      const dials = watchDials(t, () => null);
      await using client = guardedClient();

      assert.deepEqual(await client.send(get(url)), PRIVATE);
      assert.deepEqual(dials, []);
    });
  }

  for (const [url, address] of PRIVATE_URLS) {
    if (address === null) continue;
    test(`lets ${url} be dialled where private addresses are allowed`, async (t) => {
      await using server = await startServer();
      const dials = watchDials(t, () => server.port);
      await using client = localClient();

      const result = await client.send(get(url));

      assert.deepEqual(dials, [[address]]);
      // For https the server has no certificate.
      if (url.startsWith('http:')) assert.equal(received(result).status, 200);
    });
  }

  test('does not name itself as the reason why a URL with a zone fails where private addresses are allowed', async () => {
    await using client = localClient();

    for (const [url, address] of PRIVATE_URLS)
      if (address === null) assert.deepEqual(await client.send(get(url)), FAILED, url);
  });

  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '::1',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
    'x',
  ]) {
    test(`refuses a name that resolves to ${address}`, async (t) => {
      const dials = watchDials(t, () => null);
      await using client = guardedClient({ resolve: async () => [address] });

      assert.deepEqual(await client.send(get('http://a.test/')), PRIVATE);
      assert.deepEqual(await client.send(get('https://a.test/')), PRIVATE);
      assert.deepEqual(dials, []);
    });
  }

  test('judges hosts to which another server would connect', async () => {
    const known: Record<string, string[]> = { 'intern.test': [PUBLIC, '10.0.0.1'], 'a.test': [PUBLIC] };
    const resolve = async (host: string) => known[host] ?? [];
    await using client = guardedClient({ resolve });
    await using open = localClient({ resolve });

    for (const host of ['127.0.0.1', '::1', 'localhost', 'intern.test'])
      assert.deepEqual(await client.refusalOf(['a.test', host]), PRIVATE, host);
    // Only private networks know names without a dot.
    assert.deepEqual(await client.refusalOf(['redis']), { error: 'Could not resolve host' });
    assert.equal(await client.refusalOf(['a.test', PUBLIC, 'unknown.test']), null);
    assert.equal(await client.refusalOf([]), null);
    assert.equal(await open.refusalOf(['127.0.0.1', 'redis']), null);
  });

  test('lets the public addresses of a name be dialled, and only those', async (t) => {
    await using server = await startServer();
    const dials = watchDials(t, () => server.port);
    await using client = guardedClient({
      resolve: async () => ['127.0.0.1', PUBLIC, '::1', OTHER_PUBLIC, '10.0.0.1'],
    });

    assert.equal(received(await client.send(get('http://a.test/'))).status, 200);
    assert.deepEqual(dials, [[PUBLIC, OTHER_PUBLIC]]);
  });

  test('lets a public address of a URL be dialled', async (t) => {
    await using server = await startServer();
    const dials = watchDials(t, () => server.port);
    await using client = guardedClient();

    assert.equal(received(await client.send(get(`http://${PUBLIC}/`))).status, 200);
    assert.equal(received(await client.send(get(`http://[${OTHER_PUBLIC}]/`))).status, 200);
    assert.deepEqual(dials, [[PUBLIC], [OTHER_PUBLIC]]);
  });

  test('dials what it has checked, whatever the name resolves to next', async (t) => {
    await using server = await startServer((_request, response) =>
      response.setHeader('Connection', 'close').end(),
    );
    const dials = watchDials(t, () => server.port);
    let asked = 0;
    await using client = guardedClient({ resolve: async () => (asked++ === 0 ? [PUBLIC] : ['127.0.0.1']) });

    assert.equal(received(await client.send(get('http://rebinding.test/'))).status, 200);
    assert.equal(asked, 1);
    await server.idle();
    assert.deepEqual(await client.send(get('http://rebinding.test/')), PRIVATE);
    assert.equal(asked, 2);
    assert.deepEqual(dials, [[PUBLIC]]);
  });

  test('leaves no second resolution to the socket', async () => {
    // The system does not know this name: if it were asked, the connection would fail.
    await using server = await startServer();
    let asked = 0;
    await using client = localClient({
      resolve: async () => (asked++ === 0 ? ['127.0.0.1'] : ['192.0.2.1']),
    });

    assert.equal(received(await client.send(get(`http://rebinding.invalid:${server.port}/`))).status, 200);
    assert.equal(asked, 1);
  });

  for (const location of [
    'http://10.0.0.1/',
    'http://0x7f000001/',
    'http://[fe80::1%25eth0]/',
    '//localhost/',
    'http://inside.test/',
    'https://inside.test/',
  ]) {
    test(`refuses a redirect to ${location}`, async (t) => {
      await using server = await startServer((_request, response) => {
        response.writeHead(302, { Location: location }).end();
      });
      const dials = watchDials(t, () => server.port);
      await using client = guardedClient({
        resolve: async (host) => (host === 'inside.test' ? ['192.168.0.1'] : [PUBLIC]),
      });

      assert.deepEqual(await client.send(get('http://a.test/')), PRIVATE);
      assert.deepEqual(dials, [[PUBLIC]]);
      assert.equal(server.requests.length, 1);
    });
  }

  test('looks at every step of a redirect, not the first alone', async (t) => {
    await using server = await startServer((request, response) => {
      const location = request.headers.host === 'a.test' ? 'http://b.test/' : 'http://127.0.0.1/';
      response.writeHead(302, { Location: location }).end();
    });
    const dials = watchDials(t, () => server.port);
    await using client = guardedClient();

    assert.deepEqual(await client.send(get('http://a.test/')), PRIVATE);
    assert.deepEqual(dials, [[PUBLIC], [PUBLIC]]);
  });
});

describe('a proxy', () => {
  /** Connects tunnels to a port, or answers with a status. */
  async function startTunnelProxy(
    outcome: { port: number } | { status: number },
    isSecure = false,
  ): Promise<TestServer> {
    const requests: Received[] = [];
    const server = isSecure ? https.createServer({ cert: CERTIFICATE, key: KEY }) : http.createServer();
    server.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
      recording(requests, () => undefined)(request, new http.ServerResponse(request));
      if ('status' in outcome) {
        socket.end(`HTTP/1.1 ${outcome.status} No\r\nContent-Length: 2\r\n\r\nno`);
        return;
      }
      const onward = net.connect(outcome.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
      socket.on('close', () => onward.destroy());
    });
    return listen(server, requests);
  }

  const credentials = `Basic ${Buffer.from('us@er:sesame').toString('base64')}`;

  test('is asked for the whole URL of an http target', async () => {
    await using proxy = await startServer();
    await using client = localClient({
      proxies: { http: `http://us%40er:sesame@proxy.test:${proxy.port}`, https: null },
    });

    const result = await client.send(
      get('http://user:pass@target.test:8080/x?y=1#z', {
        method: 'POST',
        headers: { Host: 'inside.test' },
        body: 'b',
      }),
    );

    assert.equal(received(result).text, 'fine');
    const [request] = proxy.requests;
    assert.equal(request?.url, 'http://target.test:8080/x?y=1');
    assert.equal(request?.headers.host, 'target.test:8080');
    assert.equal(request?.headers['proxy-authorization'], credentials);
    assert.equal(request?.headers.authorization, `Basic ${Buffer.from('user:pass').toString('base64')}`);
    assert.equal(request?.body, 'b');
  });

  test('may be named without a scheme, and is not asked for targets of the other', async () => {
    await using proxy = await startServer();
    await using direct = await startTlsServer();
    await using client = localClient({ proxies: { http: `proxy.test:${proxy.port}`, https: '' } });

    assert.equal(received(await client.send(get('http://target.test/'))).status, 200);
    assert.equal(proxy.requests[0]?.headers['proxy-authorization'], undefined);
    assert.deepEqual(await client.send(get(`https://other.test:${direct.port}/`)), TLS_FAILED);
    assert.equal(proxy.requests.length, 1);
  });

  for (const isSecure of [false, true]) {
    test(`that speaks ${isSecure ? 'TLS' : 'plain HTTP'} makes a tunnel to an https target`, async (t) => {
      trustTestCertificate(t);
      await using target = await startTlsServer();
      await using proxy = await startTunnelProxy({ port: target.port }, isSecure);
      const scheme = isSecure ? 'https' : 'http';
      await using client = localClient({
        proxies: { http: null, https: `${scheme}://us%40er:sesame@proxy.test:${proxy.port}` },
      });

      assert.equal(received(await client.send(get('https://tls.test/path'))).text, 'fine');
      assert.equal(received(await client.send(get('https://tls.test/path'))).text, 'fine');

      assert.equal(proxy.requests.length, 1);
      assert.equal(proxy.requests[0]?.method, 'CONNECT');
      assert.equal(proxy.requests[0]?.url, 'tls.test:443');
      assert.equal(proxy.requests[0]?.headers['proxy-authorization'], credentials);
      assert.equal(target.requests.length, 2);
      assert.equal(target.requests[0]?.headers.host, 'tls.test');
      assert.equal(target.requests[0]?.headers['proxy-authorization'], undefined);
    });
  }

  test('does not stand in for the target’s certificate', async (t) => {
    trustTestCertificate(t);
    await using target = await startTlsServer();
    await using proxy = await startTunnelProxy({ port: target.port });
    await using client = localClient({ proxies: { http: null, https: `http://proxy.test:${proxy.port}` } });

    assert.deepEqual(await client.send(get('https://other.test/')), TLS_FAILED);
    assert.equal(target.requests.length, 0);
    await proxy.idle();
  });

  test('whose own certificate is bad is told nothing', async () => {
    await using proxy = await startTunnelProxy({ status: 200 }, true);
    await using client = localClient({
      proxies: { http: null, https: `https://us:sesame@proxy.test:${proxy.port}` },
    });

    assert.deepEqual(await client.send(get('https://tls.test/')), TLS_FAILED);
    assert.equal(proxy.requests.length, 0);
  });

  for (const status of [403, 407, 502]) {
    test(`that answers ${status} to a tunnel is a failed connection`, async () => {
      await using proxy = await startTunnelProxy({ status });
      await using client = localClient({
        proxies: { http: null, https: `http://us:sesame@proxy.test:${proxy.port}` },
      });

      assert.deepEqual(await client.send(get('https://tls.test/')), FAILED);
      await proxy.idle();
    });
  }

  test('that does not answer is a time-out, that hangs up a failure', async () => {
    await using silent = await startRawServer((socket) => socket.resume());
    await using closing = await startRawServer((socket) => socket.once('data', () => socket.destroy()));
    await using patient = localClient({
      proxies: { http: null, https: `http://p:${silent.port}` },
      timeoutMs: 100,
    });
    await using other = localClient({ proxies: { http: null, https: `http://p:${closing.port}` } });

    assert.deepEqual(await patient.send(get('https://tls.test/')), TIMED_OUT);
    assert.deepEqual(await other.send(get('https://tls.test/')), FAILED);
    await silent.idle();
  });

  test('with a private address is refused', async (t) => {
    const dials = watchDials(t, () => null);
    const resolve = async (host: string) => (host === 'proxy.test' ? ['10.0.0.1'] : [PUBLIC]);
    for (const proxy of [
      'http://proxy.test:3128',
      'https://proxy.test',
      'http://127.0.0.1:3128',
      'http://localhost',
    ]) {
      await using client = guardedClient({ resolve, proxies: { http: proxy, https: proxy } });

      assert.deepEqual(await client.send(get('http://a.test/')), PRIVATE, proxy);
      assert.deepEqual(await client.send(get('https://a.test/')), PRIVATE, proxy);
    }
    assert.deepEqual(dials, []);
  });

  test('is not asked for a target that is private here, or partly', async (t) => {
    const dials = watchDials(t, () => null);
    await using client = guardedClient({
      resolve: async (host) => (host === 'proxy.test' ? [PUBLIC] : [PUBLIC, '10.0.0.1']),
      proxies: { http: 'http://proxy.test:3128', https: 'http://proxy.test:3128' },
    });

    for (const host of ['127.0.0.1', '[::1]', '0x7f.1', 'localhost', 'partly.test']) {
      assert.deepEqual(await client.send(get(`http://${host}/`)), PRIVATE, host);
      assert.deepEqual(await client.send(get(`https://${host}/`)), PRIVATE, host);
    }
    assert.deepEqual(dials, []);
  });

  test('is asked for a public target, and for one that is unknown here', async (t) => {
    await using proxy = await startServer();
    const dials = watchDials(t, () => proxy.port);
    await using client = guardedClient({
      resolve: async (host) => (host === 'unknown.test' ? [] : [PUBLIC]),
      proxies: { http: 'http://proxy.test:3128', https: null },
    });

    assert.equal(received(await client.send(get('http://a.test/'))).status, 200);
    assert.equal(received(await client.send(get('http://unknown.test/'))).status, 200);
    assert.deepEqual(dials, [[PUBLIC], [PUBLIC]]);
  });

  test('is not asked where a redirect leads inside', async (t) => {
    await using proxy = await startServer((_request, response) => {
      response.writeHead(302, { Location: 'http://169.254.169.254/' }).end();
    });
    watchDials(t, () => proxy.port);
    await using client = guardedClient({ proxies: { http: 'http://proxy.test:3128', https: null } });

    assert.deepEqual(await client.send(get('http://a.test/')), PRIVATE);
    assert.equal(proxy.requests.length, 1);
  });

  test('of another protocol is refused at the start, without its password', () => {
    for (const proxy of ['socks5://us:sesame@proxy.test', 'http://us:sesame@', 'ftp://sesame.test']) {
      assert.throws(
        () => localClient({ proxies: { http: proxy, https: null } }),
        (error: Error) => error instanceof TypeError && !/sesame/.test(`${error.message} ${error.stack}`),
      );
    }
  });
});
