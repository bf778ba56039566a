import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonString, latin1, percentEncode } from './encode.ts';

test('percent-encoding leaves letters, digits and _ . - ~ / alone', () => {
  assert.equal(percentEncode('aZ09_.-~/'), 'aZ09_.-~/');
  assert.equal(percentEncode(" &$!'()*+:?#%é"), '%20%26%24%21%27%28%29%2A%2B%3A%3F%23%25%C3%A9');
  assert.equal(percentEncode('\ud800'), '%EF%BF%BD');
});

test('outside of Latin-1 a header value has XML references', () => {
  assert.equal(latin1('bār'), 'b&#257;r');
  assert.equal(latin1('½'), '½');
  assert.equal(latin1('🔔'), '&#128276;');
});

test('a header value is one line', () => {
  assert.equal(latin1(' a\r\nX-Evil: 1\0\tb '), 'a X-Evil: 1 b');
});

test('a JSON string is ASCII', () => {
  assert.equal(jsonString('"é\n🔔\u007f'), String.raw`"\"\u00e9\n\ud83d\udd14\u007f"`);
  assert.equal(JSON.parse(jsonString('"é\n🔔\u007f')), '"é\n🔔\u007f');
});
