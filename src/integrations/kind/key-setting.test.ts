import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { keyField } from './key-setting.ts';

const { read } = keyField(8);

test('spaces around a key are dropped', () => {
  assert.equal(read(' abc-123\n', 'key'), 'abc-123');
});

for (const bad of ['', ' ', 'a b', 'a\r\nX-Evil: 1', 'schlüsse', '123456789', 7, null]) {
  test(`${JSON.stringify(bad)} is no key`, () => {
    assert.ok(read(bad, 'key') instanceof Fault);
  });
}
