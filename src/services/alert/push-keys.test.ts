import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { systemRandom } from '../../lib/random.ts';
import type { Store } from '../../storage/store.ts';
import { PushKeys } from './push-keys.ts';

const NOW = Date.UTC(2026, 10, 16) * 1000;

/** A database that keeps the row. */
function keysOn(rows: Map<string, string>): PushKeys {
  const instance = {
    get: async (key: string) => rows.get(key) ?? null,
    setOnce: async (key: string, value: string) => rows.getOrInsert(key, value),
  };
  const store = {
    instance,
    transaction: async (work: (tx: unknown) => unknown) => work({ instance }),
  } as unknown as Store;
  return new PushKeys(
    { store, clock: { now: () => NOW, monotonic: () => 0 }, random: systemRandom },
    'https://tocsin.example.org',
  );
}

test('the key is made once, and all nodes have the same', async () => {
  const rows = new Map<string, string>();

  const [one, other] = await Promise.all([keysOn(rows).publicKey(), keysOn(rows).publicKey()]);

  assert.equal(one, other);
  assert.equal(await keysOn(rows).publicKey(), one);
  assert.equal(Buffer.from(one, 'base64url').length, 65);
});

test('a push service can verify who sends, for it alone and for half a day', async () => {
  const keys = keysOn(new Map());

  const header = await keys.authorization('https://push.example');

  const [, header64 = '', claims64 = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  assert.deepEqual(JSON.parse(Buffer.from(claims64, 'base64url').toString()), {
    aud: 'https://push.example',
    exp: NOW / 1_000_000 + 43_200,
    sub: 'https://tocsin.example.org',
  });
  const point = Buffer.from(key, 'base64url');
  const jwk = {
    ...{ kty: 'EC', crv: 'P-256' },
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  assert.ok(
    verify(
      'sha256',
      Buffer.from(`${header64}.${claims64}`),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    ),
  );
  assert.equal(key, await keys.publicKey());
});
