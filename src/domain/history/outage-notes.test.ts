import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { HOUR, NOW } from '../check/check.test-support.ts';
import { type Outage, outageOf } from '../policy/outage.ts';
import { type Answer, type AnswerFacts, answerOf } from './answer.ts';
import { outageNotes } from './outage-notes.ts';
import { sentenceText } from './status-sentence.ts';

const LOUD = { snoozedUntilAt: null, snoozedBy: null, quietFromAt: null, quietUntilAt: null };

function notes(
  overrides: Partial<Outage>,
  check: AnswerFacts['check'] = LOUD,
  more: Partial<Answer> = {},
): string[] {
  const flip = { id: 1, checkId: 1, reason: 'timeout', createdAt: NOW - 2 * HOUR } as const;
  const told = { ...outageOf(flip), state: 'told', toldAt: NOW - 2 * HOUR } as const;
  const clock = (at: number) => `${(at - NOW) / HOUR} h`;
  const outage = { ...told, ...overrides };
  const answer = answerOf({ check, isDown: true, outage }, NOW);
  const parts = outageNotes(outage, answer && { ...answer, ...more });
  return parts.map((sentence) => sentenceText(sentence, NOW, clock));
}

suite('the notes on an outage', () => {
  const taken = { acknowledgedAt: NOW - HOUR, acknowledgedBy: 'Anna' };
  const over = { state: 'over', endedAt: NOW } as const;

  test('are none if it was told and nobody has answered', () => {
    assert.deepEqual(notes({}), []);
    assert.deepEqual(notes(over), []);
  });

  test('name who had it, also after its end', () => {
    assert.deepEqual(notes(taken), ['Acknowledged by Anna at -1 h']);
    assert.deepEqual(notes({ ...taken, ...over }), ['Acknowledged by Anna at -1 h']);
  });

  test('say what holds it while it lasts', () => {
    const snoozed = { quietFromAt: null, quietUntilAt: null, snoozedUntilAt: NOW + HOUR, snoozedBy: 'alice' };
    assert.deepEqual(notes(taken, snoozed), ['Acknowledged by Anna at -1 h', 'Snoozed until 1 h by alice']);
    const waiting = { state: 'waiting', toldAt: null, heldBy: 'wait', wakeAt: NOW + HOUR } as const;
    assert.deepEqual(notes(waiting), ['Nobody told yet: told 1 h if it is still down']);
    assert.deepEqual(notes(over, snoozed), [], 'the silence is about the next one');
  });

  test('name the check that it waits for, and count the bad runs', () => {
    const held = { state: 'waiting', toldAt: null, heldBy: 'parent' } as const;
    assert.deepEqual(notes(held, LOUD, { by: 'router', at: NOW - HOUR }), [
      'Waits for router, down since -1 h',
    ]);
    const first = { ...held, heldBy: 'bad_runs' } as const;
    assert.deepEqual(notes(first, LOUD, { badRuns: { count: 1, of: 2, misses: 1 } }), [
      'Nobody told yet: first of 2 bad runs',
    ]);
  });

  test('say that it ended before anybody was told', () => {
    assert.deepEqual(notes({ ...over, toldAt: null }), ['Nobody was told: it ended before.']);
  });
});
