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
