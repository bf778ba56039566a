import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCheck } from '../check/check.test-support.ts';
import { classify } from './keyword-filter.ts';

const WORDS = { failureKeywords: 'error, fail', successKeywords: 'done,ok', startKeywords: 'begin' };

for (const [name, overrides, text, signal] of [
  ['a failure word is a failure', WORDS, 'an error', 'fail'],
  ['a success word is a success', WORDS, 'all ok', 'success'],
  ['a start word is a start', WORDS, 'we begin', 'start'],
  ['failure beats success', WORDS, 'ok, but fail', 'fail'],
  ['failure beats start', WORDS, 'begin to fail', 'fail'],
  ['success beats start', WORDS, 'begin, done', 'success'],
  ['nothing found is ignored', WORDS, 'hello', 'ign'],
  ['nothing found may be a failure', { ...WORDS, filterDefaultFail: true }, 'hello', 'fail'],
  ['an empty text has no word', WORDS, '', 'ign'],
  ['a part of a word is enough', WORDS, 'broken: failure', 'fail'],
  ['case matters', WORDS, 'OK, DONE', 'ign'],
  ['blanks around a word are no part of it', { successKeywords: '  a b  ' }, 'xa by', 'success'],
  ['blanks inside a word are', { successKeywords: '  a b  ' }, 'ab', 'ign'],
  ['newlines around a word are no part of it', { successKeywords: '\na\t' }, 'a', 'success'],
  ['an empty list matches nothing', {}, 'anything, at all', 'ign'],
  ['a list of commas matches nothing', { failureKeywords: ',, ,' }, ', ,,', 'ign'],
  ['letters of any script are compared as they are', { failureKeywords: '失敗' }, '処理は失敗した', 'fail'],
  ['what a pattern would mean is just letters', { failureKeywords: '.*' }, 'anything', 'ign'],
] as const) {
  test(name, () => {
    assert.equal(classify(aCheck(overrides), text), signal);
  });
}
