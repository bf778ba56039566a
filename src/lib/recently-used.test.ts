import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentlyUsed } from './recently-used.ts';

const never = () => assert.fail('the entry is there');

test('an entry is made once, and the same is returned from then on', () => {
  const entries = new RecentlyUsed<string, object>(2);
  const made = entries.get('a', () => ({}));

  assert.equal(entries.get('a', never), made);
});

test('the entry that was used longest ago makes room for a new one', () => {
  const entries = new RecentlyUsed<string, string>(2);
  entries.get('a', () => 'first');
  entries.get('b', () => 'first');
  entries.get('a', never);
  entries.get('c', () => 'first');

  assert.equal(entries.size, 2);
  assert.equal(entries.get('a', never), 'first');
  assert.equal(
    entries.get('b', () => 'again'),
    'again',
  );
});
