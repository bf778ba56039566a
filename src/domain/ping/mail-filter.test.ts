import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCheck } from '../check/check.test-support.ts';
import { classifyMail, mailFilterOf } from './mail-filter.ts';

const MAIL = { subject: 'done', text: 'it was an error' };
const WORDS = { successKeywords: 'done', failureKeywords: 'error' };

for (const [name, overrides, signal] of [
  ['a filter of subjects looks at the subject', { ...WORDS, filterSubject: true }, 'success'],
  ['a filter of bodies looks at the text', { ...WORDS, filterBody: true }, 'fail'],
  ['a filter of both looks at both', { ...WORDS, filterSubject: true, filterBody: true }, 'fail'],
  [
    'no keyword lies over the edge of subject and text',
    { successKeywords: 'doneit', filterSubject: true, filterBody: true },
    'ign',
  ],
] as const) {
  test(name, () => {
    const filter = mailFilterOf(aCheck(overrides));

    assert.ok(filter !== null);
    assert.equal(classifyMail(filter, MAIL), signal);
  });
}

test('a check with keywords filters mails only if it is told where to look', () => {
  assert.equal(mailFilterOf(aCheck({ ...WORDS, filterHttpBody: true, filterDefaultFail: true })), null);
});
