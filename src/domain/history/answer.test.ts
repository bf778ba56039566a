import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import { AT_ONCE, type Policy } from '../policy/policy.ts';
import { anOutage, takenAt } from './answer.test-support.ts';
import {
  type AnswerFacts,
  type AwaitedParent,
  answerEnds,
  answerOf,
  withParent,
  withTelling,
} from './answer.ts';
import { type Placed, STANDINGS, standingOf, totalsOf } from './standing.ts';

const SILENT = { snoozedUntilAt: null, quietFromAt: null, quietUntilAt: null };
const DOWN: AnswerFacts = { check: SILENT, isDown: true, outage: anOutage() };

const answer = (facts: Partial<AnswerFacts>) => answerOf({ ...DOWN, ...facts }, NOW);
const snoozed = (until: number) => ({ ...SILENT, snoozedUntilAt: until });

suite('the answer to an outage', () => {
  test('is none while it was told and nobody has said anything, or where none is open', () => {
    assert.equal(answer({}), null);
    assert.equal(answer({ outage: null }), null);
    assert.equal(answer({ isDown: false, outage: takenAt() }), null, 'the check is up again');
  });

  test('says who has acknowledged it, and when, until that runs out', () => {
    const taken = { acknowledgedAt: NOW - HOUR, acknowledgedBy: 'Anna', acknowledgedUntilAt: NOW + MINUTE };
    assert.deepEqual(answer({ outage: anOutage(taken) }), {
      ...{ kind: 'acknowledged', by: 'Anna', at: NOW - HOUR, until: NOW + MINUTE, gate: null },
    });
    assert.equal(answer({ outage: anOutage({ ...taken, acknowledgedUntilAt: NOW }) }), null);
  });

  test('is a snooze whatever the status, until its end', () => {
    assert.equal(answer({ check: snoozed(NOW + 1), outage: takenAt() })?.kind, 'snoozed');
    assert.equal(answer({ check: snoozed(NOW + 1), isDown: false, outage: null })?.until, NOW + 1);
    assert.equal(answer({ check: snoozed(NOW) }), null);
  });

  test('is a quiet time whatever the status, from its beginning to its end', () => {
    const quiet = { ...snoozed(NOW + HOUR), quietFromAt: NOW, quietUntilAt: NOW + MINUTE };
    assert.deepEqual(answer({ check: quiet, isDown: false, outage: null }), {
      ...{ kind: 'quiet', by: null, at: NOW, until: NOW + MINUTE, gate: null },
    });
    assert.equal(answer({ check: { ...quiet, quietUntilAt: NOW } })?.kind, 'snoozed');
    assert.equal(answer({ check: { ...quiet, quietFromAt: NOW + 1 } })?.kind, 'snoozed');
    assert.deepEqual(answerEnds({ check: quiet, outage: null }), [NOW, NOW + MINUTE, NOW + HOUR]);
  });

  test('of an outage that nobody was told of names what holds it', () => {
    const waits = { state: 'waiting', heldBy: 'wait', wakeAt: NOW + HOUR } as const;
    assert.deepEqual(answer({ outage: anOutage(waits) }), {
      ...{ kind: 'waiting', by: null, at: null, until: NOW + HOUR, gate: 'wait' },
    });
    assert.equal(answer({ outage: anOutage({ ...waits, heldBy: 'parent' }) })?.kind, 'held');
  });

  test('of one that waits for more bad runs counts them, and says when the last one would be missed', () => {
    const outage = anOutage({ state: 'waiting', toldAt: null, heldBy: 'bad_runs', wakeAt: NOW + HOUR });
    const waiting = answer({ outage }) ?? assert.fail();
    const given = (rules: Partial<Policy>, badCount = 1) =>
      withTelling(
        waiting,
        outage,
        { policy: { ...AT_ONCE, badRuns: 3, ...rules }, hours: null },
        { badCount, reachesAt: (n) => NOW + (n - badCount) * HOUR },
        NOW,
      );

    assert.deepEqual(given({}), {
      ...{ ...waiting, until: NOW + 2 * HOUR },
      badRuns: { count: 1, of: 3, misses: 2 },
    });
    assert.deepEqual(given({ counts: 'failed' }, 2).badRuns, { count: 2, of: 3, misses: 1 });
    assert.equal(given({ counts: 'failed' }).until, NOW + HOUR, 'a miss is told at once');
    assert.equal(given({ wait: 5 * HOUR }).until, NOW + 5 * HOUR, 'the later counts');
    const never = { badCount: 1, reachesAt: () => null };
    assert.equal(withTelling(waiting, outage, { policy: AT_ONCE, hours: null }, never, NOW).until, NOW);
    const telling = { policy: { ...AT_ONCE, badRuns: 3 }, hours: null };
    assert.equal(withTelling(waiting, outage, telling, never, NOW).until, null, 'only a ping brings more');
  });

  test('of one that waits for another check names that, first one that is down', () => {
    const held = answer({ outage: anOutage({ heldBy: 'parent' }) }) ?? assert.fail();
    const parent = (name: string, status: AwaitedParent['status']) => ({
      ...{ uniqueKey: `key of ${name}`, name, status, since: NOW - HOUR },
    });
    const late = parent('switch', 'late');
    assert.deepEqual(withParent(held, [parent('well', 'well'), late, parent('router', 'down')]), {
      ...{ ...held, by: 'router', at: NOW - HOUR, parent: 'key of router' },
    });
    assert.deepEqual(withParent(held, [late]), { ...held, by: 'switch', parent: 'key of switch' });
    const before = withParent(held, [late]);
    assert.deepEqual(withParent(before, [parent('switch', 'well')]), held, 'it has come up');
  });

  test('may change by itself when the snooze or the acknowledgement ends', () => {
    const outage = anOutage({ acknowledgedUntilAt: NOW + HOUR });
    assert.deepEqual(answerEnds({ check: snoozed(NOW), outage }), [NOW, NOW + HOUR]);
    assert.deepEqual(answerEnds({ check: SILENT, outage: null }), []);
  });
});

suite('where a check stands', () => {
  const PLAIN: Placed = { status: 'up', slow: false, neverCame: false, ready: false, answer: null };
  const cases: [what: string, check: Partial<Placed>, standing: string][] = [
    ['down', { status: 'down' }, 'down'],
    ['down, and told later', { status: 'down', answer: { kind: 'waiting' } }, 'down'],
    ['down under another check', { status: 'down', answer: { kind: 'held' } }, 'held'],
    ['down and acknowledged', { status: 'down', answer: { kind: 'acknowledged' } }, 'acknowledged'],
    ['down and snoozed', { status: 'down', answer: { kind: 'snoozed' } }, 'silent'],
    ['up and snoozed', { answer: { kind: 'snoozed' } }, 'silent'],
    ['late in a quiet time', { status: 'late', answer: { kind: 'quiet' } }, 'silent'],
    ['late', { status: 'late' }, 'late'],
    ['missing from the beginning', { status: 'new', neverCame: true }, 'never_came'],
    ['slow', { slow: true }, 'slow'],
    ['up', {}, 'fine'],
    ['paused', { status: 'paused' }, 'silent'],
    ['new', { status: 'new' }, 'new'],
    ['resumed', { status: 'new', ready: true }, 'ready'],
  ];
  for (const [what, check, standing] of cases)
    test(`${what}: ${standing}`, () => assert.equal(standingOf({ ...PLAIN, ...check }), standing));

  test('is counted once', () => {
    const totals = totalsOf(['down', 'fine', 'fine']);
    assert.deepEqual([totals.down, totals.fine, totals.held], [1, 2, 0]);
    assert.deepEqual(Object.keys(totals), [...STANDINGS]);
  });
});
