import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Left } from '../../spool/left.ts';
import { type Case, type Expectation, expectationOf, keysOf, whyNot } from './expectation.ts';

const START = Date.UTC(2026, 10, 18, 3);
const file = (bytes: number, changedMs = START + 1_000, path = '/b/new.dump'): Left => ({
  path,
  bytes,
  changedMs,
});
const LAST = file(1_000, START - 86_400_000, '/b/old.dump');
const USUAL: Expectation = { patterns: [], isNew: false, leastBytes: 1, mostShrink: null };

function why(
  left: Left | null,
  expected: Partial<Expectation> = {},
  more: Partial<Case> = {},
): string | null {
  const found = left === null ? { kind: 'nothing' as const } : { kind: 'file' as const, left };
  return whyNot(
    { pattern: '/b/*.dump', found, last: null, startedMs: START, ...more },
    { ...USUAL, ...expected },
  );
}

test('nothing, and what cannot be looked at, is not what was expected', () => {
  assert.equal(why(null), '/b/*.dump: nothing is there');
  assert.equal(
    why(null, {}, { last: LAST }),
    '/b/*.dump: nothing is there; the last run left /b/old.dump with 1000 bytes',
  );
  assert.equal(
    why(null, {}, { found: { kind: 'unknown', reason: 'EACCES' } }),
    '/b/*.dump: cannot be looked at: EACCES',
  );
});

test('an empty file is none, unless somebody wants one', () => {
  assert.equal(why(file(0)), '/b/*.dump: too small: /b/new.dump with 0 bytes, where at least 1 are expected');
  assert.equal(why(file(0), { leastBytes: 0 }), null);
  assert.equal(why(file(1)), null);
});

test('an old file counts only where it need not be new; clocks may differ by two seconds', () => {
  const old = file(5, START - 2_001);

  assert.equal(why(old), null);
  assert.equal(
    why(old, { isNew: true }),
    '/b/*.dump: nothing new: /b/new.dump with 5 bytes is of 2026-11-18T02:59:57.999Z, and the job started at 2026-11-18T03:00:00.000Z',
  );
  assert.equal(why(file(5, START - 2_000), { isNew: true }), null);
});

test('a file that has not changed since the last run is old, whatever its clock says', () => {
  const ahead = file(5, START + 1e9);

  assert.equal(
    why(ahead, { isNew: true }, { last: ahead }),
    '/b/*.dump: nothing new: /b/new.dump with 5 bytes is what the last run left',
  );
  assert.equal(why(ahead, { isNew: true }, { last: file(6, START + 1e9) }), null);
  assert.equal(why(ahead, {}, { last: ahead }), null);
});

test('a file may shrink by so much, and the first one has nothing to shrink from', () => {
  const half = { mostShrink: 50 };

  assert.equal(why(file(1), half), null);
  assert.equal(why(file(500), half, { last: LAST }), null);
  assert.equal(
    why(file(499), half, { last: LAST }),
    '/b/*.dump: shrunk by more than 50%: /b/new.dump with 499 bytes; the last run left /b/old.dump with 1000 bytes',
  );
  assert.equal(why(file(1), { mostShrink: 100 }, { last: LAST }), null);
  assert.notEqual(why(file(999), { mostShrink: 0 }, { last: LAST }), null);
});

test('sentences are one line, whatever files are called', () => {
  const told = why(file(0, START, `/b/a\nb\u001b[31m${'x'.repeat(500)}`)) ?? '';

  assert.match(told, /^[^\p{Cc}]+$/u);
  assert.ok(told.length < 400);
  assert.doesNotThrow(() => why(file(5, Number.MIN_SAFE_INTEGER), { isNew: true }));
});

test('a pattern with the date of today is remembered as that of yesterday', () => {
  assert.deepEqual(keysOf(['/b/app-2026-11-18.sql']), keysOf(['/b/app-2026-11-19.sql']));
  assert.equal(new Set(keysOf(['/b/db1', '/b/db2', '/b/x'])).size, 3);
});

test('options become expectations', () => {
  assert.deepEqual(
    expectationOf({ 'expect-file': ['a'], 'newer-than-start': true, 'min-size': null, 'shrink-at-most': 5 }),
    { patterns: ['a'], isNew: true, leastBytes: 1, mostShrink: 5 },
  );
});
