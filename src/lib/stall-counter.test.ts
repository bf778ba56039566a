import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StallCounter } from './stall-counter.ts';

test('a thread that did not turn between the first look and the sixtieth after it hangs', () => {
  const counter = new StallCounter(60);
  const looks = Array.from({ length: 61 }, () => counter.isStalledAt(7));

  assert.equal(looks.indexOf(true), 60);
});

test('a single turn in time begins the count anew', () => {
  const counter = new StallCounter(60);
  const looks = [...Array(60).fill(7), ...Array(60).fill(8)].map((turns) => counter.isStalledAt(turns));

  assert.ok(!looks.includes(true));
});

test('a process that was stopped for an hour has looked once meanwhile', () => {
  const counter = new StallCounter(2);
  counter.isStalledAt(7);
  // The timers of both threads fire once when the process goes on, in either order.
  assert.equal(counter.isStalledAt(7), false);
  assert.equal(counter.isStalledAt(8), false);
});
