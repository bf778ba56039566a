import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck, DAY, HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import type { Check } from '../check/check.ts';
import { anOutage } from './answer.test-support.ts';
import { checkRow, lanesOf } from './check-row.ts';
import type { Standing } from './standing.ts';

const row = (check: Partial<Check>, usual: number | null = null) => checkRow(aCheck(check), usual, NOW);

suite('a row', () => {
  test('of a check that is up says when the next run is due', () => {
    const { status, next, since, span } = row({
      status: 'up',
      lastPingAt: NOW - HOUR,
      lastFlipAt: NOW - DAY,
    });
    assert.deepEqual([status, since], ['up', NOW - DAY]);
    assert.deepEqual(next, { kind: 'due', at: NOW + 23 * HOUR });
    assert.equal(span.until, NOW + 23 * HOUR);
  });

  test('of a late check says when its run was due', () => {
    const { status, next, since, deadline } = row({ status: 'up', lastPingAt: NOW - DAY - MINUTE });
    assert.deepEqual([status, since, deadline], ['late', NOW - MINUTE, NOW + 59 * MINUTE]);
    assert.deepEqual(next, { kind: 'late', at: NOW - MINUTE });
  });

  test('of a check that is down says what it missed, or what comes next', () => {
    const silent = row({ status: 'down', lastPingAt: NOW - 2 * DAY });
    assert.deepEqual(silent.next, { kind: 'overdue', at: NOW - DAY });
    const failed = row({ status: 'down', lastPingAt: NOW - HOUR });
    assert.deepEqual(failed.next, { kind: 'due', at: NOW + 23 * HOUR });
  });

  test('of an open run says when it has to end, and is slow after a while', () => {
    const check = { status: 'up', lastPingAt: NOW - HOUR, lastStartAt: NOW - 3 * MINUTE } as const;
    const usual = row(check, 2 * MINUTE);
    assert.deepEqual([usual.isRunning, usual.isSlow], [true, false]);
    assert.deepEqual(usual.next, { kind: 'limit', at: NOW + 57 * MINUTE });
    assert.equal(usual.span.until, NOW + MINUTE + 1);
    assert.equal(row(check, MINUTE).isSlow, true);
  });

  test('of a paused check expects nothing', () => {
    assert.equal(row({ status: 'paused', lastPingAt: NOW }).next, null);
  });

  test('of a check that was never pinged expects the first run, and says after its grace time that it never came', () => {
    const at = (createdAt: number, check: Partial<Check> = {}) => {
      const { neverCame, next, since, span } = row({ status: 'new', createdAt, ...check });
      return { neverCame, next, since, until: span.until };
    };
    const [made, over] = [NOW - HOUR, NOW - 26 * HOUR];
    assert.deepEqual(at(made), {
      neverCame: false,
      next: { kind: 'due', at: NOW + 23 * HOUR },
      since: made,
      until: NOW + DAY,
    });
    assert.deepEqual(at(over), {
      neverCame: true,
      next: { kind: 'overdue', at: NOW - 2 * HOUR },
      since: NOW - 2 * HOUR,
      until: Number.POSITIVE_INFINITY,
    });
    assert.equal(at(NOW - DAY - MINUTE).neverCame, false, 'it is within its grace time');
    for (const [kind, schedule] of [
      ['cron', '30 11 * * *'],
      ['oncalendar', '11:30'],
    ] as const)
      assert.deepEqual(at(over, { kind, schedule }).next?.kind, 'overdue', kind);
    assert.equal(at(over, { pingCount: 3 }).neverCame, false, 'somebody has resumed it');
  });

  test('changes by itself when its snooze or its acknowledgement ends', () => {
    const snoozed = row({ status: 'up', lastPingAt: NOW, snoozedUntilAt: NOW + HOUR });
    assert.deepEqual([snoozed.standing, snoozed.span.until], ['silent', NOW + HOUR]);
    const after = row({ status: 'up', lastPingAt: NOW, snoozedUntilAt: NOW });
    assert.deepEqual([after.standing, after.span.from], ['fine', NOW]);
    const taken = anOutage({ acknowledgedAt: NOW - HOUR, acknowledgedUntilAt: NOW + MINUTE });
    const down = checkRow(aCheck({ status: 'down', lastPingAt: NOW - DAY }), null, NOW, taken);
    assert.deepEqual([down.standing, down.span.until], ['acknowledged', NOW + MINUTE]);
  });
});

suite('lanes of trouble', () => {
  const trouble = (standing: Standing, since: number, ...tags: string[]) => ({
    standing,
    since: NOW - since,
    tags,
  });
  const counts = (...troubled: ReturnType<typeof trouble>[]) =>
    lanesOf(troubled).map(({ members, tag }) => [members.length, tag]);

  test('begin with what is down, and of each status with what broke first', () => {
    const old = trouble('down', HOUR);
    const fresh = trouble('down', MINUTE);
    const late = trouble('late', MINUTE);
    const longest = trouble('late', HOUR);
    const missing = trouble('never_came', HOUR);
    const slow = trouble('slow', MINUTE);
    const taken = trouble('acknowledged', DAY);
    const lanes = lanesOf([slow, late, missing, taken, old, longest, fresh]);
    assert.deepEqual(
      lanes.map(({ members }) => members),
      [[old], [fresh], [taken], [longest], [late], [missing], [slow]],
    );
  });

  test('join four or more that turned bad within five minutes', () => {
    const together = [0, 1, 3, 5].map((minutes) => trouble('late', minutes * MINUTE));
    const [lane, ...others] = lanesOf([...together, trouble('late', HOUR)]).toReversed();
    assert.deepEqual([lane?.members.length, others.length], [4, 1]);
    assert.deepEqual([lane?.since, lane?.until], [NOW - 5 * MINUTE, NOW]);
    assert.equal(lanesOf(together.slice(1)).length, 3);
  });

  test('join three or more of one tag, and leave out others', () => {
    const tagged = [0, 2, 4].map((minutes) => trouble('down', minutes * MINUTE, 'prod', 'db'));
    assert.deepEqual(counts(...tagged, trouble('down', MINUTE, 'web')), [
      [3, 'prod'],
      [1, null],
    ]);
    assert.deepEqual(counts(...tagged.slice(1), trouble('down', MINUTE, 'web')), [
      [1, null],
      [1, null],
      [1, null],
    ]);
  });

  test('of many checks in groups of few cost no more for each than those of some', () => {
    const readsFor = (many: number) => {
      let reads = 0;
      const members = Array.from({ length: many }, (_, n) => ({
        standing: 'down' as const,
        tags: [`job${Math.floor(n / 3)}`],
        get since() {
          reads++;
          return NOW - (n % 7);
        },
      }));
      assert.equal(lanesOf(members).length, Math.ceil(many / 3));
      return reads / many;
    };
    assert.ok(readsFor(3_000) < 2 * readsFor(300));
  });
});
