import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etagOf, hasTag } from './etag.ts';

test('equal texts have one tag, others another one', () => {
  assert.equal(etagOf('up'), etagOf(Buffer.from('up')));
  assert.notEqual(etagOf('up'), etagOf('down'));
  assert.match(etagOf('up'), /^"[\w-]{16}"$/);
});

test('a client has the tag if it names it, strong or weak, alone or among others, or any at all', () => {
  for (const header of ['"a"', 'W/"a"', '"b", W/"a"', '"b","a"', '*']) {
    assert.ok(hasTag(header, '"a"'), header);
    assert.ok(hasTag(header, 'W/"a"'), header);
  }
  for (const header of [undefined, '', '"b"', 'a', 'w/"a"', '"aa"']) {
    assert.ok(!hasTag(header, '"a"'), String(header));
  }
});
