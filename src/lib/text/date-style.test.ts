import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  canonicalLanguage,
  DEFAULT_DATE_STYLE,
  dayOfMonth,
  dayRange,
  monthAndYear,
  personDate,
} from './date-style.ts';

const AT = Date.UTC(2024, 2, 1, 15, 2, 3) * 1_000;
const write = (style: Partial<typeof DEFAULT_DATE_STYLE>) =>
  // Some languages have a narrow space between the time and its half of the day.
  personDate(AT, 'Europe/Riga', { ...DEFAULT_DATE_STYLE, ...style }).replace(/[\u00a0\u202f]/g, ' ');

test('a date without a choice is as in the head of a mail', () => {
  assert.equal(write({}), 'Fri, 1 Mar 2024 17:02:03 +0200');
});

test('a date follows the language, the format and the clock', () => {
  assert.equal(write({ language: 'de' }), 'Fr., 1. März 2024, 17:02:03 GMT+2');
  assert.equal(write({ clock: '12h' }), 'Fri, 1 Mar 2024, 5:02:03 pm GMT+2');
  assert.equal(write({ dateFormat: 'iso' }), '2024-03-01, 17:02:03 GMT+2');
});

test('days and months follow the language and the format', () => {
  const day = Temporal.PlainDate.from('2024-03-01');
  assert.equal(dayOfMonth(day, { language: 'de', dateFormat: 'text' }), '1. März');
  assert.equal(dayOfMonth(day, { language: '', dateFormat: 'iso' }), '2024-03-01');
  assert.equal(monthAndYear(day, { language: 'fr', dateFormat: 'text' }), 'mars 2024');
  assert.equal(monthAndYear(day, { language: 'fr', dateFormat: 'iso' }), '2024-03');
});

test('a language is a tag that dates can be written in', () => {
  assert.equal(canonicalLanguage('DE-at'), 'de-AT');
  assert.equal(canonicalLanguage(''), '');
  for (const tag of ['zz', 'german', 'x\u0000', 'en_US', `en-${'a'.repeat(40)}`])
    assert.equal(canonicalLanguage(tag), null, tag);
});

test('a range of days names what both have in common once', () => {
  const day = (text: string) => Temporal.PlainDate.from(text);
  const range = (first: string, last: string, language = '', dateFormat: 'text' | 'iso' = 'text') =>
    dayRange(day(first), day(last), { language, dateFormat }, { month: 'long' });
  assert.equal(range('2024-03-01', '2024-03-31'), '1 to 31 March');
  assert.equal(range('2019-12-30', '2020-01-05'), '30 December to 5 January');
  assert.equal(range('2024-03-01', '2024-03-01'), '1 March');
  assert.equal(range('2024-03-01', '2024-03-31', 'de'), '1.–31. März');
  assert.equal(range('2024-03-01', '2024-03-31', 'de', 'iso'), '2024-03-01 to 2024-03-31');
});
