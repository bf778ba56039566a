import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecoderCache, MAX_DECODERS } from './charset.ts';

test('a character set is looked up once, whether or not there is such a one', () => {
  const decoders = new DecoderCache();
  const names = ['x-unknown', 'windows-1251', ' Windows-1251', 'X-UNKNOWN', 'other'];

  const found = Array.from({ length: 1_000 }, (_, n) => decoders.of(names[n % names.length] ?? '').encoding);

  assert.deepEqual(found.slice(0, 5), ['utf-8', 'windows-1251', 'windows-1251', 'utf-8', 'utf-8']);
  assert.equal(decoders.lookups, 3);
});

test('a name that is longer than any, and that of ASCII, is not looked up', () => {
  const decoders = new DecoderCache();

  for (const name of ['', 'us-ascii', 'x'.repeat(41), 'x'.repeat(100_000)]) {
    assert.equal(decoders.of(name).encoding, 'utf-8');
  }
  assert.equal(decoders.lookups, 0);
});

test('no more decoders are kept than are allowed', () => {
  const decoders = new DecoderCache();
  const first = decoders.of('koi8-r');

  for (let n = 1; n < MAX_DECODERS; n++) decoders.of(`x-${n}`);
  assert.equal(decoders.of('koi8-r'), first);
  decoders.of('x-one-more');

  assert.notEqual(decoders.of('koi8-r'), first);
});
