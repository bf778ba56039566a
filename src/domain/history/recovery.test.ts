import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import type { Flip } from '../check/flip.ts';
import { recoveryOf } from './recovery.ts';
import { sentenceText } from './status-sentence.ts';

const clock = (at: number) => `${(NOW - at) / MINUTE} min ago`;
const flip = (ago: number, oldStatus: Flip['oldStatus'], newStatus: Flip['newStatus']): Flip => {
  return { id: ago, checkId: 1, createdAt: NOW - ago, oldStatus, newStatus, reason: '' };
};
const words = (...flips: Flip[]) => {
  const recovery = recoveryOf(flips, NOW);
  return recovery && sentenceText(recovery.sentence, NOW, clock);
};

test('a check that recovered within the last hours says when it fell and when it recovered', () => {
  const fall = flip(2 * HOUR, 'up', 'down');

  assert.equal(words(flip(HOUR, 'down', 'up'), fall), 'Was down from 120 min ago to 60 min ago (1 h).');
  assert.equal(recoveryOf([flip(HOUR, 'down', 'up'), fall], NOW)?.fallId, fall.id);
  assert.equal(words(flip(HOUR, 'down', 'up')), 'Recovered 60 min ago.');
});

test('other checks have no recovery to tell', () => {
  assert.equal(words(flip(7 * HOUR, 'down', 'up')), null);
  assert.equal(words(flip(HOUR, 'paused', 'up')), null);
  assert.equal(words(flip(HOUR, 'up', 'down')), null);
  assert.equal(words(), null);
});
