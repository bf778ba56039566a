import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { sendPieces } from './pieces.ts';

/** A server whose only answer is made of these pieces. */
async function serve(pieces: () => AsyncIterable<string>, byteLength: number | null = null) {
  const server = createServer(async (_request, response) => {
    await sendPieces(response, 200, {}, pieces(), { byteLength }).catch(() => {
      if (!response.headersSent) response.writeHead(500).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url: `http://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close };
}

const LONG = 'x'.repeat(100_000);

test('short pieces are sent as a whole, with their length', async () => {
  await using server = await serve(async function* () {
    yield '[1,';
    yield '2]';
  });

  const reply = await fetch(server.url);

  assert.equal(reply.headers.get('content-length'), '5');
  assert.equal(reply.headers.get('content-type'), 'application/json');
  assert.deepEqual(await reply.json(), [1, 2]);
});

test('long pieces are sent one after the other', async () => {
  await using server = await serve(async function* () {
    yield `["${LONG}"`;
    yield `,"${LONG}ü"`;
    yield ']';
  });

  const reply = await fetch(server.url);

  assert.equal(reply.headers.get('content-length'), null);
  assert.deepEqual(await reply.json(), [LONG, `${LONG}ü`]);
});

test('a failure before anything long was sent is answered as such', async () => {
  await using server = await serve(async function* () {
    yield '[';
    throw new Error('the database is gone');
  });

  assert.equal((await fetch(server.url)).status, 500);
});

test('a failure in the middle ends the connection, so that nobody takes a part for the whole', async () => {
  await using server = await serve(async function* () {
    yield `["${LONG}"`;
    throw new Error('the database is gone');
  });

  const reply = await fetch(server.url);

  assert.equal(reply.status, 200);
  await assert.rejects(reply.text());
});

test('a client that goes away in the middle ends the reading', async () => {
  const ended = Promise.withResolvers<void>();
  await using server = await serve(async function* () {
    try {
      for (;;) yield LONG;
    } finally {
      ended.resolve();
    }
  });

  const [reply] = (await once(get(server.url), 'response')) as [IncomingMessage];
  await once(reply, 'data');
  reply.destroy();

  await ended.promise;
});

test('an answer of a known length ends with its last byte, so that the next request on the connection finds it ended', async () => {
  const isAskedTooOften = Promise.withResolvers<void>();
  let asked = 0;
  const pieces = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        if (++asked > 3) isAskedTooOften.resolve();
        return Promise.resolve({ done: false, value: LONG });
      },
    }),
  };
  await using server = await serve(() => pieces, 3 * LONG.length);

  const text = await (await fetch(server.url)).text();

  assert.equal(text.length, 3 * LONG.length);
  await Promise.race([isAskedTooOften.promise, server.close()]);
  assert.equal(asked, 3);
});
