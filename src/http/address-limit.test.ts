import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/fake-clock.ts';
import { AppError } from '../domain/errors.ts';
import { AddressLimit } from './address-limit.ts';
import { MAX_LIMITED_ADDRESSES } from './limits.ts';

const START = 1_709_294_400_000_000;

function givenLimit(perMinute: number): AddressLimit {
  return new AddressLimit(perMinute, (address) => address === '127.0.0.1', new FakeClock(START));
}

const addressOf = (n: number) => ({ ip: `10.${n >> 16}.${(n >> 8) & 0xff}.${n & 0xff}` });

test('however many addresses ask, only so many are remembered', () => {
  const limit = givenLimit(1);
  const first = addressOf(0);
  assert.equal(limit.take(first), null);
  assert.notEqual(limit.take(first), null);

  for (let n = 1; n < MAX_LIMITED_ADDRESSES; n++) limit.take(addressOf(n));
  assert.notEqual(limit.take(first), null, 'it is remembered, and used last now');
  for (let n = 1; n <= MAX_LIMITED_ADDRESSES; n++) limit.take(addressOf(n));

  assert.equal(limit.take(first), null, 'it was forgotten');
});

test('a larger network of IPv6 has a few shares, however many small ones it has', () => {
  const limit = givenLimit(10);
  const served = (ips: readonly string[]) => ips.filter((ip) => limit.take({ ip }) === null).length;
  const of56 = Array.from({ length: 256 }, (_, n) => `2001:db8:1:${n.toString(16)}::1`);
  const of48 = Array.from({ length: 256 }, (_, n) => `2001:db8:2:${(n << 8).toString(16)}::1`);

  assert.equal(served(of56), 20);
  assert.equal(served(of48), 40);
  assert.equal(served(['2001:db8:3::1', '203.0.113.7']), 2);
});

test('a network of others that has used up its share does not hold up a known key', async () => {
  const limit = givenLimit(1);
  const [own, other] = [{ ip: '2001:db8:1:1::1' }, '2001:db8:1'];
  const identify = () => limit.identify(own, async (markKnown) => markKnown());
  await identify();
  for (let n = 0; n < 8; n++) limit.take({ ip: `${other}:${n}00::1` });

  assert.notEqual(limit.take(own), null);
  await identify();
});

test('texts that are no address count together', () => {
  const limit = givenLimit(1);

  assert.equal(limit.take({ ip: 'unknown' }), null);
  assert.notEqual(limit.take({ ip: 'x'.repeat(10_000) }), null);
});

test('a failure of the service is not counted', async () => {
  const limit = givenLimit(1);
  const fail = async () => {
    throw new AppError('storage_unavailable');
  };

  for (let n = 0; n < 3; n++) {
    await assert.rejects(limit.identify(addressOf(1), fail), { code: 'storage_unavailable' });
  }
});

test('a wrong key is told as such once, and then the request is refused', async () => {
  const limit = givenLimit(1);
  let lookUps = 0;
  const fail = async () => {
    lookUps++;
    throw new AppError('wrong_api_key');
  };

  await assert.rejects(limit.identify(addressOf(1), fail), { code: 'wrong_api_key' });
  await assert.rejects(limit.identify(addressOf(1), fail), { code: 'too_many_requests_from_address' });
  assert.equal(lookUps, 1);
});
