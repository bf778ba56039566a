import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCheck } from '../domain/check/check.test-support.ts';
import { ScanBudget } from '../lib/mime/scan-budget.ts';
import { readMail } from './read-mail.ts';

const RAW = Buffer.from('Subject: backup done\r\n\r\nPlease confirm: no error.\r\n');

const subject = aCheck({ filterSubject: true, successKeywords: 'done', failureKeywords: 'error' });
const body = aCheck({ filterBody: true, successKeywords: 'done', failureKeywords: 'error' });

test('a mail means what each filter finds in it', () => {
  const answer = readMail({ raw: RAW, bodyLimit: null, filters: [subject, body] });

  assert.deepEqual(answer.signals, ['success', 'fail']);
  assert.equal(answer.asksToConfirm, true);
});

test('of a mail the first bytes are kept, in a block of their own', () => {
  const { body: kept, asksToConfirm } = readMail({ raw: RAW, bodyLimit: 10, filters: [] });

  assert.equal(Buffer.from(kept).toString(), 'Subject: b');
  assert.equal(kept.buffer.byteLength, 10);
  assert.equal(asksToConfirm, false);
  assert.deepEqual(readMail({ raw: RAW, bodyLimit: null, filters: [] }).body, new Uint8Array(RAW));
});

test('keywords are looked for as long as there is not too much to search', () => {
  const text = 'backup done'.length;
  const scan = new ScanBudget(5 * text);

  const { signals } = readMail({ raw: RAW, bodyLimit: 0, filters: [subject, subject, subject] }, scan);

  assert.deepEqual(signals, ['success', 'success', null]);
});
