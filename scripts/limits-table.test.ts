import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { LIMITS } from './limits.ts';
import { readPage, withLimits, withUnit } from './limits-table.ts';

test('the table of limits is what the code says; `npm run limits` writes it', async () => {
  const page = await readPage();

  assert.equal(page, withLimits(page));
});

test('every limit is a number, and the file that the table names owns it', async () => {
  for (const { what, value, name, file } of Object.values(LIMITS).flat()) {
    assert.ok(Number.isSafeInteger(value) && value > 0, what);
    if (file === null) continue;
    const source = await readFile(join(dirname(import.meta.dirname), file), 'utf8');
    assert.match(source, new RegExp(`\\b${name}( =|:)`), `${file} does not define ${name}`);
  }
});

test('a limit is written in the largest unit in which its number is short', () => {
  assert.equal(withUnit(2_621_440, 'bytes'), '2.5 MiB');
  assert.equal(withUnit(64 * 1024, 'bytes'), '64 KiB');
  assert.equal(withUnit(10_000, 'bytes'), '10,000 bytes');
  assert.equal(withUnit(900_000, 'ms'), '15 min');
  assert.equal(withUnit(250, 'ms'), '250 ms');
  assert.equal(withUnit(30, 'seconds'), '30 s');
  assert.equal(withUnit(20_000, ''), '20,000');
  assert.equal(withUnit(100, 'characters'), '100 characters');
});

test('a page without a place for the table is refused', () => {
  assert.throws(() => withLimits('# Security\n'), /no place for the table/);
});
