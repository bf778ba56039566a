import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailDate } from './mail-date.ts';

const AT = Date.UTC(2020, 2, 4, 23, 2, 3) * 1000 + 999_999;

test('a date in the form of RFC 2822, in the zone', () => {
  assert.equal(mailDate(AT, 'UTC'), 'Wed, 4 Mar 2020 23:02:03 +0000');
  assert.equal(mailDate(AT, 'Europe/Riga'), 'Thu, 5 Mar 2020 01:02:03 +0200');
  assert.equal(mailDate(AT, 'America/St_Johns'), 'Wed, 4 Mar 2020 19:32:03 -0330');
});

test('a zone that nobody knows counts as UTC', () => {
  assert.equal(mailDate(AT, 'Mars/Olympus'), 'Wed, 4 Mar 2020 23:02:03 +0000');
});
