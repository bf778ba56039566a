import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { at, readVectors } from './schedule.test-support.ts';
import { describeSchedule, detectKind, nextOccurrence, ScheduleError, validateSchedule } from './schedule.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 20241027;

const START = at('2024-03-30T22:00Z');

/** Accepts the text and evaluates it, or refuses it in a sentence; there is no third way. */
function assertSettled(text: string): void {
  try {
    assert.equal(validateSchedule(text), detectKind(text));
  } catch (error) {
    assert.ok(error instanceof ScheduleError, `${JSON.stringify(text)}: ${error}`);
    assert.match(error.message, /^.{10,200}\.$/s);
    return;
  }
  assert.match(describeSchedule(text), /^(At|Every) /);
  const next = nextOccurrence(text, 'Europe/Riga', START);
  assert.ok(next === null || (next > START && next % 1e6 === 0));
}

test('any text is either evaluated or refused with a reason', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 110 }),
    fc.string({ unit: 'binary-ascii', maxLength: 110 }),
  );
  fc.assert(fc.property(text, assertSettled), { seed: SEED, numRuns: 2000 });
});

test('any text in the letters of the two languages is either evaluated or refused with a reason', () => {
  const piece = fc.constantFrom(
    ...['*', '*/', '-', '..', '/', ',', ':', '~', '#', 'L', 'LW', ' ', '\n', '\t', '.', '?', '@'],
    ...['0', '1', '2', '5', '7', '12', '29', '31', '59', '2030', 'Mon', 'Fri', 'sunday', 'JAN', 'daily'],
    ...['UTC', 'Europe/Riga', 'right/', '* * *', '*-*-*', '00:00', ' * * * *'],
  );
  const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
  fc.assert(fc.property(text, assertSettled), { seed: SEED, numRuns: 4000 });
});

test('an accepted expression with one letter changed is either evaluated or refused with a reason', () => {
  const accepted = ['cron.jsonl', 'oncalendar.jsonl']
    .flatMap((file) => readVectors<{ expr: string; error?: true }>(file))
    .filter(({ error }) => error === undefined)
    .map(({ expr }) => expr);
  const changed = fc
    .tuple(fc.constantFrom(...accepted), fc.nat(), fc.constantFrom(...'*-/,.:~#L0123456789 \nA'))
    .map(([text, position, letter]) => {
      const place = position % text.length;
      return text.slice(0, place) + letter + text.slice(place + 1);
    });
  fc.assert(fc.property(changed, assertSettled), { seed: SEED, numRuns: 4000 });
});
