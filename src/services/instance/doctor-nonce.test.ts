import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { systemRandom } from '../../lib/random.ts';
import { createVault } from '../../lib/vault.ts';
import { isNonce, isProof, makeNonce, proofOf } from './doctor-nonce.ts';

const vault = createVault('the secret of this service', systemRandom);
const stranger = createVault('the secret of another one', systemRandom);
const clock = { now: () => seconds(1_800_000_000) };

test('a nonce is known by its secret, for ten minutes', () => {
  const nonce = makeNonce(vault, clock, systemRandom);
  const known = (later: number) => isNonce(vault, { now: () => clock.now() + seconds(later) }, nonce);

  assert.deepEqual([-601, -600, 0, 600, 601].map(known), [false, true, true, true, false]);
  assert.equal(isNonce(stranger, clock, nonce), false);
});

test('no other text is a nonce', () => {
  const nonce = makeNonce(vault, clock, systemRandom);
  for (const text of [
    '',
    'x',
    nonce.slice(1),
    `${nonce}0`,
    nonce.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  ])
    assert.equal(isNonce(vault, clock, text), false, text);
});

test('a proof is good for its nonce and secret alone', () => {
  const [one, other] = [makeNonce(vault, clock, systemRandom), makeNonce(vault, clock, systemRandom)];

  assert.equal(isProof(vault, one, proofOf(vault, one)), true);
  assert.equal(isProof(vault, other, proofOf(vault, one)), false);
  assert.equal(isProof(vault, one, proofOf(stranger, one)), false);
});
