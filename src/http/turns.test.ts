import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_TOGETHER, Turns } from './turns.ts';

/** Answers a request as the service does: at the end of the turn, and when the others are ready. */
function answer(turns: Turns, note: (event: string) => void): Promise<void> {
  return new Promise((resolve) =>
    turns.atEnd(async () => {
      note('asked');
      await turns.readyToSend();
      note('answered');
      resolve();
    }),
  );
}

function givenTurns(): { turns: Turns; events: string[]; one: () => Promise<void> } {
  const events: string[] = [];
  const turns = new Turns(() => events.push('shared'));
  return { turns, events, one: () => answer(turns, (event) => events.push(event)) };
}

test('requests that come together read one state of the database, and are answered one right after the other', async () => {
  const { events, one } = givenTurns();

  await Promise.all([one(), one()]);
  assert.deepEqual(events, ['shared', 'asked', 'asked', 'answered', 'answered']);
  await one();
  assert.deepEqual(events.slice(5), ['asked', 'answered'], 'a lone request shares nothing');
});

test('of many requests that come together some are answered in one turn, and the others after what came meanwhile', async () => {
  const { events, one } = givenTurns();
  const requests = Array.from({ length: MAX_TOGETHER + 1 }, one);
  setImmediate(() => events.push('end of the turn'));

  await Promise.all(requests);
  const times = (event: string) => Array.from({ length: MAX_TOGETHER }, () => event);
  assert.deepEqual(events, [
    'shared',
    ...times('asked'),
    ...times('answered'),
    'end of the turn',
    'asked',
    'answered',
  ]);
});
