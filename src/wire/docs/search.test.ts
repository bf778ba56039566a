import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DocSearch, type DocSection, MAX_DOCS_QUERY } from './search.ts';

const section = (path: string, heading: string, text: string): DocSection => ({
  path,
  page: path === 'schedules/' ? 'Schedules' : 'Pinging',
  id: heading.toLowerCase(),
  heading,
  text,
});

const search = new DocSearch([
  section('pinging/', 'Failure', 'The grace time does not matter when a job reports its failure.'),
  section('schedules/', 'Grace', 'How long a ping may be late.'),
  section('schedules/', 'Settings', 'The public address is SITE_ROOT, and PORT the port.'),
]);

const found = (query: string) => search.find(query).map((one) => one.section.heading);
const marked = (query: string) =>
  search.find(query)[0]?.excerpt.flatMap(({ text, isHit }) => (isHit ? [text] : []));

test('a heading counts more than a text', () => {
  assert.deepEqual(found('grace'), ['Grace', 'Failure']);
});

test('what was searched for is marked where it stands', () => {
  assert.deepEqual(marked('job failing'), ['job', 'failure']);
  assert.deepEqual(marked('late'), ['late']);
});

test('beginnings of words, other endings, and one slip find the same', () => {
  for (const query of ['fail', 'failures', 'falure', 'FAILURE', 'afilure'])
    assert.deepEqual(found(query), ['Failure'], query);
});

test('a setting is found by its name and by a part of it', () => {
  for (const query of ['SITE_ROOT', 'site root', 'root']) assert.deepEqual(found(query), ['Settings'], query);
});

test('sections that have more of the words come alone', () => {
  assert.deepEqual(found('ping late'), ['Grace']);
});

test('signs are found as they stand, and marked', () => {
  const signs = new DocSearch([
    section('pinging/', 'Exit status', 'curl https://example.org/ping/your-uuid/$? tells how it ended.'),
    section('schedules/', 'Cron', 'Every 5 minutes: */5 * * * *'),
  ]);
  const [first, ...others] = signs.find(' $? ');

  assert.equal(first?.section.heading, 'Exit status');
  assert.deepEqual(others, []);
  assert.ok(first.excerpt.some(({ text, isHit }) => isHit && text === '$?'));
  assert.equal(signs.find('*/')[0]?.section.heading, 'Cron');
});

test('other signs, nothing and nonsense find nothing, and fail at nothing', () => {
  for (const query of ['', ' ', '"(', '\\', '.*+?[', 'x', 'zzzzzz', '<script>', '%', '\u0000', '日本'])
    assert.deepEqual(found(query), [], query);
});

test('a query is cut where it is too long', () => {
  assert.deepEqual(found(`grace${' '.repeat(MAX_DOCS_QUERY)}nonsense`), found('grace'));
});
