import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  type Derive,
  derive,
  OWN_COST,
  type PasswordCost,
  passwordAmount,
  passwordForm,
  storedNothing,
} from '../../lib/password.ts';
import { systemRandom } from '../../lib/random.ts';
import { PasswordWork } from './password-work.ts';

const LIMITS = { maxConcurrentHashes: 1, maxConcurrentOldHashes: 1, maxQueuedHashes: 5 };
const noOldHashes = () => Promise.resolve([]);
const stranger = (network: string) => ({ network, isKnown: false });

suite('hashing passwords', () => {
  test('a password is right for its own hash alone, and for no missing one', async () => {
    const work = new PasswordWork(systemRandom, noOldHashes);
    const hash = await work.hash('correct horse', stranger('a'));

    assert.equal(await work.verify('correct horse', hash, stranger('a')), true);
    assert.equal(await work.verify('wrong horse', hash, stranger('a')), false);
    assert.equal(await work.verify('correct horse', null, stranger('a')), false);
  });

  test('a network waits for its own passwords, others for one of them', async () => {
    const work = new PasswordWork(systemRandom, noOldHashes, LIMITS);
    const order: string[] = [];
    const verify = (name: string, network: string, isKnown = false) =>
      work.verify('x', null, { network, isKnown }).then(() => order.push(name));

    await Promise.all([
      verify('a1', 'a'),
      verify('a2', 'a'),
      verify('a3', 'a'),
      verify('b1', 'b'),
      verify('known', 'a', true),
    ]);

    assert.deepEqual(order, ['a1', 'known', 'a2', 'b1', 'a3']);
  });

  test('one more than may wait is refused at once, and the others are served', async () => {
    const work = new PasswordWork(systemRandom, noOldHashes, LIMITS);
    const verify = (network: string, isKnown = false) => work.verify('x', null, { network, isKnown });
    const running = verify('a');
    const waiting = [verify('a'), verify('a'), verify('a')];

    await assert.rejects(verify('a'), { code: 'overloaded', retryAfterSeconds: 1 });
    waiting.push(verify('b'), verify('d'));
    await assert.rejects(verify('c'), { code: 'overloaded' });
    waiting.push(verify('c', true));

    assert.deepEqual(await Promise.all([running, ...waiting]), Array(7).fill(false));
  });
});

suite('hashes of other programs', () => {
  const SALT = 'saltsaltsaltsaltsalt12';
  // Of `correct horse`.
  const PBKDF2 = `pbkdf2_sha256$1000$${SALT}$7kQnvik2EF+ZgxuPgZDCIKdNYs3JKaGATJCvSjVHMpY=`;
  const SHA1 = `pbkdf2_sha1$1000$${SALT}$W1zR0lX3SSnxjJJFq7BirlR/5qo=`;
  const SCRYPT = `scrypt$16$${SALT}$8$5$EKi6YfhCyO62rwTirV39cR8/l9Qiyc+elG8LPLduSEh1fW6Tv81ZFZavFmWxvR3bxtJwChBNA6jfE0JSGIb56A==`;
  const ARGON2 = `argon2$argon2id$v=19$m=64,t=2,p=8$c2FsdHNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc`;
  const MOST: PasswordCost[] = [
    { by: 'pbkdf2_sha256', iterations: 2_500 },
    { by: 'pbkdf2_sha1', iterations: 1_000 },
    { by: 'scrypt', n: 32, r: 8, p: 5 },
    { by: 'argon2id', memory: 128, passes: 2, parallelism: 8 },
  ];

  /** Adds up the work of each form, and the length of digests. */
  function counting(costs: readonly PasswordCost[], limits = LIMITS) {
    const amounts = new Map<string, number>();
    const running = { now: 0, most: 0 };
    const count: Derive = async (password, stored) => {
      const form = stored.isOwn ? 'own' : passwordForm(stored.cost);
      amounts.set(form, (amounts.get(form) ?? 0) + passwordAmount(stored.cost));
      if (!stored.isOwn) running.most = Math.max(running.most, ++running.now);
      const { length } = stored.digest;
      const isNothing = stored.digest.equals(Buffer.alloc(length));
      const derived = isNothing ? Buffer.alloc(length, 1) : await derive(password, stored);
      if (!stored.isOwn) running.now--;
      return derived;
    };
    return {
      work: new PasswordWork(systemRandom, () => Promise.resolve(costs), limits, count),
      running,
      take: () => {
        const taken = Object.fromEntries(amounts);
        amounts.clear();
        return taken;
      },
    };
  }

  test('a wrong password takes the work of the costliest of each form, whatever the account has', async () => {
    const { work, take } = counting(MOST);
    const own = await work.hash('correct horse', stranger('a'));
    const expected = {
      own: passwordAmount(OWN_COST),
      pbkdf2_sha256: 2_500,
      pbkdf2_sha1: 1_000,
      scrypt: 32 * 8 * 5,
      argon2: 256,
    };

    for (const hash of [null, own, '', PBKDF2, SHA1, SCRYPT, ARGON2, 'pbkdf2_sha256$1000000000$a$b']) {
      assert.equal(await work.verify('wrong horse', hash, stranger('a')), false);
      assert.deepEqual(take(), expected, String(hash));
    }
  });

  test('of a password that is not composed both spellings are tried, whatever the account has', async () => {
    const { work, take } = counting(MOST.slice(0, 1));
    const expected = { own: passwordAmount(OWN_COST), pbkdf2_sha256: 5_000 };

    for (const hash of [null, PBKDF2]) {
      assert.equal(await work.verify('wrong ho\u0308rse', hash, stranger('a')), false);
      assert.deepEqual(take(), expected, String(hash));
    }
  });

  test('digests of nothing take as long as those of passwords', () => {
    const lengths = MOST.map((cost) => storedNothing(cost).digest.length);

    assert.deepEqual(lengths, [32, 20, 64, 32]);
  });

  test('a right password takes its own work alone', async () => {
    const { work, take } = counting(MOST);
    const own = await work.hash('correct horse', stranger('a'));

    assert.equal(await work.verify('correct horse', own, stranger('a')), true);
    assert.deepEqual(take(), { own: passwordAmount(OWN_COST) });
    for (const hash of [PBKDF2, SHA1, SCRYPT]) {
      assert.equal(await work.verify('correct horse', hash, stranger('a')), true);
      assert.equal(Object.keys(take()).length, 2);
    }
  });

  test('without such hashes nothing is added', async () => {
    const { work, take } = counting([]);

    await work.verify('wrong horse', null, stranger('a'));

    assert.deepEqual(take(), { own: passwordAmount(OWN_COST) });
  });

  test('they are compared one at a time', async () => {
    const { work, running } = counting(MOST.slice(0, 1), { ...LIMITS, maxConcurrentHashes: 2 });
    const networks = ['a', 'a', 'b', 'c'];

    await Promise.all(networks.map((network) => work.verify('wrong', PBKDF2, stranger(network))));

    assert.equal(running.most, 1);
  });
});
