import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPage, withSettings } from './settings-table.ts';

test('the table of settings is what the code says; `npm run settings` writes it', async () => {
  const page = await readPage();

  assert.equal(page, withSettings(page));
});
