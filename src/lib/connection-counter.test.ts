import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionCounter } from './connection-counter.ts';

test('connections are refused beyond the limit in all, and again admitted when one ends', () => {
  const counter = new ConnectionCounter({ maxConnections: 2, maxConnectionsPerAddress: 2 });

  assert.equal(counter.admit('192.0.2.1'), null);
  assert.equal(counter.admit('192.0.2.2'), null);
  assert.equal(counter.admit('192.0.2.3'), 'too_many_connections');
  counter.release('192.0.2.1');

  assert.equal(counter.admit('192.0.2.3'), null);
  assert.equal(counter.count, 2);
});

test('one address cannot take the connections of all others', () => {
  const counter = new ConnectionCounter({ maxConnections: 10, maxConnectionsPerAddress: 2 });

  assert.equal(counter.admit('192.0.2.1'), null);
  assert.equal(counter.admit('::ffff:192.0.2.1'), null);
  assert.equal(counter.admit('192.0.2.1'), 'too_many_connections_from_address');
  assert.equal(counter.admit('192.0.2.2'), null);
  counter.release('192.0.2.1');

  assert.equal(counter.admit('192.0.2.1'), null);
});

test('addresses of one /64 network count as one client', () => {
  const counter = new ConnectionCounter({ maxConnections: 10, maxConnectionsPerAddress: 1 });

  assert.equal(counter.admit('2001:db8::1'), null);
  assert.equal(counter.admit('2001:db8:0:0:ffff::2'), 'too_many_connections_from_address');
  assert.equal(counter.admit('2001:db8:0:1::1'), null);
});

test('a larger network of IPv6 has a few shares, however many small ones it has', () => {
  const counter = new ConnectionCounter({ maxConnections: 1_000, maxConnectionsPerAddress: 10 });
  const admitted = (addresses: readonly string[]) =>
    addresses.filter((address) => counter.admit(address) === null).length;
  const of56 = Array.from({ length: 256 }, (_, n) => `2001:db8:1:${n.toString(16)}::1`);
  const of48 = Array.from({ length: 256 }, (_, n) => `2001:db8:2:${(n << 8).toString(16)}::1`);

  assert.equal(admitted(of56), 20);
  assert.equal(admitted(of48), 40);
  assert.equal(counter.fullNetworkOf('2001:db8:2:ffff::1'), '2001:db8:2::/48');
  assert.equal(counter.admit('2001:db8:3::1'), null);
  counter.release(of48[0] ?? '');

  assert.equal(counter.admit('2001:db8:2:ffff::1'), null);
});

test('an exempt address may have any number of connections within the limit of all', () => {
  const limits = { maxConnections: 3, maxConnectionsPerAddress: 1 };
  const counter = new ConnectionCounter(limits, (address) => address === '192.0.2.9');

  for (let index = 0; index < 3; index++) assert.equal(counter.admit('192.0.2.9'), null);

  assert.equal(counter.admit('192.0.2.9'), 'too_many_connections');
});

test('where all connections are taken, one too many of an address is refused for that', () => {
  const counter = new ConnectionCounter({ maxConnections: 2, maxConnectionsPerAddress: 1 });
  counter.admit('192.0.2.1');
  counter.admit('192.0.2.2');

  assert.equal(counter.admit('192.0.2.1'), 'too_many_connections_from_address');
  assert.equal(counter.admit('192.0.2.3'), 'too_many_connections');
});
