import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  apiKeyFault,
  generateApiKey,
  generatePingKey,
  kindByPrefix,
  lookupPart,
  pingKeyFault,
} from './api-key.ts';

/** Every byte in turn, then from the beginning. */
function countingBytes(): (count: number) => Uint8Array {
  let next = 0;
  return (count) => Uint8Array.from({ length: count }, () => next++ % 256);
}

test('a generated key tells its kind and is as long as keys are', () => {
  assert.match(generateApiKey('read_write', countingBytes()), /^hcw_[A-Za-z0-9]{28}$/);
  assert.match(generateApiKey('read_only', countingBytes()), /^hcr_[A-Za-z0-9]{28}$/);
});

test('a generated ping key fits into a mail address, whose case may get lost', () => {
  assert.match(generatePingKey(countingBytes()), /^[a-z0-9]{22}$/);
});

test('what is generated is also accepted', () => {
  for (const kind of ['read_write', 'read_only'] as const) {
    assert.equal(apiKeyFault(generateApiKey(kind, countingBytes()), kind), null);
  }
  assert.equal(pingKeyFault(generatePingKey(countingBytes())), null);
});

test('bytes that would favour some characters are drawn again', () => {
  const draws = [new Uint8Array(28).fill(255), new Uint8Array(28).fill(248), new Uint8Array(28).fill(247)];

  const key = generateApiKey('read_write', () => draws.shift() ?? new Uint8Array(28));

  assert.equal(key, `hcw_${'9'.repeat(28)}`);
});

test('every letter and digit can come up', () => {
  const bytes = countingBytes();

  const seen = new Set(
    Array.from({ length: 62 }, () => generateApiKey('read_write', bytes).slice(4)).join(''),
  );

  assert.equal(seen.size, 62);
});

test('a key is looked up by the eight characters after its prefix, or by its first eight', () => {
  assert.equal(lookupPart('hcw_abcdefgh0123456789'), 'abcdefgh');
  assert.equal(lookupPart('hcr_abcdefgh0123456789'), 'abcdefgh');
  assert.equal(lookupPart('HCW_abcdefgh0123456789'), 'HCW_abcd');
  assert.equal(lookupPart('X'.repeat(32)), 'XXXXXXXX');
});

test('only the two prefixes claim a kind', () => {
  assert.equal(kindByPrefix('hcw_x'), 'read_write');
  assert.equal(kindByPrefix('hcr_x'), 'read_only');
  for (const key of ['', 'hcw', 'hcx_x', 'HCW_x', ' hcw_x']) assert.equal(kindByPrefix(key), null, key);
});

test('a key is refused for its length, its characters, or the prefix of the other kind', () => {
  const key = 'X'.repeat(32);

  assert.equal(apiKeyFault(key, 'read_write'), null);
  assert.equal(apiKeyFault(key, 'read_only'), null);
  assert.equal(apiKeyFault(`hcw_${'!'.repeat(28)}`, 'read_write'), null);
  assert.match(apiKeyFault(`${key}X`, 'read_only') ?? '', /32 characters/);
  assert.match(apiKeyFault('', 'read_only') ?? '', /32 characters/);
  for (const odd of [' ', '\n', 'ä', '\0', '\x7f']) {
    assert.match(apiKeyFault(odd + key.slice(1), 'read_only') ?? '', /printable ASCII/, JSON.stringify(odd));
  }
  assert.match(apiKeyFault(`hcw_${'x'.repeat(28)}`, 'read_only') ?? '', /the other kind/);
  assert.match(apiKeyFault(`hcr_${'x'.repeat(28)}`, 'read_write') ?? '', /the other kind/);
});

test('a ping key is refused for its length or its characters', () => {
  for (const length of [16, 22, 128]) assert.equal(pingKeyFault('Az09_-'.padEnd(length, 'x')), null);
  for (const length of [0, 15, 129])
    assert.match(pingKeyFault('x'.repeat(length)) ?? '', /16 to 128 characters/);
  assert.match(pingKeyFault('6ba7b810-9dad-11d1-80b4-00c04fd430c8') ?? '', /is a UUID/);
  assert.match(pingKeyFault(`${'x'.repeat(21)}/`) ?? '', /characters other than/);
  assert.match(pingKeyFault(`${'x'.repeat(21)}\n`) ?? '', /characters other than/);
});
