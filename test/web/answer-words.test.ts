import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { SentenceJson } from '../../src/views/board-json.ts';
import { m } from '../../web/messages/index.ts';
import { notReachedParts, sinceOver, sinceParts, toldWords } from '../../web/pages/checks/answer-words.ts';

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

suite('the answer says who was told', () => {
  const NOBODY = { count: 0, some: [] };
  const ONE = { count: 1, some: [{ key: 'k', name: 'backup' }] };
  const told = { anybody: true, missing: [], looked: 3, unassigned: NOBODY, unsent: NOBODY };

  test('and never that everyone was, if that is not the whole truth', () => {
    const missing = [{ channel: 'x', state: 'retrying', next: null }] as const;
    assert.equal(toldWords(told, 3), 'Everyone assigned was told of what is down.');
    assert.equal(toldWords(told, 60), 'Everyone assigned was told of the 3 that went down last.');
    assert.equal(toldWords({ ...told, unassigned: ONE }, 3), 'Everyone assigned to the others was told.');
    assert.equal(toldWords({ ...told, missing: [...missing] }, 3), 'Everyone else assigned was told.');
    assert.equal(toldWords({ ...told, anybody: false }, 3), 'Nobody has been told yet.');
    assert.equal(toldWords({ ...told, anybody: false, unassigned: ONE }, 1), '');
  });

  test('and names checks of which nobody is', () => {
    const { unassigned, untold } = m.checks.answer;
    assert.equal(unassigned(['backup'], 1, 1), 'Nobody is told of backup.');
    assert.equal(unassigned(['backup'], 1, 3), 'Nobody is told of 1 of them: backup.');
    assert.equal(unassigned(['a', 'b', 'c'], 5, 6), 'Nobody is told of 5 of them: a, b and 3 more.');
    assert.equal(untold(['a'], 1, 1), 'Nobody is told if it goes down.');
    assert.equal(untold(['a', 'b'], 2, 5), 'Nobody is told if a and b go down.');
  });
});

suite('a destination that was not reached', () => {
  const told = {
    channel: 'x',
    tries: 4,
    tried: at('22:49'),
    error: 'Received status code 503',
    next: null,
    at: null,
  } as const;

  test('says how often it was tried, why it failed and what comes', () => {
    const retrying = { ...told, state: 'retrying', next: at('22:53') } as const;
    assert.equal(
      text(notReachedParts(retrying, 'On-call')),
      'On-call, 4 tries, last 22:49, answered 503; next 22:53',
    );
    const over = { ...told, state: 'given_up', at: at('14:10') } as const;
    assert.equal(text(notReachedParts(over, 'On-call')), 'On-call, 4 tries, given up 14:10, answered 503');
  });
});

test('checks that broke together are told together', () => {
  const { together } = m.checks.answer;
  assert.equal(together(3, 'prod', 'down'), '3 of prod went down together.');
  assert.equal(together(4, null, 'late'), '4 became late together.');
});

test('the reason of a failed message is part of the sentence', () => {
  const { error } = m.checks.row;
  assert.equal(error('Received status code 503'), 'answered 503');
  assert.equal(error('Connection timed out'), 'Connection timed out');
});

test('whom a check tells when it goes down is named', () => {
  const { goesDown } = m.checks.row;
  assert.equal(goesDown([]), 'goes Down and tells nobody');
  assert.equal(goesDown(['Ops', 'Mail']), 'goes Down and tells Ops and Mail');
  assert.equal(goesDown(['Ops', 'Mail', 'a', 'b', 'c']), 'goes Down and tells Ops, Mail and 3 more');
});
