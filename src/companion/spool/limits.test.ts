import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { pingOf, targetOf } from '../ping.test-support.ts';
import type { Signal } from '../ping.ts';
import { type Sized, tooMany } from './limits.ts';

const target = targetOf('https://h.example/ping');
const HEAD_BYTES = 100;

function sized(name: string, signal: Signal, bodyBytes = 0): Sized {
  return { name, head: { ...pingOf(target, signal), bodyBytes }, bytes: HEAD_BYTES + bodyBytes };
}

function goes(waiting: readonly Sized[], files: number, bytes: number) {
  const { bodies, whole } = tooMany(waiting, { files, bytes, ageMs: 1 });
  return { bodies: bodies.map(({ name }) => name), whole: whole.map(({ name }) => name) };
}

suite('where too much waits', () => {
  const waiting = [
    sized('a', 'start'),
    sized('b', 3, 1000),
    sized('c', 'log', 1000),
    sized('d', 'success', 1000),
    sized('e', 'fail'),
  ];

  test('nothing goes below the limits', () => {
    assert.deepEqual(goes(waiting, 5, 3500), { bodies: [], whole: [] });
  });

  test('the oldest bodies go first', () => {
    assert.deepEqual(goes(waiting, 5, 3499), { bodies: ['b'], whole: [] });
    assert.deepEqual(goes(waiting, 5, 2000), { bodies: ['b', 'c'], whole: [] });
  });

  test('then the oldest logs and starts, then the oldest', () => {
    assert.deepEqual(goes(waiting, 4, 9999).whole, ['a']);
    assert.deepEqual(goes(waiting, 3, 9999).whole, ['a', 'c']);
    assert.deepEqual(goes(waiting, 2, 9999).whole, ['a', 'c', 'b']);
    assert.deepEqual(goes(waiting, 5, 500), { bodies: ['d'], whole: ['a', 'c', 'b'] });
    assert.deepEqual(goes(waiting, 0, 0), { bodies: [], whole: ['a', 'c', 'b', 'd', 'e'] });
  });
});
