import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { SentenceJson } from '../../src/views/board-json.ts';
import { sinceOver, sinceParts } from '../../web/pages/checks/answer-words.ts';

/** With times of day in UTC. */
const text = (parts: SentenceJson) =>
  parts.map((part) => (typeof part === 'string' ? part : 'at' in part ? part.at.slice(11, 16) : '')).join('');

const at = (time: string) => `2024-03-01T${time}:00+00:00`;

suite('the answer says since when', () => {
  const down = { trouble: 'down', first: at('22:40'), last: at('22:40') } as const;
  const late = { trouble: 'late', first: at('22:11'), last: at('22:30') } as const;

  test('checks are down and late, each by its own words', () => {
    assert.equal(text(sinceParts([down, late])), 'Down since 22:40; late since 22:11, the last since 22:30.');
    assert.equal(text(sinceParts([late])), 'Late since 22:11, the last since 22:30.');
    assert.equal(text(sinceParts([])), '');
  });

  test('checks of several projects are', () => {
    const other = { trouble: 'down', first: at('21:05'), last: at('23:00') } as const;
    assert.equal(text(sinceParts(sinceOver([down, other]))), 'Down since 21:05, the last since 23:00.');
  });
});
