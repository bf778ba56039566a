import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword, isPassword } from './password.ts';
import { systemRandom } from './random.ts';

test('a password is recognised by its hash, and nothing else is', async () => {
  const hash = await hashPassword('correct horse', systemRandom);

  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await isPassword('correct horse', hash), true);
  assert.equal(await isPassword('Correct horse', hash), false);
  assert.equal(await isPassword('correct horse ', hash), false);
  assert.equal(await isPassword('', hash), false);
});

test('the same password never has the same hash twice', async () => {
  const [one, other] = await Promise.all([
    hashPassword('correct horse', systemRandom),
    hashPassword('correct horse', systemRandom),
  ]);

  assert.notEqual(one, other);
});

test('a password counts the same however its accents are composed', async () => {
  const hash = await hashPassword('caf\u00e9', systemRandom);

  assert.equal(await isPassword('cafe\u0301', hash), true);
  assert.equal(await isPassword('cafe', hash), false);
});

test('a hash of another cost is still recognised', async () => {
  // Made with the reference implementation: `echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32`.
  const hash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

  assert.equal(await isPassword('password', hash), true);
  assert.equal(await isPassword('passwort', hash), false);
});

test('what is no hash is nobody’s password', async () => {
  const hash = await hashPassword('', systemRandom);
  const strange = [
    '',
    'correct horse',
    '$2b$12$abcdefghijklmnopqrstuv',
    hash.replace('v=19', 'v=16'),
    `${hash}$x`,
  ];

  for (const text of strange) assert.equal(await isPassword('', text), false, text);
});
