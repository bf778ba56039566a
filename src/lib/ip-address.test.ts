import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  addressBehindProxies,
  canonicalAddress,
  clientNetworks,
  createAddressMatcher,
  parseForwardedAddress,
  peerAddress,
} from './ip-address.ts';

suite('an entry of a forwarding header', () => {
  for (const [entry, address] of [
    ['1.2.3.4', '1.2.3.4'],
    ['  1.2.3.4\t', '1.2.3.4'],
    ['1.2.3.4:80', '1.2.3.4'],
    ['1.2.3.4:', null],
    ['1.2.3.4:x', null],
    ['1.2.3', null],
    ['01.2.3.4', null],
    ['1.2.3.256', null],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1', null],
    ['2001:db8::1]', null],
    ['[1.2.3.4]:443', '1.2.3.4'],
    ['[]:443', null],
    ['2001:DB8:0:0::0:1', '2001:db8::1'],
    ['::1', '::1'],
    ['::', '::'],
    ['fe80::1%eth0', 'fe80::1'],
    [`fe80::1%${'x'.repeat(10_000)}`, 'fe80::1'],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
    ['::FFFF:102:304', '::ffff:1.2.3.4'],
    ['unknown', null],
    ['_hidden', null],
    ['example.org', null],
    ['', null],
    ['1.2.3.4\0', null],
    ['-', null],
  ] as const) {
    test(`${JSON.stringify(entry.slice(0, 40))} is ${address ?? 'nothing'}`, () => {
      assert.equal(parseForwardedAddress(entry), address);
    });
  }
});

suite('the address of a peer', () => {
  for (const [address, shown] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:unknown', '::ffff:unknown'],
    ['unknown', 'unknown'],
    ['', ''],
  ] as const) {
    test(`${JSON.stringify(address)} is shown as ${JSON.stringify(shown)}`, () => {
      assert.equal(peerAddress(address), shown);
    });
  }
});

suite('the one spelling of an address', () => {
  for (const [address, canonical] of [
    ['192.0.2.1', '192.0.2.1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['2001:0db8:0000:0000:0001:0000:0000:0001', '2001:db8::1:0:0:1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:0201', '::ffff:192.0.2.1'],
    ['::ffff:0:0', '::ffff:0.0.0.0'],
    ['::ffff:255.255.255.255', '::ffff:255.255.255.255'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['FE80::A%1', 'fe80::a'],
  ] as const) {
    test(`of ${address} is ${canonical}`, () => {
      assert.equal(canonicalAddress(address), canonical);
      assert.equal(canonicalAddress(canonical), canonical);
    });
  }
});

suite('the list of networks', () => {
  const isTrusted = createAddressMatcher(['10.0.0.0/8', '127.0.0.1', '::1', 'fc00::/7']);
  for (const [address, expected] of [
    ['10.1.2.3', true],
    ['11.1.2.3', false],
    ['127.0.0.1', true],
    ['127.0.0.2', false],
    ['::1', true],
    ['::2', false],
    ['fd12::1', true],
    ['fe80::1', false],
    ['::ffff:10.1.2.3', true],
    ['::ffff:11.1.2.3', false],
    ['', false],
    ['unknown', false],
  ] as const) {
    test(`${expected ? 'holds' : 'does not hold'} ${address === '' ? 'nothing' : address}`, () => {
      assert.equal(isTrusted(address), expected);
    });
  }

  test('holds nobody when it is empty', () => {
    assert.equal(createAddressMatcher([])('127.0.0.1'), false);
  });
});

suite('by what a client is counted', () => {
  for (const [address, ...networks] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::1', '0:0:0:0::/64', '0:0:0:0::/56', '0:0:0::/48'],
    ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0:0::/56', '2001:db8:0::/48'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1:0::/56', '2001:db8:1::/48'],
    ['2001:db8:1:ab02::', '2001:db8:1:ab02::/64', '2001:db8:1:ab00::/56', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0:0::/56', 'fe80:0:0::/48'],
    ['', ''],
  ] as const) {
    test(`${address || 'nothing'} counts as ${networks.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(
        clientNetworks(address).map(({ name }) => name),
        networks,
      );
    });
  }

  test('a larger network has more shares, and far fewer than it has smaller ones', () => {
    assert.deepEqual(
      clientNetworks('2001:db8::1').map(({ shares }) => shares),
      [1, 2, 4],
    );
    assert.deepEqual(
      clientNetworks('192.0.2.1').map(({ shares }) => shares),
      [1],
    );
  });
});

test('the client behind trusted proxies is the last address that no trusted proxy has', () => {
  const isTrusted = createAddressMatcher(['10.0.0.0/8']);
  const client = (peer: string, forwardedFor: string) => addressBehindProxies(peer, forwardedFor, isTrusted);

  assert.equal(client('192.0.2.1', '198.51.100.7'), '192.0.2.1');
  assert.equal(client('10.0.0.1', '198.51.100.7'), '198.51.100.7');
  assert.equal(client('10.0.0.1', '203.0.113.9, 198.51.100.7 , 10.0.0.2'), '198.51.100.7');
  assert.equal(client('10.0.0.1', '10.0.0.3,10.0.0.2'), '10.0.0.3');
});
