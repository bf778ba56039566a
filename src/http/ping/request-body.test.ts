import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { ByteBudget } from '../../lib/byte-budget.ts';
import { type DrainLimits, readPingBody } from './request-body.ts';

const DRAIN_LIMITS: DrainLimits = { bytes: 10_000, millis: 60_000, totalMillis: 60_000 };

const plenty = () => new ByteBudget(1_000_000);

/** A request whose first pieces have come. */
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

    const { bytes, isEndless } = await readPingBody(request, limit, DRAIN_LIMITS, plenty());

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

    assert.deepEqual(await readPingBody(request, limit, DRAIN_LIMITS, plenty()), {
      bytes: null,
      isEndless: false,
    });
  }
});

test('a body that does not end is cut when enough of it has run away', async () => {
  const request = requestWith('hello ', 'wor', 'ld');

  const { bytes, isEndless } = await readPingBody(request, 5, { ...DRAIN_LIMITS, bytes: 5 }, plenty());

  assert.equal(Buffer.from(bytes ?? []).toString(), 'hello');
  assert.equal(isEndless, true);
});

test('a request that closes before its end is not completed', async () => {
  const request = requestWith('hello');
  request.once('data', () => request.destroy());

  await assert.rejects(readPingBody(request, null, DRAIN_LIMITS, plenty()), /the request was not completed/);
});

test('a body of which all that is kept has come is not waited for beyond a time of its own, or of the request', async () => {
  for (const limits of [
    { ...DRAIN_LIMITS, millis: 10 },
    { ...DRAIN_LIMITS, totalMillis: 10 },
    { ...DRAIN_LIMITS, totalMillis: 0 },
  ]) {
    const { bytes, isEndless } = await readPingBody(requestWith('hello'), 5, limits, plenty());

    assert.equal(Buffer.from(bytes ?? []).toString(), 'hello');
    assert.equal(isEndless, true);
  }
});

test('a request that closes when all that is kept has come is as good as complete', async () => {
  for (const limit of [5, 3, 0]) {
    const request = requestWith('hello');
    request.once('data', () => request.destroy());

    const { bytes } = await readPingBody(request, limit, DRAIN_LIMITS, plenty());

    assert.equal(Buffer.from(bytes ?? []).toString(), 'hello'.slice(0, limit));
  }
});

test('a body in single bytes takes no more memory than it is long, and exactly that once it is read', async () => {
  const budget = plenty();
  const request = requestWith(...'x'.repeat(100));
  const reading = readPingBody(request, null, { ...DRAIN_LIMITS, bytes: 1_000_000 }, budget);
  request.once('data', () => assert.ok(budget.usedBytes <= 4_096, `${budget.usedBytes} bytes`));
  request.push(null);

  const { bytes } = await reading;

  assert.equal(bytes?.length, 100);
  assert.equal(bytes?.buffer.byteLength, 100);
  assert.equal(budget.usedBytes, 100);
});

test('a body that comes in one piece takes as much as it is long', async () => {
  const budget = new ByteBudget(5);
  const request = requestWith('hello');
  request.headers['content-length'] = '5';
  request.push(null);

  const { bytes } = await readPingBody(request, null, DRAIN_LIMITS, budget);

  assert.equal(Buffer.from(bytes ?? []).toString(), 'hello');
  assert.equal(budget.usedBytes, 5);
});

test('of a body for which there is no room any more the part that has come is kept', async () => {
  const budget = new ByteBudget(5_000);
  const request = requestWith('a'.repeat(3_000), 'b'.repeat(3_000), 'c'.repeat(500));
  request.push(null);

  const { bytes, isEndless } = await readPingBody(request, null, { ...DRAIN_LIMITS, bytes: 10_000 }, budget);

  assert.equal(Buffer.from(bytes ?? []).toString(), 'a'.repeat(3_000));
  assert.equal(isEndless, false);
  assert.equal(budget.usedBytes, 3_000);
});

test('a body without any room is none, and is not waited for when its client goes away', async () => {
  const budget = new ByteBudget(10);
  const request = requestWith('hello world');
  request.once('data', () => request.destroy());

  const { bytes } = await readPingBody(request, null, DRAIN_LIMITS, budget);

  assert.equal(bytes, null);
  assert.equal(budget.usedBytes, 0);
});

test('long bodies leave half of the room to short ones', async () => {
  const budget = new ByteBudget(1_000_000);
  budget.take(600_000);
  const limits = { ...DRAIN_LIMITS, bytes: 1_000_000 };
  const long = requestWith('x'.repeat(60_000), 'x'.repeat(60_000));
  const short = requestWith('x'.repeat(30_000), 'x'.repeat(30_000));
  for (const request of [long, short]) request.push(null);

  assert.equal((await readPingBody(long, null, limits, budget)).bytes?.length, 60_000);
  assert.equal((await readPingBody(short, null, limits, budget)).bytes?.length, 60_000);
});

test('a body in single bytes without end is cut long before as many bytes as a body of large pieces', async () => {
  const request = requestWith(...'x'.repeat(20));

  const { bytes, isEndless } = await readPingBody(request, 100, { ...DRAIN_LIMITS, bytes: 10_240 }, plenty());

  assert.equal(bytes?.length, 11);
  assert.equal(isEndless, true);
});

test('a request that closes before its end gives its memory back', async () => {
  const budget = plenty();
  const request = requestWith('hello');
  request.once('data', () => request.destroy());

  await assert.rejects(readPingBody(request, null, DRAIN_LIMITS, budget));

  assert.equal(budget.usedBytes, 0);
});
