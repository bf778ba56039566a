import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { FakeClock } from '../../test/fake-clock.ts';
import { AppError, type ErrorCode } from '../domain/errors.ts';
import { systemRandom } from '../lib/random.ts';
import { createVault } from '../lib/vault.ts';
import { newDeviceToken } from '../services/people/devices.ts';
import { EarlyRefusals } from './early-refusals.ts';
import { MAX_KEYLESS_BODY_BYTES, MAX_REFUSED_ATTEMPTS_PER_MINUTE } from './limits.ts';
import type { Route } from './route.ts';

const PATH = '/dashboard/api/do/signInWithPassword';
const STRANGER = '198.51.100.7';
const SIGN_IN: Route = {
  path: PATH,
  cors: false,
  operations: { POST: { auth: 'visitor', handle: async () => ({ status: 204 }) } },
};

interface Sent {
  readonly address?: string;
  readonly device?: string;
  readonly method?: string;
  readonly path?: string;
  readonly length?: number | null;
}

function given() {
  const clock = new FakeClock(1_709_294_400_000_000);
  const vault = createVault('a secret', systemRandom);
  const refusals = new EarlyRefusals([SIGN_IN], {
    prefix: '/site',
    clock,
    vault,
    deviceCookie: 'device',
    addressOf: (request) => String(request.headers['x-from']),
    newRequestId: () => '1',
    everyHeader: {},
  });
  /** An attempt that reached its handler and was refused there. */
  const fail = (code: ErrorCode, { address = STRANGER, device }: Sent = {}) => {
    const client = { address, userAgent: '', device: device ?? null };
    return assert.rejects(refusals.watch(client, () => Promise.reject(new AppError(code))));
  };
  const failOften = async (sent?: Sent) => {
    for (let n = 0; n < MAX_REFUSED_ATTEMPTS_PER_MINUTE; n++) await fail('too_many_attempts', sent);
  };
  /** The answer before the request is looked at. Null if there is none. */
  const answer = ({ address = STRANGER, device, method = 'POST', path = PATH, length = 20 }: Sent = {}) => {
    const request = Object.assign(new IncomingMessage(new Socket()), { method, url: `/site${path}` });
    request.headers = { 'x-from': address, ...(device !== undefined && { cookie: `device=${device}` }) };
    if (length !== null) request.headers['content-length'] = String(length);
    let sent: object | null = null;
    const response: ServerResponse = Object.assign(new ServerResponse(request), {
      writeHead: (status: number, headers: Readonly<Record<string, string>>) => {
        sent = { status, wait: headers['retry-after'] };
        return response;
      },
      end: (body: string) => {
        sent = { ...sent, json: JSON.parse(body) };
      },
    });
    assert.equal(refusals.serve(request, response as unknown as ServerResponse), sent !== null);
    return sent;
  };
  const newDevice = () => newDeviceToken({ vault, random: systemRandom }, { uuid: systemRandom.uuid() });
  return { clock, fail, failOften, answer, newDevice };
}

const REFUSED = {
  status: 429,
  wait: '1',
  json: { error: 'Too many attempts, please try later.', code: 'too_many_attempts' },
};

test('whoever goes on after many refused attempts is refused before the request is read', async () => {
  const { failOften, answer, clock } = given();
  assert.equal(answer(), null);
  await failOften();

  assert.deepEqual(answer(), REFUSED);
  clock.advance({ seconds: 1 });
  assert.equal(answer(), null, 'one a second takes the usual way, which knows whether the limit still holds');
});

test('a network is not refused for what another one does', async () => {
  const { failOften, answer } = given();
  await failOften();

  assert.equal(answer({ address: '203.0.113.9' }), null);
});

test('a larger network of IPv6 has a few shares, however many small ones it has', async () => {
  const { fail, answer } = given();
  const of48 = (n: number) => ({ address: `2001:db8:1:${(n << 8).toString(16)}::1` });
  const most = 4 * MAX_REFUSED_ATTEMPTS_PER_MINUTE;
  for (let n = 0; n < most; n++) {
    assert.equal(answer(of48(n)), null);
    await fail('too_many_attempts', of48(n));
  }

  assert.deepEqual(answer(of48(most)), REFUSED);
  assert.equal(answer({ address: '2001:db8:2::1' }), null);
});

test('a browser that was signed in before is refused for its own attempts only', async () => {
  const { failOften, answer, newDevice } = given();
  const [mine, other] = [newDevice(), newDevice()];
  await failOften();
  assert.equal(answer({ device: mine }), null, 'strangers in the same network cannot lock it out');

  await failOften({ device: other });

  assert.deepEqual(answer({ device: other }), REFUSED);
  assert.equal(answer({ device: mine }), null);
});

test('a made-up token of a device is worth nothing', async () => {
  const { failOften, answer, newDevice } = given();
  await failOften();

  for (const device of ['', 'a.b.c', `${newDevice()}0`])
    assert.deepEqual(answer({ device }), REFUSED, device);
});

test('wrong passwords within the limit do not count', async () => {
  const { fail, answer } = given();
  for (let n = 0; n <= MAX_REFUSED_ATTEMPTS_PER_MINUTE; n++) await fail('wrong_credentials');

  assert.equal(answer(), null);
});

test('other paths and methods, long bodies and those of unknown length take the usual way', async () => {
  const { failOften, answer } = given();
  await failOften();

  const usual: Sent[] = [
    { path: '/dashboard/api/read/signedIn' },
    { method: 'GET' },
    { length: MAX_KEYLESS_BODY_BYTES + 1 },
    { length: null },
  ];
  for (const sent of usual) assert.equal(answer(sent), null, JSON.stringify(sent));
});
