import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences, logged, MAX_LOGGED_ITEMS, MAX_LOGGED_TEXT } from './audit.ts';

test('only what differs is told, also where one side has no value', () => {
  assert.deepEqual(differences({ a: 1, b: [1], c: 3 }, { a: 2, b: [1], d: 4 }), {
    before: { a: 1, c: 3, d: null },
    after: { a: 2, c: null, d: 4 },
  });
  assert.equal(differences({ a: { b: [1] } }, { a: { b: [1] } }), null);
});

test('long texts and lists are cut, at any depth', () => {
  const text = '👩'.repeat(MAX_LOGGED_TEXT);
  const items = Array.from({ length: MAX_LOGGED_ITEMS + 3 }, () => 'x');

  assert.equal(logged({ text }).text, text);
  assert.equal(logged({ text: `${text}!` }).text, `${'👩'.repeat(MAX_LOGGED_TEXT - 1)}…`);
  assert.deepEqual(logged({ settings: { items } }), {
    settings: { items: [...items.slice(0, MAX_LOGGED_ITEMS), '… and 3 more'] },
  });
});

test('texts that differ beyond what is kept are told as a change', () => {
  const long = 'x'.repeat(1_000);
  const changes = differences({ text: long }, { text: `${long}!` });
  assert.equal(changes?.before.text, changes?.after.text);
});
