import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SLUG_MAX_LENGTH, slugOf } from './slug.ts';

test('a slug is made of the plain letters and digits of a name', () => {
  const rows: [name: string, slug: string][] = [
    ['', ''],
    ['Foo Bar! ÄÖ_x', 'foo-bar-ao_x'],
    ['日本', ''],
    ['  many   blanks\t\n', 'many-blanks'],
    ['a--b - c', 'a-b-c'],
    ['--__a__--', 'a'],
    ['_', ''],
    ['a_b', 'a_b'],
    ['a/b.c@d', 'abcd'],
    ['ﬁne ½ ①', 'fine-12-1'],
    ['İstanbul', 'istanbul'],
    ['no\u00a0break', 'no-break'],
    ['ß', ''],
    ['ns/name', 'nsname'],
    ['😀', ''],
  ];

  for (const [name, slug] of rows) assert.equal(slugOf(name), slug, JSON.stringify(name));
});

test('a slug is never longer than slugs may be, nor does the cut leave a hyphen at its end', () => {
  assert.equal(slugOf('a'.repeat(200)).length, SLUG_MAX_LENGTH);
  assert.equal(slugOf(`${'a'.repeat(99)} b`), 'a'.repeat(99));
  // One character that becomes eighteen.
  assert.equal(slugOf('ﷺ'.repeat(100)), '');
  assert.equal(slugOf('㎨'.repeat(100)).length <= SLUG_MAX_LENGTH, true);
});

test('a slug made of a slug is the same', () => {
  for (const name of ['Foo Bar! ÄÖ_x', 'a - _ b', `${'x'.repeat(98)}-_y z`]) {
    assert.equal(slugOf(slugOf(name)), slugOf(name), name);
  }
});

test('every slug has the form that the API accepts', () => {
  for (let code = 0; code < 0x3000; code++) {
    assert.match(slugOf(`a${String.fromCodePoint(code)}b`), /^[a-z0-9_-]*$/);
  }
});
