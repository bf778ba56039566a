import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { type Patience, readPingBody } from './request-body.ts';

const PATIENCE: Patience = { bytes: 1_000, millis: 60_000, totalMillis: 60_000 };

/** A request of which these pieces have come. */
function requestWith(...pieces: readonly string[]): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  for (const piece of pieces) request.push(piece);
  return request;
}

test('a body is put together of its pieces, up to the limit', async () => {
  for (const [limit, kept] of [
    [null, 'hello world'],
    [11, 'hello world'],
    [7, 'hello w'],
    [6, 'hello '],
    [5, 'hello'],
  ] as const) {
    const request = requestWith('hello ', 'wor', 'ld');
    request.push(null);

    const { bytes, isEndless } = await readPingBody(request, limit, PATIENCE);

    assert.equal(Buffer.from(bytes ?? []).toString(), kept);
    assert.equal(isEndless, false);
  }
});

test('a body of nothing, or of which nothing is kept, is none', async () => {
  for (const [pieces, limit] of [
    [[], null],
    [['hello'], 0],
  ] as const) {
    const request = requestWith(...pieces);
    request.push(null);

    assert.deepEqual(await readPingBody(request, limit, PATIENCE), { bytes: null, isEndless: false });
  }
});

test('a body that does not end is cut when enough of it has run away', async () => {
  const request = requestWith('hello ', 'wor', 'ld');

  const { bytes, isEndless } = await readPingBody(request, 5, { ...PATIENCE, bytes: 5 });

  assert.equal(Buffer.from(bytes ?? []).toString(), 'hello');
  assert.equal(isEndless, true);
});

test('a request that closes before its end is not completed', async () => {
  const request = requestWith('hello');
  request.once('data', () => request.destroy());

  await assert.rejects(readPingBody(request, null, PATIENCE), /the request was not completed/);
});

test('a body of which all that is kept has come is not waited for beyond a time of its own, or of the request', async () => {
  for (const patience of [
    { ...PATIENCE, millis: 10 },
    { ...PATIENCE, totalMillis: 10 },
    { ...PATIENCE, totalMillis: 0 },
  ]) {
    const { bytes, isEndless } = await readPingBody(requestWith('hello'), 5, patience);

    assert.equal(Buffer.from(bytes ?? []).toString(), 'hello');
    assert.equal(isEndless, true);
  }
});

test('a request that closes when all that is kept has come is as good as complete', async () => {
  for (const limit of [5, 3, 0]) {
    const request = requestWith('hello');
    request.once('data', () => request.destroy());

    const { bytes } = await readPingBody(request, limit, PATIENCE);

    assert.equal(Buffer.from(bytes ?? []).toString(), 'hello'.slice(0, limit));
  }
});
