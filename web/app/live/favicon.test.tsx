import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badgeOf, faviconOf } from './favicon.ts';

test('the picture of the tab counts what nobody has, and is amber if somebody has all that is down', () => {
  const counts = { down: 0, answered: 0, late: 0 };
  assert.equal(faviconOf(counts), 'bell.svg');
  assert.equal(faviconOf({ ...counts, late: 1 }), 'bell-late.svg');
  assert.equal(faviconOf({ ...counts, answered: 2 }), 'bell-late.svg');
  assert.equal(faviconOf({ down: 1, answered: 2, late: 3 }), 'down-1.svg');
  assert.equal(faviconOf({ ...counts, down: 10 }), 'down-9plus.svg');
});

test('the number on the icon of the app is that of all projects, without those that somebody has', () => {
  const project = (down: number) => ({ checks: { down, acknowledged: 5 } });
  assert.equal(badgeOf([project(1), project(1)]), 2);
  assert.equal(badgeOf([project(1), project(0)]), 1);
});
