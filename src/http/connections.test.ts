import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import pino from 'pino';
import { Connections } from './connections.ts';
import { HTTP_LIMITS, type HttpLimits } from './limits.ts';
import { Refusals } from './refusals.ts';

const HOUR_MS = 3_600_000;
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

interface Served extends AsyncDisposable {
  readonly server: Server;
  readonly connections: Connections;
  readonly events: Record<string, unknown>[];
  /** A client of the server. */
  open(): Client;
}

interface Client {
  readonly socket: Socket;
  /** All that has come once it matches. */
  until(pattern: RegExp): Promise<string>;
  /** All that has come until the server closed the connection. */
  untilClosed(): Promise<string>;
}

async function serve(
  limits: Partial<HttpLimits>,
  { answer = (_request, response) => void response.end('OK'), isExempt = () => false } = {} as {
    answer?: RequestListener;
    isExempt?: (address: string) => boolean;
  },
): Promise<Served> {
  const events: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void events.push(JSON.parse(line)) });
  const refusals = new Refusals(log);
  const connections = new Connections({
    limits: { ...HTTP_LIMITS, maxConnectionMs: 100 * HOUR_MS, ...limits },
    isExempt,
    refusals,
  });
  const server = createServer({ keepAliveTimeout: 600_000 }, answer);
  connections.watch(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets: Socket[] = [];
  return {
    server,
    connections,
    events,
    open() {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      return clientOf(socket);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function clientOf(socket: Socket): Client {
  let received = '';
  let isClosed = false;
  let wake = Promise.withResolvers<void>();
  const notify = () => {
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    notify();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
    notify();
  });
  return {
    socket,
    async until(pattern) {
      while (!pattern.test(received)) {
        if (isClosed) throw new Error(`closed before ${pattern}: ${received}`);
        await wake.promise;
      }
      return received;
    },
    async untilClosed() {
      while (!isClosed) await wake.promise;
      return received;
    },
  };
}

/** Lets so many sweeps pass over few connections: each takes a part for every connection, and one to find the end. */
function sweep(served: Served, times: number): void {
  for (let n = 0; n < times * 3; n++) served.connections.sweepPart();
}

/** The answer to a new client. */
async function statusOf(served: Served): Promise<string> {
  const client = served.open();
  client.socket.write(REQUEST);
  const answer = await client.until(/\r\n\r\n/);
  return answer.slice(9, 12);
}

/** A client that has been answered and keeps its connection. */
async function openIdle(served: Served): Promise<Client> {
  const client = served.open();
  client.socket.write(REQUEST);
  await client.until(/OK/);
  return client;
}

const closedOn = (server: Server) =>
  new Promise<void>((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));

test('a connection too many is told so and closed', async () => {
  await using served = await serve({ maxConnections: 2 });
  const kept = [await openIdle(served), await openIdle(served)];

  const refused = served.open();
  const answer = await refused.untilClosed();
  kept[0]?.socket.destroy();

  assert.match(answer, /^HTTP\/1\.1 503 /);
  assert.match(answer, /\r\nRetry-After: 1\r\nConnection: close\r\n/);
  while ((await statusOf(served)) !== '200');
});

test('connections of one address are limited, unless it may have any number', async () => {
  await using strict = await serve({ maxConnectionsPerAddress: 1 });
  await using lenient = await serve(
    { maxConnectionsPerAddress: 1 },
    { isExempt: (address) => address === '127.0.0.1' },
  );
  for (const served of [strict, lenient]) await openIdle(served);

  assert.equal(await statusOf(strict), '503');
  assert.equal(await statusOf(lenient), '200');
});

for (const limit of ['maxConnections', 'maxConnectionsPerAddress'] as const) {
  test(`where ${limit} is reached, the connection that has been idle for longest makes room`, async () => {
    await using served = await serve({ [limit]: 2, sweepMs: HOUR_MS });
    const oldest = await openIdle(served);
    await openIdle(served);

    assert.equal(await statusOf(served), '503');
    sweep(served, 2);

    assert.equal(await statusOf(served), '200');
    assert.match(await oldest.untilClosed(), /OK$/);
  });
}

for (const limit of ['maxConnections', 'maxConnectionsPerAddress'] as const) {
  test(`where ${limit} is reached, the oldest connection that has never asked for anything makes room at once`, async () => {
    await using served = await serve({ [limit]: 3, sweepMs: HOUR_MS });
    const used = await openIdle(served);
    const silent = served.open();
    const slow = served.open();
    slow.socket.write(REQUEST.slice(0, 10));
    await Promise.all([silent, slow].map(({ socket }) => once(socket, 'connect')));

    assert.equal(await statusOf(served), '200');
    assert.equal(await silent.untilClosed(), '');
    assert.equal(await statusOf(served), '200');
    assert.equal(await slow.untilClosed(), '');

    used.socket.write(REQUEST);
    await used.until(/(?:\r\n\r\nOK[\s\S]*){2}/);
  });
}

test('a connection that was used since the last sweep does not make room', async () => {
  await using served = await serve({ maxConnections: 2, sweepMs: HOUR_MS });
  const oldest = await openIdle(served);
  const other = await openIdle(served);
  sweep(served, 2);
  oldest.socket.write(REQUEST);
  await oldest.until(/(?:\r\n\r\nOK[\s\S]*){2}/);

  assert.equal(await statusOf(served), '200');

  await other.untilClosed();
  oldest.socket.write(REQUEST);
  await oldest.until(/(?:\r\n\r\nOK[\s\S]*){3}/);
});

test('a connection that owes an answer does not make room', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await using served = await serve(
    { maxConnections: 1, sweepMs: HOUR_MS },
    { answer: (_request, response) => void answered.then(() => response.end('OK')) },
  );
  const busy = served.open();
  busy.socket.write(REQUEST);
  await new Promise((resolve) => served.server.once('request', resolve));

  sweep(served, 3);
  assert.equal(await statusOf(served), '503');
  answer();

  await busy.until(/OK/);
});

test('connections that come and go do not keep a sweep from its end', async () => {
  await using served = await serve({ maxConnections: 100, sweepMs: HOUR_MS, maxConnectionMs: HOUR_MS });
  const kept = await Promise.all(Array.from({ length: 5 }, () => openIdle(served)));

  for (let part = 0; part < 60; part++) {
    // More than a part of the sweep looks at.
    for (const client of await Promise.all([openIdle(served), openIdle(served)])) client.socket.destroy();
    served.connections.sweepPart();
  }

  // They have become too old, which only sweeps find out.
  for (const client of kept) assert.match(await client.untilClosed(), /OK$/);
});

test('refusals are told of once in a sweep', async () => {
  await using served = await serve({ maxConnections: 1, sweepMs: HOUR_MS });
  await openIdle(served);

  for (let n = 0; n < 5; n++) assert.equal(await statusOf(served), '503');
  assert.deepEqual(served.events, []);
  sweep(served, 3);

  assert.deepEqual(
    served.events.map(({ event, reason, count }) => [event, reason, count]),
    [['http.refused', 'too_many_connections', 5]],
  );
});

for (const [what, limits] of [
  ['does not take a byte of its answer', { maxUnreadAnswerMs: 20, maxSendingMs: 600_000 }],
  ['always has more of its answers to take', { maxUnreadAnswerMs: 600_000, maxSendingMs: 20 }],
] as const) {
  test(`a client that ${what} is cut off`, async () => {
    const long = Buffer.alloc(32 * 1024 * 1024);
    await using served = await serve(
      { ...limits, sweepMs: 10 },
      { answer: (_request, response) => void response.end(long) },
    );
    const cut = closedOn(served.server);

    const client = served.open();
    client.socket.pause();
    client.socket.write(REQUEST);

    await cut;
  });
}

test('a client that waits for its answer is not cut off, however long it takes', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await using served = await serve(
    { sweepMs: 10 },
    {
      answer: (request, response) => {
        request.socket.setTimeout(5);
        void answered.then(() => response.end('OK'));
      },
    },
  );
  const client = served.open();
  client.socket.write(REQUEST);
  await new Promise((resolve) => served.server.once('timeout', resolve));

  answer();

  await client.until(/OK/);
});

test('a connection expires with its time, not before', async () => {
  await using served = await serve({ sweepMs: 1_000, maxConnectionMs: 3_000 });
  const accepted = new Promise<Socket>((resolve) => served.server.once('connection', resolve));
  await openIdle(served);
  const socket = await accepted;

  // A sweep of one connection is one part, and another that finds the end.
  for (let n = 0; n < 6; n++) served.connections.sweepPart();
  assert.equal(served.connections.isExpired(socket), false);
  for (let n = 0; n < 2; n++) served.connections.sweepPart();
  assert.equal(served.connections.isExpired(socket), true);
});
