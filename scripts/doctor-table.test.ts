import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withRows } from './doctor-table.ts';
import { readPage } from './settings-table.ts';

test('the table of rows is what the code says; `npm run doctor:table` writes it', async () => {
  const page = await readPage();

  assert.equal(page, withRows(page));
});
