import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { clipped, decodeBody, firstCharacters, shortened } from './excerpt.ts';

suite('excerpts', () => {
  test('a text of 1000 characters is untouched', () => {
    const text = 'x'.repeat(1000);

    assert.equal(clipped(text, 1000), text);
  });

  test('a text of 1001 characters is cut, and says so', () => {
    assert.equal(clipped(`${'x'.repeat(1000)}y`, 1000), `${'x'.repeat(1000)}\n[truncated]`);
  });

  test('an emoji is one character', () => {
    assert.equal(clipped('🔔'.repeat(1000), 1000), '🔔'.repeat(1000));
    assert.equal(clipped('🔔'.repeat(1001), 1000), `${'🔔'.repeat(1000)}\n[truncated]`);
  });

  test('bytes that are no UTF-8 are replaced', () => {
    assert.equal(decodeBody(new Uint8Array([0x61, 0xff, 0xc3, 0xa9, 0xe2, 0x82])), 'a\u{fffd}é\u{fffd}');
  });

  test('a line that was cut ends in a sign for it', () => {
    assert.equal(shortened('🔔bcd', 4), '🔔bcd');
    assert.equal(shortened('🔔bcde', 4), '🔔bc…');
  });

  test('cutting tears no character apart', () => {
    assert.equal(firstCharacters('a🔔b🔔', 2), 'a🔔');
  });
});
