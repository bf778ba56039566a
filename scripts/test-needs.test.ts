import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needsOf } from './test-needs.ts';

const REPOSITORY = join(import.meta.dirname, '..');
const NOTHING = { databases: false, pages: false };
const EVERYTHING = { databases: true, pages: true };

test('a test of a pure function needs neither a database nor pages', () => {
  for (const file of ['src/domain/slug.test.ts', 'src/lib/shares.prop.test.ts', 'test/web/times.test.ts']) {
    assert.ok(existsSync(join(REPOSITORY, file)), file);
    assert.deepEqual(needsOf(REPOSITORY, [file]), NOTHING, file);
  }
});

test('a test that asks the service needs databases, and one of the program or of pages needs pages too', () => {
  assert.deepEqual(needsOf(REPOSITORY, ['test/api/flips.test.ts']), { databases: true, pages: false });
  assert.deepEqual(needsOf(REPOSITORY, ['test/cli.test.ts']), EVERYTHING);
  assert.deepEqual(needsOf(REPOSITORY, ['test/browser/list.test.ts']), EVERYTHING);
});

test('several files need what one of them needs', () => {
  const files = ['src/domain/slug.test.ts', 'test/cli.test.ts'];

  assert.deepEqual(needsOf(REPOSITORY, files), EVERYTHING);
});

test('a long form needs what its tests need, also if it names them only when it runs', () => {
  assert.deepEqual(needsOf(REPOSITORY, ['test/browser/list.long.test.ts']), EVERYTHING);
  assert.deepEqual(needsOf(REPOSITORY, ['test/dashboard/postgres.long.test.ts']), EVERYTHING);
});
