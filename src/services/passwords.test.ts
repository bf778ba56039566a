import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../domain/errors.ts';
import { systemRandom } from '../lib/random.ts';
import { hashPassword, isPassword, PASSWORD_LIMITS } from './passwords.ts';

test('a flood of passwords is refused with a clear answer, and the first ones are still hashed', async () => {
  const accepted = PASSWORD_LIMITS.maxConcurrentHashes + PASSWORD_LIMITS.maxQueuedHashes;
  // A random source that fails takes the place of the hash itself.
  const broken = { ...systemRandom, bytes: () => assert.fail('no bytes') };

  const ended = await Promise.allSettled(
    Array.from({ length: accepted + 3 }, () => hashPassword('correct horse', broken)),
  );

  const refused = ended.filter(
    (one) => one.status === 'rejected' && one.reason instanceof AppError && one.reason.code === 'overloaded',
  );
  assert.equal(refused.length, 3);
  assert.deepEqual(ended.slice(accepted), refused);
});

test('a password is known by its hash', async () => {
  const hash = await hashPassword('correct horse', systemRandom);

  assert.equal(await isPassword('correct horse', hash), true);
  assert.equal(await isPassword('wrong horse', hash), false);
});
