import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '../lib/instant.ts';
import { SendingRates } from './sending-rates.ts';

const LIMIT = { key: 'chat', messages: 6, perSeconds: 60 };

test('a destination gets as many at once as it takes in a while, then one at a time', () => {
  const rates = new SendingRates();
  const now = seconds(1_000);

  for (let sent = 0; sent < 6; sent++) assert.equal(rates.take(LIMIT, now), 0);
  assert.equal(rates.take(LIMIT, now), seconds(10));
  assert.equal(rates.take(LIMIT, now + seconds(4)), seconds(6));
  assert.equal(rates.take(LIMIT, now + seconds(10)), 0);
  assert.equal(rates.take(LIMIT, now + seconds(10)), seconds(10));
});

test('destinations do not share what they take, and a rest fills up again', () => {
  const rates = new SendingRates();
  const now = seconds(1_000);
  for (let sent = 0; sent < 6; sent++) rates.take(LIMIT, now);

  assert.equal(rates.take({ ...LIMIT, key: 'another chat' }, now), 0);
  for (let sent = 0; sent < 6; sent++) assert.equal(rates.take(LIMIT, now + seconds(600)), 0);
  assert.ok(rates.take(LIMIT, now + seconds(600)) > 0);
});

test('a clock that was put back keeps nobody waiting longer than a message takes', () => {
  const rates = new SendingRates();
  const now = seconds(1_000);
  for (let sent = 0; sent < 6; sent++) rates.take(LIMIT, now);

  assert.ok(rates.take(LIMIT, now - seconds(500)) <= seconds(10));
});
