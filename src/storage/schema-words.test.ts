import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaSql } from './schema-words.ts';

test('each engine gets its own words, and the paragraphs that are for it', () => {
  const text = 'create table a (b {boolean});\n\n-- only postgres\ncreate index c on a (b);\n';

  assert.equal(schemaSql('sqlite', text), 'create table a (b integer);');
  assert.match(schemaSql('postgres', text), /b boolean\);\n\n-- only postgres\ncreate index/);
});

test('a word or an engine that nobody knows is refused', () => {
  for (const text of [
    'a {bolean}',
    'a {constructor}',
    '-- only postgresql\ncreate index',
    '-- only sqlite \nx',
  ])
    assert.throws(() => schemaSql('sqlite', text), /migrations know no/);
});
