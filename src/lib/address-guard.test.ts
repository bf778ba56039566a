import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGlobalUnicast } from './address-guard.ts';

/** First and last address of each refused block, and its public neighbours where they are public. */
const BLOCKS: readonly { first: string; last: string; before: string | null; after: string | null }[] = [
  { first: '0.0.0.0', last: '0.255.255.255', before: null, after: '1.0.0.0' },
  { first: '10.0.0.0', last: '10.255.255.255', before: '9.255.255.255', after: '11.0.0.0' },
  { first: '100.64.0.0', last: '100.127.255.255', before: '100.63.255.255', after: '100.128.0.0' },
  { first: '127.0.0.0', last: '127.255.255.255', before: '126.255.255.255', after: '128.0.0.0' },
  { first: '169.254.0.0', last: '169.254.255.255', before: '169.253.255.255', after: '169.255.0.0' },
  { first: '172.16.0.0', last: '172.31.255.255', before: '172.15.255.255', after: '172.32.0.0' },
  { first: '192.0.0.0', last: '192.0.0.255', before: '191.255.255.255', after: '192.0.1.0' },
  { first: '192.0.2.0', last: '192.0.2.255', before: '192.0.1.255', after: '192.0.3.0' },
  { first: '192.88.99.0', last: '192.88.99.255', before: '192.88.98.255', after: '192.88.100.0' },
  { first: '192.168.0.0', last: '192.168.255.255', before: '192.167.255.255', after: '192.169.0.0' },
  { first: '198.18.0.0', last: '198.19.255.255', before: '198.17.255.255', after: '198.20.0.0' },
  { first: '198.51.100.0', last: '198.51.100.255', before: '198.51.99.255', after: '198.51.101.0' },
  { first: '203.0.113.0', last: '203.0.113.255', before: '203.0.112.255', after: '203.0.114.0' },
  { first: '224.0.0.0', last: '239.255.255.255', before: '223.255.255.255', after: null },
  { first: '240.0.0.0', last: '255.255.255.255', before: null, after: null },
  { first: '::', last: '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', before: null, after: '2000::' },
  {
    first: '2001:1::',
    last: '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    before: null,
    after: '2001:200::',
  },
  {
    first: '2001:db8::',
    last: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    before: '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    after: '2001:db9::',
  },
  {
    first: '3fff::',
    last: '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    before: '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    after: '3fff:1000::',
  },
  {
    first: '4000::',
    last: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    before: '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    after: null,
  },
];

for (const { first, last, before, after } of BLOCKS) {
  test(`the block from ${first} to ${last} ends where the registry says`, () => {
    assert.equal(isGlobalUnicast(first), false, first);
    assert.equal(isGlobalUnicast(last), false, last);
    if (before !== null) assert.equal(isGlobalUnicast(before), true, before);
    if (after !== null) assert.equal(isGlobalUnicast(after), true, after);
  });
}

const FAMILIAR = [
  ['169.254.169.254', 'the metadata service of clouds'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'the unspecified address'],
  ['::1', 'loopback'],
  ['::7f00:1', 'IPv4-compatible'],
  ['::8.8.8.8', 'IPv4-compatible, though the inner address is public'],
  ['::ffff:0:8.8.8.8', 'IPv4-translated'],
  ['64:ff9b:1::808:808', 'NAT64 of local use'],
  ['100::1', 'discard-only'],
  ['2001:2::1', 'benchmarking'],
  ['2001:10::1', 'ORCHID'],
  ['2001:20::1', 'ORCHIDv2'],
  ['5f00::1', 'segment routing'],
  ['fc00::1', 'unique local'],
  ['fd00:ec2::254', 'unique local, the metadata service again'],
  ['fe80::1', 'link-local'],
  ['febf:ffff::1', 'the last of link-local'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
] as const;

for (const [address, what] of FAMILIAR) {
  test(`${address} is refused: ${what}`, () => {
    assert.equal(isGlobalUnicast(address), false);
  });
}

for (const address of [
  '1.1.1.1',
  '8.8.8.8',
  '192.31.196.1',
  '2606:4700::1111',
  '2a00:1450:4001::200e',
  '2620:fe::fe',
]) {
  test(`${address} is public`, () => {
    assert.equal(isGlobalUnicast(address), true);
  });
}

/** The two halves of an IPv4 address in each embedding. */
const EMBEDDINGS: Readonly<Record<string, (high: string, low: string) => string>> = {
  'IPv4-mapped': (high, low) => `::ffff:${high}:${low}`,
  NAT64: (high, low) => `64:ff9b::${high}:${low}`,
  '6to4': (high, low) => `2002:${high}:${low}::1`,
  'Teredo server': (high, low) => `2001:0:${high}:${low}:8000:63bf:f7f7:f7f7`,
  'Teredo client': (high, low) => `2001:0:808:808:8000:63bf:${inverted(high)}:${inverted(low)}`,
};

function inverted(group: string): string {
  return (Number.parseInt(group, 16) ^ 0xffff).toString(16);
}

for (const [name, embed] of Object.entries(EMBEDDINGS)) {
  test(`an address that embeds another is what that one is: ${name}`, () => {
    assert.equal(isGlobalUnicast(embed('808', '808')), true, '8.8.8.8');
    assert.equal(isGlobalUnicast(embed('7f00', '1')), false, '127.0.0.1');
    assert.equal(isGlobalUnicast(embed('a9fe', 'a9fe')), false, '169.254.169.254');
    assert.equal(isGlobalUnicast(embed('9ff', 'ffff')), true, '9.255.255.255');
    assert.equal(isGlobalUnicast(embed('a00', '0')), false, '10.0.0.0');
    assert.equal(isGlobalUnicast(embed('aff', 'ffff')), false, '10.255.255.255');
    assert.equal(isGlobalUnicast(embed('b00', '0')), true, '11.0.0.0');
    assert.equal(isGlobalUnicast(embed('e000', '1')), false, '224.0.0.1');
  });
}

test('the spelling of an address does not matter', () => {
  assert.equal(isGlobalUnicast('::ffff:127.0.0.1'), false);
  assert.equal(isGlobalUnicast('::FFFF:7F00:0001'), false);
  assert.equal(isGlobalUnicast('0:0:0:0:0:ffff:10.1.2.3'), false);
  assert.equal(isGlobalUnicast('0000:0000:0000:0000:0000:0000:0000:0001'), false);
  assert.equal(isGlobalUnicast('64:ff9b::192.168.0.1'), false);
  assert.equal(isGlobalUnicast('::ffff:8.8.8.8'), true);
  assert.equal(isGlobalUnicast('2606:4700:0:0:0:0:0:1111'), true);
  assert.equal(isGlobalUnicast('2606:4700:1:2:3:4:5::'), true);
});

for (const text of [
  '',
  'localhost',
  'example.com',
  '8.8.8',
  '8.8.8.8.8',
  '8.8.8.256',
  '010.0.0.1',
  '0x8.8.8.8',
  '134744072',
  ' 8.8.8.8',
  '8.8.8.8/32',
  '[2606:4700::1111]',
  '2606:4700::1111%eth0',
  'fe80::1%1',
  ':::',
]) {
  test(`"${text}" is not an address, so it is refused`, () => {
    assert.equal(isGlobalUnicast(text), false);
  });
}
