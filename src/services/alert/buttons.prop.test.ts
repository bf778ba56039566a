import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { at } from '../../domain/check/check.test-support.ts';
import { seconds } from '../../lib/instant.ts';
import { systemRandom } from '../../lib/random.ts';
import { createVault } from '../../lib/vault.ts';
import { type ButtonKind, type ButtonRef, buttonKind, buttonsOf } from './buttons.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const OPTIONS = { seed: 20260304, numRuns: 200 };
const vault = createVault('a secret', systemRandom);
const NOW = at('2026-03-04T04:00Z');
const WEEK = seconds(7 * 86_400);

const deliveryUuid = fc.uuid();
const kind = fc.constantFrom<ButtonKind>('message', 'test', 'many');

/** The buttons of a message, as their addresses name them. */
function refsOf(deliveryUuid: string, kind: ButtonKind): ButtonRef[] {
  const made = buttonsOf(vault, { deliveryUuid, kind, now: NOW }, 'pause', '');
  return made.map(({ verb, url }) => ({ deliveryUuid, verb, token: url.split('/').at(-2) ?? '' }));
}

const anyRef = fc.tuple(deliveryUuid, kind, fc.nat(2)).map(([uuid, kind, index]) => {
  const refs = refsOf(uuid, kind);
  return { kind, ref: refs[index % refs.length] ?? assert.fail('there is no button') };
});

test('a button is good for its message for a week', () => {
  fc.assert(
    fc.property(anyRef, fc.integer({ min: 0, max: WEEK }), ({ kind, ref }, age) => {
      assert.equal(buttonKind(vault, ref, NOW + age), kind);
      assert.equal(buttonKind(vault, ref, NOW + WEEK + seconds(1)), null);
    }),
    OPTIONS,
  );
});

test('an address that is altered in any character is good for nothing', () => {
  fc.assert(
    fc.property(anyRef, fc.nat(39), fc.constantFrom(...'0123456789abcdefg/ '), ({ ref }, place, sign) => {
      fc.pre(ref.token[place] !== sign);
      const token = `${ref.token.slice(0, place)}${sign}${ref.token.slice(place + 1)}`;
      assert.equal(buttonKind(vault, { ...ref, token }, NOW), null);
    }),
    OPTIONS,
  );
});

test('a signature is good for no other message and no other verb', () => {
  fc.assert(
    fc.property(anyRef, deliveryUuid, ({ ref }, other) => {
      assert.equal(buttonKind(vault, { ...ref, deliveryUuid: other }, NOW), null);
      for (const verb of ['acknowledge', 'snooze', 'pause', 'resume', ''].filter((one) => one !== ref.verb))
        assert.equal(buttonKind(vault, { ...ref, verb }, NOW), null);
    }),
    OPTIONS,
  );
});
