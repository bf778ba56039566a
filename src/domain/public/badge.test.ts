import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck } from '../check/check.test-support.ts';
import { allTags, badgeLabel, badgeStatus } from './badge.ts';

suite('the status of a badge', () => {
  test('is down as soon as one check is', () => {
    assert.equal(badgeStatus({ total: 9, grace: 3, down: 1 }, 3), 'down');
    assert.equal(badgeStatus({ total: 9, grace: 3, down: 1 }, 2), 'down');
  });

  test('is late only with three states', () => {
    assert.equal(badgeStatus({ total: 9, grace: 1, down: 0 }, 3), 'late');
    assert.equal(badgeStatus({ total: 9, grace: 1, down: 0 }, 2), 'up');
  });

  test('is up when there is nothing to tell of', () => {
    assert.equal(badgeStatus({ total: 0, grace: 0, down: 0 }, 3), 'up');
  });
});

suite('the label of a check', () => {
  test('is its name, else its slug, and never its UUID', () => {
    assert.equal(badgeLabel(aCheck({ name: 'Nightly', slug: 'nightly' })), 'Nightly');
    assert.equal(badgeLabel(aCheck({ name: '', slug: 'nightly' })), 'nightly');
    assert.equal(badgeLabel(aCheck({ name: '', slug: '' })), 'check');
  });
});

suite('tags', () => {
  test('each is listed once, in order of code points', () => {
    const checks = ['b a', ' a  c ', '', '\u{1F600} \uFF5E Z'].map((tags) => aCheck({ tags }));

    // In UTF-16 the emoji would come before the full-width tilde.
    assert.deepEqual(allTags(checks), ['Z', 'a', 'b', 'c', '\uFF5E', '\u{1F600}']);
  });
});
