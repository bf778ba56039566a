import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HANG_MS } from '../../test/waiting.ts';
import { type Line, MAX_RECEIVED_BYTES, SocketClient } from './socket-client.ts';

test('a conversation reads until the other side ends, over a port and over a path', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'socket-'));
  const path = join(folder, 's');
  await using byPort = await serve(0, echo);
  await using byPath = await serve(path, echo);
  await using client = new SocketClient({ allowPrivateAddresses: true });

  for (const target of [{ host: '127.0.0.1', port: byPort.port, isSecure: false }, { path }]) {
    assert.equal(await client.converse(target, HANG_MS, ask('hello')), 'hello');
  }
  assert.equal(byPath.connections, 1);
  await rm(folder, { recursive: true });
});

test('a private address is refused unless it is allowed', async () => {
  await using server = await serve(0, echo);
  await using client = new SocketClient({ allowPrivateAddresses: false });
  const refused = { error: 'Connections to private IP addresses are not allowed' };

  for (const host of ['127.0.0.1', 'localhost', '::1']) {
    const target = { host, port: server.port, isSecure: false };
    assert.deepEqual(await client.converse(target, HANG_MS, ask('hello')), refused);
  }
  assert.equal(server.connections, 0);
});

test('silence is a time-out, and a stop ends it', async () => {
  await using server = await serve(0, () => undefined);
  const client = new SocketClient({ allowPrivateAddresses: true });
  const target = { host: '127.0.0.1', port: server.port, isSecure: false };

  assert.deepEqual(await client.converse(target, 20, ask('hello')), { error: 'Connection timed out' });
  const waiting = client.converse(target, HANG_MS, ask('hello'));
  await client[Symbol.asyncDispose]();
  assert.deepEqual(await waiting, { error: 'Connection failed' });
});

test('a refused connection, a broken one and a flood are failures', async () => {
  const failed = { error: 'Connection failed' };
  await using resetting = await serve(0, (socket) => socket.resetAndDestroy());
  await using flooding = await serve(0, (socket) => {
    socket.on('error', () => undefined);
    socket.write(new Uint8Array(MAX_RECEIVED_BYTES + 1));
  });
  await using client = new SocketClient({ allowPrivateAddresses: true });

  for (const port of [1, resetting.port, flooding.port]) {
    const target = { host: '127.0.0.1', port, isSecure: false };
    assert.deepEqual(await client.converse(target, HANG_MS, ask('hello')), failed);
  }
});

test('TLS is never tried without a certificate that is right', async () => {
  await using server = await serve(0, echo);
  await using client = new SocketClient({ allowPrivateAddresses: true });
  const target = { host: '127.0.0.1', port: server.port, isSecure: true };

  assert.deepEqual(await client.converse(target, HANG_MS, ask('hello')), { error: 'TLS handshake failed' });
});

function ask(question: string): (line: Line) => Promise<string> {
  return async (line) => {
    line.write(question);
    line.end();
    const answer: Uint8Array[] = [];
    for (let bytes = await line.read(); bytes !== null; bytes = await line.read()) answer.push(bytes);
    return Buffer.concat(answer).toString();
  };
}

function echo(socket: net.Socket): void {
  socket.on('error', () => undefined);
  socket.pipe(socket);
}

interface TestServer extends AsyncDisposable {
  readonly port: number;
  readonly connections: number;
}

async function serve(at: number | string, onConnection: (socket: net.Socket) => void): Promise<TestServer> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    onConnection(socket);
  });
  if (typeof at === 'string') server.listen(at);
  else server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get connections() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
