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

test('entries may have sizes, and together they stay within the limit', () => {
  const entries = new RecentlyUsed<string, string>(10, ({ length }) => length);
  entries.set('a', 'aaaa');
  entries.set('b', 'bbbb');
  entries.set('a', 'aa');
  entries.set('c', 'cccc');
  assert.equal(entries.size, 10);
  entries.set('d', 'd');

  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => entries.find(key)),
    ['aa', undefined, 'cccc', 'd'],
  );
  assert.equal(entries.size, 7);
});

test('an entry larger than the limit is not kept, and leaves nothing of the one before it', () => {
  const entries = new RecentlyUsed<string, string>(3, ({ length }) => length);
  entries.set('a', 'aa');
  entries.set('a', 'aaaa');

  assert.equal(entries.find('a'), undefined);
  assert.equal(entries.size, 0);
});
