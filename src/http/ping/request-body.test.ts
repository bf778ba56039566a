import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { readPingBody } from './request-body.ts';

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

    const { bytes, isEndless } = await readPingBody(request, limit);

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

    assert.deepEqual(await readPingBody(request, limit), { bytes: null, isEndless: false });
  }
});

test('a body that does not end is cut when enough of it has run away', async () => {
  const request = requestWith('hello ', 'wor', 'ld');

  const { bytes, isEndless } = await readPingBody(request, 5, 5);

  assert.equal(Buffer.from(bytes ?? []).toString(), 'hello');
  assert.equal(isEndless, true);
});

test('a request that closes before its end is not completed', async () => {
  const request = requestWith('hello');
  request.once('data', () => request.destroy());

  await assert.rejects(readPingBody(request, null), /the request was not completed/);
});
