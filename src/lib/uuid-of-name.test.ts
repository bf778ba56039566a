import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuidOfName } from './uuid-of-name.ts';

test('a name has the UUID of version 5 that other programs make of it', () => {
  // Python: uuid.uuid5(uuid.NAMESPACE_URL, 'http://python.org/')
  assert.equal(uuidOfName('http://python.org/'), '4c565f0d-3f5a-5890-b41b-20cf47701c5e');
});
