import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { badgeDocument } from './badge-output.ts';

const UP = { total: 2, grace: 0, down: 0 };
const LATE = { total: 2, grace: 1, down: 0 };
const DOWN = { total: 2, grace: 1, down: 1 };

suite('a badge', () => {
  test('as JSON tells the status and what it was made of', () => {
    assert.deepEqual(badgeDocument('json', 'foo', LATE, 3), {
      contentType: 'application/json',
      text: '{"status":"late","total":2,"grace":1,"down":0}',
    });
    assert.equal(badgeDocument('json', 'foo', LATE, 2).text, '{"status":"up","total":2,"grace":1,"down":0}');
  });

  for (const [counts, message, color] of [
    [UP, 'up', 'success'],
    [LATE, 'late', 'important'],
    [DOWN, 'down', 'critical'],
  ] as const) {
    test(`for Shields is ${color} when it is ${message}`, () => {
      assert.deepEqual(badgeDocument('shields', 'foo', counts, 3), {
        contentType: 'application/json',
        text: `{"schemaVersion":1,"label":"foo","message":"${message}","color":"${color}"}`,
      });
    });
  }

  test('as SVG has the type of an image', () => {
    const { contentType, text } = badgeDocument('svg', 'foo', DOWN, 2);

    assert.equal(contentType, 'image/svg+xml');
    assert.match(text, /^<svg [^>]*>.*>foo<.*>down<.*<\/svg>\n$/s);
  });
});
