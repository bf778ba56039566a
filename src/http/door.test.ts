import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, test } from 'node:test';
import pino from 'pino';
import { FakeClock } from '../../test/fake-clock.ts';
import { FakeTimers } from '../../test/fake-timers.ts';
import { until } from '../../test/waiting.ts';
import { Door, MAX_PING_WAIT_SECONDS, MAX_WAITING_PINGS, MAX_WAITING_PINGS_PER_CLIENT } from './door.ts';
import { HttpListener } from './listener.ts';

let listener: HttpListener;
let door: Door;
let timers: FakeTimers;
let base: string;

beforeEach(async () => {
  timers = new FakeTimers(new FakeClock(0));
  const limits = { maxConnectionsPerAddress: Number.POSITIVE_INFINITY };
  listener = new HttpListener({
    log: pino({ level: 'silent' }),
    requestTimeoutSeconds: 30,
    trustedProxies: [],
    limits,
  });
  door = new Door(listener, { prefix: '/below', timers });
  await listener.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${listener.port}/below`;
});
afterEach(() => door.close());

const waiting = (count: number) => until(`${count} pings wait`, () => door.waitingCount === count);

async function lineOf(reply: Promise<Response>) {
  const answer = await reply;
  return { status: answer.status, line: await answer.text(), retryAfter: answer.headers.get('retry-after') };
}

test('pings wait until the service has started, and are passed on in the order in which they came', async () => {
  const first = fetch(`${base}/ping/a`, { method: 'POST', body: 'the whole output' });
  await waiting(1);
  const second = fetch(`${base}/%70ing/b`);
  await waiting(2);

  const passedOn: string[] = [];
  door.open((request, response) => {
    passedOn.push(request.url ?? '');
    void text(request).then((body) => response.end(`${request.url} ${body}`));
  });

  assert.equal(await (await first).text(), '/below/ping/a the whole output');
  assert.equal(await (await second).text(), '/below/%70ing/b ');
  assert.equal(await (await fetch(`${base}/ping/c`)).text(), '/below/ping/c ');
  assert.deepEqual(passedOn, ['/below/ping/a', '/below/%70ing/b', '/below/ping/c']);
});

test('a ping that has waited for ten seconds is refused, and told to come again', async () => {
  const ping = fetch(`${base}/ping/a`);
  await waiting(1);
  timers.pass(MAX_PING_WAIT_SECONDS - 1);
  assert.equal(door.waitingCount, 1);
  timers.pass(1);
  assert.deepEqual(await lineOf(ping), {
    status: 503,
    line: 'starting: opening the database',
    retryAfter: '5',
  });
});

test('at most a thousand pings wait', async () => {
  const sockets: Socket[] = [];
  const request = 'GET /below/ping/a HTTP/1.1\r\nHost: a\r\n\r\n';
  for (let sent = 0; sent < MAX_WAITING_PINGS; sent += 50) {
    const pipelining = connect({ host: '127.0.0.1', port: listener.port ?? 0 });
    sockets.push(pipelining);
    pipelining.write(request.repeat(50));
  }
  await waiting(MAX_WAITING_PINGS);
  const { status, retryAfter } = await lineOf(fetch(`${base}/ping/b`));
  assert.deepEqual([status, retryAfter], [503, '5']);
  for (const open of sockets) open.resetAndDestroy();
  await waiting(0);
});

test('one client takes a hundred of these places', () => {
  let receive: RequestListener = () => assert.fail();
  const answerBy = (answer: RequestListener) => {
    receive = answer;
  };
  const full = new Door(
    { answerBy, isExempt: (address) => address === '10.0.0.1', close: async () => undefined },
    { prefix: '', timers },
  );
  const ping = (remoteAddress: string) => {
    const request = new IncomingMessage(new Socket());
    Object.defineProperty(request.socket, 'remoteAddress', { value: remoteAddress });
    request.url = '/ping/a';
    const response = new ServerResponse(request);
    receive(request, response);
    return response;
  };
  const first = ping('192.0.2.1');
  for (let n = 1; n < MAX_WAITING_PINGS_PER_CLIENT; n++) ping('192.0.2.1');
  assert.equal(ping('::ffff:192.0.2.1').statusCode, 503);
  for (let n = 0; n <= MAX_WAITING_PINGS_PER_CLIENT; n++) ping('10.0.0.1');
  ping('192.0.2.2');
  assert.equal(full.waitingCount, 2 * MAX_WAITING_PINGS_PER_CLIENT + 2);

  first.emit('close');
  ping('192.0.2.1');
  assert.equal(full.waitingCount, 2 * MAX_WAITING_PINGS_PER_CLIENT + 2);
  assert.equal(ping('192.0.2.1').statusCode, 503);
  full.refuseAll();
  assert.equal(full.waitingCount, 0);
});

test('all others learn how far the start is', async () => {
  door.tell('migration 3 of 5: 0012_links');
  for (const path of ['/', '/api/v3/checks/', '/api/v3/ready/', '/api/v3/accepts/']) {
    const { status, line, retryAfter } = await lineOf(fetch(base + path));
    assert.deepEqual([status, line, retryAfter], [503, 'starting: migration 3 of 5: 0012_links', '5'], path);
  }
  const posted = await lineOf(fetch(`${base}/api/v3/checks/`, { method: 'POST', body: '{}' }));
  assert.equal(posted.status, 503);
});

test('the process is alive while it starts', async () => {
  for (const version of [1, 2, 3]) {
    const { status, line } = await lineOf(fetch(`${base}/api/v${version}/live/`));
    assert.deepEqual([status, line], [200, 'alive']);
  }
});

test('a client that goes away is forgotten', async () => {
  const socket = connect({ host: '127.0.0.1', port: listener.port ?? 0 });
  socket.write('GET /below/ping/a HTTP/1.1\r\nHost: a\r\n\r\n');
  await waiting(1);
  socket.resetAndDestroy();
  await waiting(0);
});

test('pings that wait are refused when the start is given up', async () => {
  const ping = fetch(`${base}/ping/a`);
  await waiting(1);
  const closed = once(listener.server, 'close');
  const closing = door.close();
  assert.deepEqual(await lineOf(ping), { status: 503, line: 'starting: stopping', retryAfter: '5' });
  await Promise.all([closing, closed]);
});
