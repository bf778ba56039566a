import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeLine } from '../../web/pages/settings/changes.ts';

test('a row of the audit log names old and new values', () => {
  assert.equal(
    changeLine({ before: { name: 'A', tz: 'UTC' }, after: { name: 'B', tz: null } }),
    'name: A → B · tz: UTC → –',
  );
  assert.equal(
    changeLine({ before: { tags: '' }, after: { tags: ['db', 'prod'] } }),
    'tags: – → ["db","prod"]',
  );
});

test('a row names three changes, and counts the others', () => {
  const [before, after] = [0, 1].map((value) => ({ a: value, b: value, c: value, d: value, e: value }));

  assert.equal(changeLine({ before, after }), 'a: 0 → 1 · b: 0 → 1 · c: 0 → 1 · +2');
});

test('what was made or deleted as a whole is no change of fields', () => {
  assert.equal(changeLine({ before: { name: 'A' }, restorableUntil: 'x' }), '');
  assert.equal(changeLine({ after: { name: 'A' } }), '');
  assert.equal(changeLine({}), '');
});
