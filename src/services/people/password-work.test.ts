import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { systemRandom } from '../../lib/random.ts';
import { PasswordWork } from './password-work.ts';

const LIMITS = { maxConcurrentHashes: 1, maxQueuedHashes: 5 };
const stranger = (network: string) => ({ network, isKnown: false });

suite('hashing passwords', () => {
  test('a password is right for its own hash alone, and for no missing one', async () => {
    const work = new PasswordWork(systemRandom);
    const hash = await work.hash('correct horse', stranger('a'));

    assert.equal(await work.verify('correct horse', hash, stranger('a')), true);
    assert.equal(await work.verify('wrong horse', hash, stranger('a')), false);
    assert.equal(await work.verify('correct horse', null, stranger('a')), false);
  });

  test('a network waits for its own passwords, others for one of them', async () => {
    const work = new PasswordWork(systemRandom, LIMITS);
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
    const work = new PasswordWork(systemRandom, LIMITS);
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
