import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck, DAY, HOUR, NOW } from '../check/check.test-support.ts';
import { ALWAYS } from '../check/status.ts';
import { addCounts, areCountsTrue, mayChangeStatus, NO_CHECKS } from './kept-counts.ts';

const fresh = aCheck();
const up = aCheck({ status: 'up', lastPingAt: NOW });
const late = aCheck({ status: 'up', lastPingAt: NOW - DAY });
const overdue = aCheck({ status: 'up', lastPingAt: NOW - DAY - HOUR });
const hung = aCheck({ status: 'new', lastStartAt: NOW - HOUR });
const down = aCheck({ status: 'down', lastStartAt: NOW });
const paused = aCheck({ status: 'paused' });

suite('the counts of a badge', () => {
  test('count every check by what a reader sees at that moment', () => {
    const { counts } = addCounts(NO_CHECKS, [fresh, up, late, overdue, hung, down, paused], NOW);

    assert.deepEqual(counts, { total: 7, new: 1, up: 1, grace: 1, down: 3, paused: 1, started: 2 });
    assert.deepEqual(addCounts(NO_CHECKS, [], NOW), NO_CHECKS);
  });

  test('are true until the first of the checks changes its status by time', () => {
    const { span } = addCounts(addCounts(NO_CHECKS, [up, fresh], NOW), [late], NOW);

    assert.deepEqual(span, { from: NOW, until: NOW + HOUR });
    assert.deepEqual(addCounts(NO_CHECKS, [fresh, paused], NOW).span, ALWAYS);
  });
});

suite('kept counts', () => {
  const marks = { checks: 5, statuses: 5 };
  const pinged = { checks: 6, statuses: 5 };
  const kept = { ...addCounts(NO_CHECKS, [up], NOW), marks };

  test('are true while nothing has happened, within their span alone', () => {
    assert.ok(areCountsTrue(kept, NOW, marks));
    assert.ok(areCountsTrue(kept, NOW + DAY - 1, marks));
    assert.ok(!areCountsTrue(kept, NOW + DAY, marks));
    assert.ok(!areCountsTrue({ ...kept, span: { from: NOW, until: NOW + 1 } }, NOW - 1, marks));
  });

  test('stay true when checks that are up are pinged, and not when one was in grace', () => {
    const withLate = { ...addCounts(NO_CHECKS, [up, late], NOW), marks };

    assert.ok(areCountsTrue(kept, NOW, pinged));
    assert.ok(areCountsTrue(withLate, NOW, marks));
    assert.ok(!areCountsTrue(withLate, NOW, pinged));
  });

  test('are not true when a check was pinged that time alone had taken down: the ping may have come before', () => {
    const withOverdue = { ...addCounts(NO_CHECKS, [up, overdue], NOW), marks };
    const withDown = { ...addCounts(NO_CHECKS, [up, down], NOW), marks };

    assert.ok(areCountsTrue(withOverdue, NOW, marks));
    assert.ok(!areCountsTrue(withOverdue, NOW, pinged));
    assert.ok(areCountsTrue(withDown, NOW, pinged), 'another status would have told of it');
  });

  test('are not true once a status may have changed', () => {
    assert.ok(!areCountsTrue(kept, NOW, { checks: 6, statuses: 6 }));
  });
});

suite('a ping', () => {
  test('that only comes later than the last one leaves the status alone', () => {
    assert.ok(!mayChangeStatus(up, { ...up, lastPingAt: NOW + 1 }));
    assert.ok(!mayChangeStatus(up, up));
    assert.ok(!mayChangeStatus(fresh, fresh));
  });

  test('that does anything else may change it', () => {
    const changed = [
      { status: 'down' },
      { lastPingAt: NOW - 1 },
      { lastStartAt: NOW },
      { runReported: true },
      { excusedUntilAt: NOW },
    ] as const;
    for (const change of changed)
      assert.ok(mayChangeStatus(up, { ...up, ...change }), JSON.stringify(change));
    assert.ok(mayChangeStatus(aCheck({ status: 'up' }), up), 'now a next one is expected');
  });
});
