import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partsOf } from './pattern.ts';

function isMatch(pattern: string, name: string): boolean {
  const [part] = partsOf(pattern);
  return part?.kind === 'name' ? part.name === name : part?.matches(name) === true;
}

test('names match as in shells', () => {
  const cases: readonly (readonly [
    pattern: string,
    matching: readonly string[],
    others: readonly string[],
  ])[] = [
    ['*.dump', ['a.dump', 'ä b.dump'], ['a.dump.gz', '.dump', '.a.dump', 'dump']],
    ['app-????-??.sql', ['app-2026-11.sql'], ['app-2026-1.sql', 'app-2026-111.sql']],
    ['a*b*c', ['abc', 'aXbYc', 'abbcc'], ['ac', 'abcd']],
    ['[a-c]1', ['a1', 'c1'], ['d1', '-1', '[1']],
    ['[!a-c]1', ['d1'], ['b1']],
    ['[]x]', [']', 'x'], ['y']],
    ['[a-]', ['a', '-'], ['b']],
    ['[ab', ['[ab'], ['a', 'b']],
    ['\\*x', ['*x'], ['ax']],
    ['?\\*', ['a*'], ['ab']],
    ['.*', ['.a'], ['a']],
    ['?', ['😀', 'x'], ['xy', '']],
    ['plain', ['plain'], ['Plain']],
    ['a(b)+.$', ['a(b)+.$'], ['ab']],
  ];
  for (const [pattern, matching, others] of cases) {
    for (const name of matching) assert.ok(isMatch(pattern, name), `${pattern} ${name}`);
    for (const name of others) assert.ok(!isMatch(pattern, name), `${pattern} ${name}`);
  }
});

test('hostile patterns and names take no time', () => {
  assert.equal(isMatch(`${'*a'.repeat(60)}*b`, 'a'.repeat(255)), false);
});

test('parts of a path are names or patterns', () => {
  assert.deepEqual(
    partsOf('/srv//back ups/*/app.dump').map((part) => (part.kind === 'name' ? part.name : 'pattern')),
    ['srv', 'back ups', 'pattern', 'app.dump'],
  );
});
