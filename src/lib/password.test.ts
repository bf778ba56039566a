import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canCarryPassword, hashPassword, isPassword } from './password.ts';
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

// Made by Python's hashlib as Django calls it, of `Größe` composed and decomposed.
const OF_DJANGO = {
  composed: [
    'pbkdf2_sha256$1000$saltsaltsaltsaltsalt12$/IEmbeYx12nurx1thFlL9dDGgKQWEqLNiGPJPDIpgUU=',
    'pbkdf2_sha1$1000$saltsaltsaltsaltsalt12$/jEq/sCy5iDubPZg24ZeJYFuAvA=',
    'scrypt$16$saltsaltsaltsaltsalt12$8$5$gY2NvzfJOCS+Ny9V5BBeoDimSIqSyNtw1LU2ZWjKmDodJSt+N/iE70BhoeM8Py8dlIQBYQbJTufX9wllGmrAvQ==',
  ],
  decomposed: [
    'pbkdf2_sha256$1000$saltsaltsaltsaltsalt12$5wqDprCv5r6wSd3DieuKD3hUCAAeXPEMH+sT8uadI7I=',
    'pbkdf2_sha1$1000$saltsaltsaltsaltsalt12$fsfo3WhWXGOiNl+oqi+2xOmZADI=',
    'scrypt$16$saltsaltsaltsaltsalt12$8$5$sPcEykdzy07F8yHuBJVwzaMMr6OdhG/ugOHUQjZkgtCmDlY5DueBLYrTD4nnN8wMCzOVOtkNMLs5s/norxZLhw==',
  ],
};
const [COMPOSED, DECOMPOSED] = ['Gr\u00f6\u00dfe', 'Gro\u0308\u00dfe'];

test('hashes of Django are recognised, of the password as it was typed or composed', async () => {
  for (const hash of OF_DJANGO.composed) {
    assert.equal(await isPassword(COMPOSED, hash), true, hash);
    assert.equal(await isPassword(DECOMPOSED, hash), true, hash);
    assert.equal(await isPassword('Grosse', hash), false, hash);
    assert.equal(canCarryPassword(hash), true, hash);
  }
  for (const hash of OF_DJANGO.decomposed) {
    assert.equal(await isPassword(DECOMPOSED, hash), true, hash);
    assert.equal(await isPassword(COMPOSED, hash), false, hash);
  }
});

test('an Argon2 hash of Django is recognised', async () => {
  // Made by Healthchecks.
  const hash =
    'argon2$argon2id$v=19$m=102400,t=2,p=8$STNmc2pCMlc3VnF6eERUQmJUczRWOA$2O0q3Ruk7Q3VmrCph+mNA6cd8/xpFScFav5kSjKK+Vo';

  assert.equal(canCarryPassword(hash), true);
  assert.equal(await isPassword('old password of alice 1', hash), true);
  assert.equal(await isPassword('old password of alice 2', hash), false);
});

test('what Django wrote for no password, by other functions, or at too high a cost, is carried by nobody', async () => {
  const [pbkdf2 = '', sha1 = '', scrypt = ''] = OF_DJANGO.composed;
  const argon2 =
    'argon2$argon2id$v=19$m=1024,t=2,p=8$c2FsdHNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  assert.equal(canCarryPassword(argon2), true);
  const refused = [
    '!j15ajFiZ9ruWgjFAvw8WYyr8SsY9itkkmQgztaYz',
    '!',
    '',
    'bcrypt_sha256$$2b$12$abcdefghijklmnopqrstuuJ1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c',
    'md5$salt$d41d8cd98f00b204e9800998ecf8427e',
    argon2.replace('m=1024', 'm=2097152'),
    argon2.replace('m=1024', 'm=63'),
    argon2.replace('t=2', 't=11'),
    argon2.replace('t=2', 't=0'),
    argon2.replace('p=8', 'p=0'),
    argon2.replace('v=19', 'v=16'),
    pbkdf2.replace('1000', '1000000000'),
    pbkdf2.replace('1000', '5000001'),
    pbkdf2.replace('1000', '0'),
    pbkdf2.replace('sha256', 'sha512'),
    sha1.replace('sha1', 'sha256'),
    scrypt.replace('$16$', '$524288$'),
    scrypt.replace('$16$', '$17$'),
    scrypt.replace('$8$5$', '$8$11$'),
    scrypt.replace('$8$5$', '$0$5$'),
    await hashPassword(COMPOSED, systemRandom),
  ];

  for (const hash of refused) assert.equal(canCarryPassword(hash), false, hash);
  for (const hash of refused.slice(0, -1)) assert.equal(await isPassword(COMPOSED, hash), false, hash);
});
