import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_NUMBERS, type Numbers } from '../ping/numbers.ts';
import { numbersOver } from './run-numbers.ts';

const RUNS = [{ endN: 2 }, { endN: null }, { endN: 5 }, { endN: 6 }];

test('a number has a value for each run that reported it', () => {
  const reported = new Map<number, Numbers>([
    [2, new Map([['files', 1]])],
    [6, new Map(Object.entries({ errors: 0, files: 3 }))],
  ]);

  assert.deepEqual(numbersOver(RUNS, reported), [
    { name: 'errors', values: [null, null, null, 0] },
    { name: 'files', values: [1, null, null, 3] },
  ]);
});

test('without reports there are no numbers', () => {
  assert.deepEqual(numbersOver(RUNS, new Map()), []);
  assert.deepEqual(numbersOver([], new Map([[2, new Map([['files', 1]])]])), []);
});

test('of names that change with every run the newest are told', () => {
  const runs = Array.from({ length: 3 * MAX_NUMBERS }, (_, n) => ({ endN: n }));
  const reported = new Map(runs.map(({ endN }) => [endN, new Map([[`n${endN}`, endN]])]));

  assert.deepEqual(
    numbersOver(runs, reported).map(({ name }) => name),
    Array.from({ length: MAX_NUMBERS }, (_, back) => `n${3 * MAX_NUMBERS - 1 - back}`),
  );
});
