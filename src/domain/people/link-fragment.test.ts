import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkFragment, readLinkFragment } from './link-fragment.ts';

const TOKEN = 'a-_'.repeat(14);

test('a link holds its secret and the path, with characters that every mail program takes for a part of it', () => {
  for (const next of ['/projects/1/checks/?tag=a%20b&q=(x)', '/a', '/ab', '/abc', '/~~~???>>>#secret']) {
    const fragment = linkFragment(TOKEN, next);

    assert.match(fragment, /^[\w.-]+$/);
    assert.deepEqual(readLinkFragment(fragment), { token: TOKEN, next });
  }
});

test('a link without a path is its secret alone', () => {
  assert.equal(linkFragment(TOKEN, '/'), TOKEN);
  assert.deepEqual(readLinkFragment(TOKEN), { token: TOKEN, next: '' });
});

test('a link with a damaged path still works', () => {
  assert.deepEqual(readLinkFragment(`${TOKEN}.%%%`), { token: TOKEN, next: '' });
});
