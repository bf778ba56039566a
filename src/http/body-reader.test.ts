import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { ByteBudget } from '../lib/byte-budget.ts';
import { BodyReader } from './body-reader.ts';

interface Reading {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly budget: ByteBudget;
  readonly reader: BodyReader;
}

function read({ limit = 100_000, room = 1_000_000, declared = '' } = {}): Reading {
  const request = new IncomingMessage(new Socket());
  if (declared !== '') request.headers['content-length'] = declared;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = true;
  const budget = new ByteBudget(room);
  return { request, response, budget, reader: new BodyReader(request, response, limit, budget) };
}

/** Sends the pieces. Each has arrived before the next. */
async function send(request: IncomingMessage, ...pieces: (string | null)[]): Promise<void> {
  for (const piece of pieces) {
    request.push(piece);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

test('a body is put together of its pieces, and its memory given back with the answer', async () => {
  const { request, response, budget, reader } = read();

  await send(request, '{"name":', '"a"', '}', null);

  assert.equal(Buffer.from(await reader.whole).toString(), '{"name":"a"}');
  assert.ok(budget.usedBytes > 0);
  response.emit('close');
  assert.equal(budget.usedBytes, 0);
});

test('a body in single bytes takes no more memory than the same at once', async () => {
  const { request, budget, reader } = read();

  await send(request, ...'x'.repeat(1_000), null);

  assert.equal((await reader.whole).length, 1_000);
  assert.ok(budget.usedBytes <= 4_096, `${budget.usedBytes} bytes`);
});

test('a body of more pieces than a body of its limit needs is too large', async () => {
  const { request, response, budget, reader } = read({ limit: 640 });

  await send(request, ...'x'.repeat(10));
  assert.equal(response.shouldKeepAlive, true);
  await send(request, 'x');

  await assert.rejects(reader.whole, { code: 'body_too_large' });
  assert.equal(budget.usedBytes, 0);
  assert.equal(response.shouldKeepAlive, false);
});

test('a body may be as long as its limit and no longer, whether it says so or not', async () => {
  const longest = read({ limit: 100, declared: '100' });
  await send(longest.request, 'x'.repeat(100), null);
  const longer = read({ limit: 100 });
  await send(longer.request, 'x'.repeat(99), 'xx');
  const claimed = read({ limit: 100, declared: '101' });

  assert.equal((await longest.reader.whole).length, 100);
  for (const { reader, response, budget } of [longer, claimed]) {
    await assert.rejects(reader.whole, { code: 'body_too_large' });
    assert.equal(response.shouldKeepAlive, false);
    assert.equal(budget.usedBytes, 0);
  }
});

test('the body of a client that is gone already takes nothing', async () => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const budget = new ByteBudget(1_000_000);
  request.push('x'.repeat(100));
  request.destroy();

  const reader = new BodyReader(request, response, 100_000, budget);

  await assert.rejects(reader.whole, { code: 'invalid_body' });
  assert.equal(budget.usedBytes, 0);
});

test('a body for which there is no room is refused for now', async () => {
  const { request, response, budget, reader } = read({ room: 5_000 });

  await send(request, 'x'.repeat(3_000), 'x'.repeat(3_000));

  await assert.rejects(reader.whole, { code: 'overloaded', retryAfterSeconds: 1 });
  assert.equal(budget.usedBytes, 0);
  assert.equal(response.shouldKeepAlive, false);
});

test('a body of which the client has not sent all is incomplete', async () => {
  const { request, budget, reader } = read();

  await send(request, 'x');
  request.destroy();

  await assert.rejects(reader.whole, { code: 'invalid_body' });
  assert.equal(budget.usedBytes, 0);
});

test('what comes after the answer takes no memory', async () => {
  const { request, response, budget } = read();

  await send(request, 'x');
  response.emit('close');
  await send(request, 'x'.repeat(10_000));

  assert.equal(budget.usedBytes, 0);
});
