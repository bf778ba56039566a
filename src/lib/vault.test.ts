import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { suite, test } from 'node:test';
import { systemRandom } from './random.ts';
import { createVault, equalInConstantTime, sha256 } from './vault.ts';

const vault = createVault('---', systemRandom);

suite('badge signatures', () => {
  const vectors: [tag: string, signature: string][] = [
    ['foo', 'HLoyq8dX'],
    ['bar', 'S4tmI2pS'],
    ['db@dc1', 'xG451GSH'],
    ['ü', 's74A_wHD'],
    ['a/b', 'DYWW2fG5'],
    ['*', '6SKpySaJ'],
  ];
  for (const [tag, signature] of vectors) {
    test(`the tag ${tag} has the signature that addresses in the field carry`, () => {
      assert.equal(vault.badgeSignature('alice', tag), signature);
    });
  }

  test('differ by project and by secret', () => {
    const signatures = [
      vault.badgeSignature('alice', 'foo'),
      vault.badgeSignature('bob', 'foo'),
      createVault('----', systemRandom).badgeSignature('alice', 'foo'),
    ];

    assert.equal(new Set(signatures).size, 3);
    for (const signature of signatures) assert.match(signature, /^[\w-]{8}$/);
  });
});

suite('digests', () => {
  test('a key is kept as its HMAC under the secret', () => {
    const expected = createHmac('sha256', '---').update('X'.repeat(32)).digest('hex');

    assert.equal(vault.digest('X'.repeat(32)), expected);
    assert.match(expected, /^[0-9a-f]{64}$/);
    assert.notEqual(createVault('other', systemRandom).digest('X'.repeat(32)), expected);
  });

  test('without the secret a digest is plain SHA-256', () => {
    assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

suite('sealing', () => {
  for (const text of ['', 'a ping key', 'ключ 🔑', 'x'.repeat(10_000)]) {
    test(`what was sealed can be read again: ${text.slice(0, 12)}`, () => {
      const sealed = vault.seal(text);

      assert.equal(vault.unseal(sealed), text);
      assert.match(sealed, /^[\w-]+$/);
      if (text !== '')
        assert.ok(!sealed.includes(text) && !sealed.includes(Buffer.from(text).toString('base64url')));
    });
  }

  test('the same text is never sealed the same way twice', () => {
    assert.notEqual(vault.seal('a ping key'), vault.seal('a ping key'));
  });

  test('another secret cannot read it', () => {
    assert.equal(createVault('other', systemRandom).unseal(vault.seal('a ping key')), null);
  });

  test('what was tampered with is not read', () => {
    const bytes = Buffer.from(vault.seal('a ping key'), 'base64url');
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(bytes.readUInt8(index) ^ 1, index);
      assert.equal(vault.unseal(changed.toString('base64url')), null, `byte ${index}`);
    }
  });

  test('what is too short to be sealed text is not read, whatever its length', () => {
    const bytes = Buffer.from(vault.seal('a ping key'), 'base64url');
    for (let length = 0; length < bytes.length; length++)
      assert.equal(vault.unseal(bytes.subarray(0, length).toString('base64url')), null, `${length} bytes`);
  });
});

suite('signatures', () => {
  test('are right for their purpose, subject and secret alone', () => {
    const signature = vault.sign('bounce', 'n.1', 16);

    assert.match(signature, /^[0-9a-f]{16}$/);
    assert.equal(vault.isSigned(signature, 'bounce', 'n.1', 16), true);
    assert.equal(vault.isSigned(signature, 'unsubscribe', 'n.1', 16), false);
    assert.equal(vault.isSigned(signature, 'bounce', 'n.2', 16), false);
    assert.equal(createVault('other', systemRandom).isSigned(signature, 'bounce', 'n.1', 16), false);
  });

  test('are not right when they are shortened or empty', () => {
    const signature = vault.sign('bounce', 'n.1', 16);

    for (const wrong of ['', signature.slice(0, 8), `${signature}0`, signature.toUpperCase()])
      assert.equal(vault.isSigned(wrong, 'bounce', 'n.1', 16), wrong === signature);
  });
});

suite('numbers sealed as UUIDs', () => {
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

  test('are read again, each with a UUID of its own', () => {
    const numbers = [0, 1, 2, 4_294_967_296, Number.MAX_SAFE_INTEGER];

    const sealed = numbers.map((number) => vault.sealNumber(number));

    for (const uuid of sealed) assert.match(uuid, UUID);
    assert.equal(new Set(sealed).size, numbers.length);
    assert.deepEqual(
      sealed.map((uuid) => vault.unsealNumber(uuid)),
      numbers,
    );
  });

  test('are not read under another secret, nor when a single bit differs', () => {
    const uuid = vault.sealNumber(7);

    assert.equal(createVault('other', systemRandom).unsealNumber(uuid), null);
    for (const index of uuid.replaceAll('-', '').split('').keys()) {
      const digits = [...uuid.replaceAll('-', '')];
      digits[index] = (Number.parseInt(digits[index] ?? '', 16) ^ 1).toString(16);
      assert.equal(vault.unsealNumber(digits.join('')), null, `digit ${index}`);
    }
  });

  test('are not found in what was made up', () => {
    for (const uuid of [
      '',
      'x',
      '00000000-0000-4000-8000-000000000000',
      ...Array.from({ length: 1000 }, () => systemRandom.uuid()),
    ])
      assert.equal(vault.unsealNumber(uuid), null);
  });
});

suite('comparison in constant time', () => {
  test('tells equal texts from others, also of another length', () => {
    assert.equal(equalInConstantTime('', ''), true);
    assert.equal(equalInConstantTime('schlüssel', 'schlüssel'), true);
    assert.equal(equalInConstantTime('schlüssel', 'schlussel'), false);
    assert.equal(equalInConstantTime('a', 'ab'), false);
    assert.equal(equalInConstantTime('a', ''), false);
  });
});

suite('a vault with a fallback', () => {
  const before = createVault('the secret before', systemRandom);
  const after = createVault('the secret after', systemRandom, ['another one', 'the secret before']);

  test('accepts what was made under it, and makes everything under the secret itself', () => {
    assert.equal(after.isDigest(before.digest('a key'), 'a key'), true);
    assert.equal(after.isSigned(before.sign('bounce', 'n.1', 16), 'bounce', 'n.1', 16), true);
    assert.equal(after.isBadgeSignature(before.badgeSignature('k', 'tag'), 'k', 'tag'), true);
    assert.equal(after.unsealNumber(before.sealNumber(7)), 7);
    assert.equal(after.unseal(before.seal('a text')), 'a text');

    assert.equal(before.isDigest(after.digest('a key'), 'a key'), false);
    assert.equal(before.isSigned(after.sign('bounce', 'n.1', 16), 'bounce', 'n.1', 16), false);
    assert.equal(before.isBadgeSignature(after.badgeSignature('k', 'tag'), 'k', 'tag'), false);
    assert.equal(before.unsealNumber(after.sealNumber(7)), null);
    assert.equal(before.unseal(after.seal('a text')), null);
  });

  test('refuses what was made under any other secret, and what was made of something else', () => {
    const stranger = createVault('a secret of somebody else', systemRandom);

    assert.equal(after.isDigest(stranger.digest('a key'), 'a key'), false);
    assert.equal(after.isDigest(before.digest('a key'), 'b key'), false);
    assert.equal(after.isBadgeSignature(stranger.badgeSignature('k', 'tag'), 'k', 'tag'), false);
    assert.equal(after.unsealNumber(stranger.sealNumber(7)), null);
    assert.equal(after.reseal(stranger.seal('a text')), null);
  });

  test('seals anew what the fallback sealed, and leaves its own as it is', () => {
    const resealed = after.reseal(before.seal('a text')) ?? assert.fail();

    assert.equal(after.unseal(resealed), 'a text');
    assert.equal(before.unseal(resealed), null);
    assert.equal(after.reseal(resealed), resealed);
  });

  test('tells secrets apart, and nothing of them', () => {
    assert.notEqual(before.secretId, after.secretId);
    assert.equal(before.secretId, createVault('the secret before', systemRandom).secretId);
    assert.match(before.secretId, /^[0-9a-f]{16}$/);
  });
});
