import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Instant } from '../../lib/instant.ts';
import { isTold } from '../alert/delivery.ts';
import { aCheck, at, DAY, HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import type { Check, StoredStatus } from '../check/check.ts';
import { editCheck } from '../check/check-edit.ts';
import type { FlipReason, NewFlip } from '../check/flip.ts';
import { deadlineOf, statusAt } from '../check/status.ts';
import type { Signal } from './ping.ts';
import {
  bringBack,
  editQuietly,
  effectiveSignal,
  isAhead,
  missDeadline,
  pause,
  receivePing,
  resume,
  resumeExpecting,
  type Transition,
} from './transition.ts';

const A = '9f2a3a37-1f4d-4a3b-8a44-000000000001';
const B = '9f2a3a37-1f4d-4a3b-8a44-000000000002';
const EARLIER = NOW - 30 * MINUTE;

/** A check with some history: pinged half an hour ago unless it is new. */
function given(status: StoredStatus, overrides: Partial<Check> = {}): Check {
  return aCheck({ status, lastPingAt: status === 'new' ? null : EARLIER, pingCount: 4, ...overrides });
}

function flip(
  oldStatus: StoredStatus,
  newStatus: StoredStatus,
  reason: FlipReason,
  createdAt: Instant,
  cause: string = CAUSES[reason],
): NewFlip {
  return { checkId: 1, createdAt, oldStatus, newStatus, reason, cause };
}

/** The usual cause of each reason. */
const CAUSES = { '': '', timeout: 'missed', fail: 'failed' } as const satisfies Record<FlipReason, string>;

/** Each signal a ping, `[signal, minutes after NOW, rid]`; all flips together, oldest first. */
function afterPings(check: Check, pings: readonly [Signal, number, (string | null)?][]): Transition {
  return pings.reduce<Transition>(
    (before, [signal, minutes, rid = null]) => {
      const next = receivePing(before.check, signal, rid, NOW + minutes * MINUTE);
      return { check: next.check, flips: [...before.flips, ...next.flips] };
    },
    { check, flips: [] },
  );
}

suite('what a ping does to a check without an open run', () => {
  interface Row {
    from: StoredStatus;
    signal: Signal;
    to: StoredStatus;
    reason?: FlipReason;
    lastPingAt: Instant | null;
    lastStartAt?: Instant;
    deadlineAt: Instant | null;
  }
  const rows: Row[] = [
    { from: 'new', signal: 'success', to: 'up', lastPingAt: NOW, deadlineAt: NOW + DAY + HOUR },
    { from: 'new', signal: 'fail', to: 'down', reason: 'fail', lastPingAt: NOW, deadlineAt: null },
    {
      from: 'new',
      signal: 'start',
      to: 'new',
      lastPingAt: null,
      lastStartAt: NOW,
      deadlineAt: NOW + HOUR,
    },
    { from: 'new', signal: 'log', to: 'new', lastPingAt: null, deadlineAt: null },
    { from: 'new', signal: 'ign', to: 'new', lastPingAt: null, deadlineAt: null },
    { from: 'up', signal: 'success', to: 'up', lastPingAt: NOW, deadlineAt: NOW + DAY + HOUR },
    { from: 'up', signal: 'fail', to: 'down', reason: 'fail', lastPingAt: NOW, deadlineAt: null },
    {
      from: 'up',
      signal: 'start',
      to: 'up',
      lastPingAt: EARLIER,
      lastStartAt: NOW,
      deadlineAt: NOW + HOUR,
    },
    { from: 'up', signal: 'log', to: 'up', lastPingAt: EARLIER, deadlineAt: EARLIER + DAY + HOUR },
    { from: 'up', signal: 'ign', to: 'up', lastPingAt: EARLIER, deadlineAt: EARLIER + DAY + HOUR },
    { from: 'down', signal: 'success', to: 'up', lastPingAt: NOW, deadlineAt: NOW + DAY + HOUR },
    { from: 'down', signal: 'fail', to: 'down', lastPingAt: NOW, deadlineAt: null },
    { from: 'down', signal: 'start', to: 'down', lastPingAt: EARLIER, lastStartAt: NOW, deadlineAt: null },
    { from: 'down', signal: 'log', to: 'down', lastPingAt: EARLIER, deadlineAt: null },
    { from: 'down', signal: 'ign', to: 'down', lastPingAt: EARLIER, deadlineAt: null },
    { from: 'paused', signal: 'success', to: 'up', lastPingAt: NOW, deadlineAt: NOW + DAY + HOUR },
    { from: 'paused', signal: 'fail', to: 'down', reason: 'fail', lastPingAt: NOW, deadlineAt: null },
    {
      from: 'paused',
      signal: 'start',
      to: 'new',
      lastPingAt: null,
      lastStartAt: NOW,
      deadlineAt: NOW + HOUR,
    },
    { from: 'paused', signal: 'log', to: 'paused', lastPingAt: EARLIER, deadlineAt: null },
    { from: 'paused', signal: 'ign', to: 'paused', lastPingAt: EARLIER, deadlineAt: null },
  ];
  for (const { from, signal, to, reason = '', lastPingAt, lastStartAt = null, deadlineAt } of rows) {
    test(`${from} + ${signal} is ${to}`, () => {
      const before = given(from);

      const { check, flips } = receivePing(before, signal, null, NOW);

      assert.deepEqual(check, {
        ...before,
        status: to,
        pingCount: 5,
        lastPingAt,
        ...(signal === 'success' && { lastSuccessAt: NOW, lastResult: signal }),
        ...(signal === 'fail' && { lastResult: signal, badCount: 1 }),
        lastStartAt,
        deadlineAt,
        lastFlipAt: from === to ? null : NOW,
      });
      assert.deepEqual(flips, from === to ? [] : [flip(from, to, reason, NOW)]);
      assert.equal(effectiveSignal(before, signal), signal);
    });
  }

  for (const signal of ['success', 'fail', 'start', 'log', 'ign'] as const) {
    test(`a paused check that is resumed by hand only counts a ${signal}`, () => {
      const before = given('paused', { manualResume: true });

      const { check, flips } = receivePing(before, signal, A, NOW);

      assert.deepEqual(check, { ...before, pingCount: 5 });
      assert.deepEqual(flips, []);
      assert.equal(effectiveSignal(before, signal), 'ign');
    });
  }

  for (const status of ['new', 'up', 'down'] as const) {
    test(`manual resume means nothing to a check that is ${status}`, () => {
      const before = given(status, { manualResume: true });

      const { check } = receivePing(before, 'success', null, NOW);

      assert.equal(check.status, 'up');
      assert.equal(effectiveSignal(before, 'success'), 'success');
    });
  }
});

test('a failure leaves the last success as it was', () => {
  const { check } = receivePing(
    given('up', { lastSuccessAt: EARLIER, lastResult: 'success' }),
    'fail',
    null,
    NOW,
  );

  assert.deepEqual([check.lastSuccessAt, check.lastResult], [EARLIER, 'fail']);
});

suite('what ends a run', () => {
  interface Row {
    name: string;
    rid: string | null;
    end: [Signal, (string | null)?];
    isOpen: boolean;
    lastDuration: number | null;
  }
  const rows: Row[] = [
    {
      name: 'a success without id ends a run without id',
      rid: null,
      end: ['success'],
      isOpen: false,
      lastDuration: 10 * MINUTE,
    },
    {
      name: 'a failure without id ends a run without id',
      rid: null,
      end: ['fail'],
      isOpen: false,
      lastDuration: 10 * MINUTE,
    },
    {
      name: 'a success ends the run of its id',
      rid: A,
      end: ['success', A],
      isOpen: false,
      lastDuration: 10 * MINUTE,
    },
    {
      name: 'a failure ends the run of its id',
      rid: A,
      end: ['fail', A],
      isOpen: false,
      lastDuration: 10 * MINUTE,
    },
    {
      name: 'a success of another id leaves the run open',
      rid: A,
      end: ['success', B],
      isOpen: true,
      lastDuration: null,
    },
    {
      name: 'a success with an id leaves a run without id open',
      rid: null,
      end: ['success', A],
      isOpen: true,
      lastDuration: null,
    },
    {
      name: 'a failure of another id ends the run, its time unknown',
      rid: A,
      end: ['fail', B],
      isOpen: false,
      lastDuration: null,
    },
    {
      name: 'a failure with an id ends a run without id, its time unknown',
      rid: null,
      end: ['fail', A],
      isOpen: false,
      lastDuration: null,
    },
    {
      name: 'a success without id ends any run, its time unknown',
      rid: A,
      end: ['success'],
      isOpen: false,
      lastDuration: null,
    },
    {
      name: 'a failure without id ends any run, its time unknown',
      rid: A,
      end: ['fail'],
      isOpen: false,
      lastDuration: null,
    },
    { name: 'a log message ends nothing', rid: A, end: ['log', A], isOpen: true, lastDuration: 7 * MINUTE },
    { name: 'an ignored ping ends nothing', rid: A, end: ['ign', A], isOpen: true, lastDuration: 7 * MINUTE },
  ];
  for (const { name, rid, end, isOpen, lastDuration } of rows) {
    test(name, () => {
      const startedAt = NOW - 10 * MINUTE;
      const before = given('up', { lastStartAt: startedAt, lastStartRid: rid, lastDuration: 7 * MINUTE });

      const { check } = receivePing(before, end[0], end[1] ?? null, NOW);

      assert.equal(check.lastStartAt, isOpen ? startedAt : null);
      assert.equal(check.lastStartRid, isOpen ? rid : null);
      assert.equal(check.lastDuration, lastDuration);
      assert.equal(check.deadlineAt, deadlineOf(check));
    });
  }

  test('a success without any run has no duration, and forgets the one before', () => {
    const { check } = receivePing(given('up', { lastDuration: 7 * MINUTE }), 'success', null, NOW);

    assert.equal(check.lastDuration, null);
  });

  test('a new start begins a new run and keeps the duration of the last', () => {
    const before = given('up', { lastStartAt: EARLIER, lastStartRid: A, lastDuration: 7 * MINUTE });

    const { check } = receivePing(before, 'start', B, NOW);

    assert.equal(check.lastStartAt, NOW);
    assert.equal(check.lastStartRid, B);
    assert.equal(check.lastDuration, 7 * MINUTE);
    assert.equal(check.lastPingAt, EARLIER);
  });

  test('of two concurrent runs the newer one is timed', () => {
    const { check: first } = afterPings(given('new'), [
      ['start', 0, A],
      ['start', 1, B],
      ['success', 2, A],
    ]);
    const { check: second } = receivePing(first, 'success', B, NOW + 6 * MINUTE);

    assert.deepEqual([first.lastStartAt, first.lastDuration], [NOW + MINUTE, null]);
    assert.deepEqual([second.lastStartAt, second.lastDuration], [null, 5 * MINUTE]);
  });

  test('a success that leaves the run open keeps its deadline', () => {
    const { check } = afterPings(given('up'), [
      ['start', 0, A],
      ['success', 10, B],
    ]);

    assert.equal(check.deadlineAt, NOW + HOUR);
    assert.equal(statusAt(check, NOW + HOUR), 'down');
  });
});

suite('what a start does to the deadline', () => {
  test('it does not postpone one that is nearer', () => {
    const before = given('up', { lastPingAt: NOW - DAY - 30 * MINUTE });

    const { check } = receivePing(before, 'start', null, NOW);

    assert.equal(check.deadlineAt, NOW + 30 * MINUTE);
  });

  test('the success that ends the run brings back that of the schedule', () => {
    const { check } = afterPings(given('up'), [
      ['start', 0],
      ['success', 10],
    ]);

    assert.equal(check.deadlineAt, NOW + 10 * MINUTE + DAY + HOUR);
  });

  test('on a check that is down nothing follows if the run never ends', () => {
    const { check } = receivePing(given('down'), 'start', null, NOW);

    const late = missDeadline(check, NOW + 100 * DAY);

    assert.deepEqual(late, { check, flips: [] });
    assert.equal(statusAt(late.check, NOW + 100 * DAY), 'down');
  });
});

suite('a deadline that has passed', () => {
  test('takes the check down at that very instant, however late it is noticed', () => {
    const before = given('up');
    const deadline = EARLIER + DAY + HOUR;

    for (const noticedAt of [deadline, deadline + 1, deadline + 9 * DAY]) {
      const { check, flips } = missDeadline(before, noticedAt);

      assert.deepEqual(flips, [flip('up', 'down', 'timeout', deadline)]);
      assert.deepEqual(check, { ...before, status: 'down', deadlineAt: null, lastFlipAt: deadline });
    }
  });

  test('does nothing while it has not passed', () => {
    const before = given('up');

    assert.deepEqual(missDeadline(before, EARLIER + DAY + HOUR - 1), { check: before, flips: [] });
  });

  test('is set right when it is stale', () => {
    const before = { ...given('up'), deadlineAt: NOW - DAY };

    assert.deepEqual(missDeadline(before, NOW), { check: given('up'), flips: [] });
  });

  for (const status of ['new', 'up'] as const) {
    test(`takes down a check that is ${status} when its run has hung, once`, () => {
      const before = given(status, { lastStartAt: NOW, lastStartRid: A });

      const { check, flips } = missDeadline(before, NOW + 5 * HOUR);

      assert.deepEqual(flips, [flip(status, 'down', 'timeout', NOW + HOUR, 'overran')]);
      assert.deepEqual(
        [check.lastStartAt, check.lastStartRid, check.runReported, check.deadlineAt],
        [NOW, A, true, null],
      );
      assert.deepEqual(missDeadline(check, NOW + 9 * DAY), { check, flips: [] });
    });
  }

  test('does not exist for a paused check, whatever an earlier version has left of a run', () => {
    const before = { ...given('paused', { lastStartAt: NOW }), deadlineAt: NOW + HOUR };

    const { check, flips } = missDeadline(before, NOW + 5 * HOUR);

    assert.deepEqual(flips, []);
    assert.deepEqual(check, { ...before, deadlineAt: null });
  });

  for (const status of ['new', 'down', 'paused'] as const) {
    test(`does not exist for a check that is ${status} and runs nothing`, () => {
      const before = given(status);

      assert.deepEqual(missDeadline(before, NOW + 1000 * DAY), { check: before, flips: [] });
    });
  }

  test('goes by the schedule of a cron check, in its zone', () => {
    const before = given('up', {
      kind: 'cron',
      schedule: '30 1 * * *',
      tz: 'America/New_York',
      graceSeconds: 600,
      lastPingAt: at('2024-11-03T05:40Z'),
    });

    // The second 01:30 of that night is not another run.
    assert.deepEqual(missDeadline(before, at('2024-11-03T06:45Z')).flips, []);
    assert.deepEqual(missDeadline(before, at('2024-11-05T00:00Z')).flips, [
      flip('up', 'down', 'timeout', at('2024-11-04T06:40Z')),
    ]);
  });
});

suite('a ping that comes after the deadline', () => {
  const overdue = given('up', { lastPingAt: NOW - DAY - 2 * HOUR });
  const missed = flip('up', 'down', 'timeout', NOW - HOUR);

  test('a success first records the outage, then its end', () => {
    const { check, flips } = receivePing(overdue, 'success', null, NOW);

    assert.deepEqual(flips, [missed, flip('down', 'up', '', NOW)]);
    assert.deepEqual([check.status, check.deadlineAt], ['up', NOW + DAY + HOUR]);
  });

  test('a failure has nothing to add', () => {
    const { check, flips } = receivePing(overdue, 'fail', null, NOW);

    assert.deepEqual(flips, [missed]);
    assert.deepEqual([check.status, check.lastPingAt], ['down', NOW]);
  });

  for (const signal of ['start', 'log', 'ign'] as const) {
    test(`a ${signal} leaves the check down`, () => {
      const { check, flips } = receivePing(overdue, signal, null, NOW);

      assert.deepEqual(flips, [missed]);
      assert.equal(check.status, 'down');
      assert.equal(check.lastStartAt, signal === 'start' ? NOW : null);
      assert.equal(check.deadlineAt, null);
    });
  }

  test('a success exactly at the deadline is too late', () => {
    const before = given('up', { lastPingAt: NOW - DAY - HOUR });

    assert.deepEqual(receivePing(before, 'success', null, NOW).flips, [
      flip('up', 'down', 'timeout', NOW),
      flip('down', 'up', '', NOW),
    ]);
  });

  test('a success a microsecond before it is in time', () => {
    const before = given('up', { lastPingAt: NOW - DAY - HOUR + 1 });

    assert.deepEqual(receivePing(before, 'success', null, NOW).flips, []);
  });

  test('the success of a hung run still has its duration', () => {
    const before = given('up', { lastStartAt: NOW - 2 * HOUR, lastStartRid: A });

    const { check, flips } = receivePing(before, 'success', A, NOW);

    assert.deepEqual(flips, [
      flip('up', 'down', 'timeout', NOW - HOUR, 'overran'),
      flip('down', 'up', '', NOW),
    ]);
    assert.deepEqual([check.lastDuration, check.lastStartAt, check.runReported], [2 * HOUR, null, false]);
  });
});

suite('a run that hangs', () => {
  test('whose grace ended while nobody watched is left at peace once another run succeeds', () => {
    const check = aCheck({
      status: 'up',
      graceSeconds: 3_600,
      lastPingAt: NOW - 5 * HOUR,
      lastStartAt: NOW - 4 * HOUR,
      lastStartRid: 'one',
      excusedUntilAt: NOW + HOUR,
    });

    const { check: after, flips } = receivePing(check, 'success', 'two', NOW);

    assert.deepEqual(flips, []);
    assert.equal(after.lastStartAt, NOW - 4 * HOUR);
    assert.equal(after.deadlineAt, NOW + DAY + HOUR);
  });

  test('is told of once: the success of another run brings the check up to stay', () => {
    const { check, flips } = afterPings(given('up'), [
      ['start', 0, A],
      ['success', 90, B],
    ]);

    assert.deepEqual(flips, [
      flip('up', 'down', 'timeout', NOW + HOUR, 'overran'),
      flip('down', 'up', '', NOW + 90 * MINUTE),
    ]);
    assert.equal(check.lastStartAt, NOW);
    assert.equal(statusAt(check, NOW + 90 * MINUTE), 'up');
    assert.equal(check.deadlineAt, NOW + 90 * MINUTE + DAY + HOUR);
  });

  test('while the check is down is part of that outage, and does not begin another', () => {
    const { check, flips } = afterPings(given('down'), [
      ['start', 0, A],
      ['success', 90, B],
    ]);

    assert.deepEqual(flips, [flip('down', 'up', '', NOW + 90 * MINUTE)]);
    assert.equal(statusAt(check, NOW + 90 * MINUTE), 'up');
    assert.equal(check.deadlineAt, NOW + 90 * MINUTE + DAY + HOUR);
  });

  test('after the schedule itself was missed does not ring a second time either', () => {
    const before = given('up', { lastPingAt: NOW - DAY - 30 * MINUTE });

    const { check, flips } = afterPings(before, [
      ['start', 0, A],
      ['success', 180, B],
    ]);

    assert.deepEqual(flips, [
      flip('up', 'down', 'timeout', NOW + 30 * MINUTE),
      flip('down', 'up', '', NOW + 180 * MINUTE),
    ]);
    assert.equal(statusAt(check, NOW + 180 * MINUTE), 'up');
  });

  test('is still watched when the check comes up before its time is over', () => {
    const { check } = afterPings(given('down'), [
      ['start', 0, A],
      ['success', 59, B],
    ]);

    assert.equal(check.deadlineAt, NOW + HOUR);
    assert.deepEqual(missDeadline(check, NOW + HOUR).flips, [
      flip('up', 'down', 'timeout', NOW + HOUR, 'overran'),
    ]);
  });

  test('is still watched when the schedule was missed first and the check came up again', () => {
    const before = given('up', { lastPingAt: NOW - DAY - 30 * MINUTE });

    const { check, flips } = afterPings(before, [
      ['start', 0, A],
      ['success', 40, B],
    ]);

    assert.deepEqual(flips, [
      flip('up', 'down', 'timeout', NOW + 30 * MINUTE),
      flip('down', 'up', '', NOW + 40 * MINUTE),
    ]);
    assert.equal(check.deadlineAt, NOW + HOUR);
  });

  test('gives way to the next start, which is watched again', () => {
    const { check } = afterPings(given('up'), [
      ['start', 0, A],
      ['success', 90, B],
      ['start', 100, B],
    ]);

    assert.equal(check.runReported, false);
    assert.equal(check.deadlineAt, NOW + 160 * MINUTE);
  });
});

suite('a flip', () => {
  test('never lies before the one before it', () => {
    // Failed and recovered just now; a shorter grace then puts the deadline of the open run before that.
    const before = given('up', { lastStartAt: NOW - 50 * MINUTE, lastFlipAt: NOW - MINUTE });
    const edited = editCheck(before, { graceSeconds: 60 });

    const { flips, check } = missDeadline(edited, NOW);

    assert.deepEqual(flips, [flip('up', 'down', 'timeout', NOW - MINUTE, 'overran')]);
    assert.equal(check.lastFlipAt, NOW - MINUTE);
  });

  test('does not go back with a clock that is set back', () => {
    const { flips } = receivePing(given('up', { lastFlipAt: NOW + MINUTE }), 'fail', null, NOW);

    assert.deepEqual(flips, [flip('up', 'down', 'fail', NOW + MINUTE)]);
  });
});

suite('a clock that was ahead and is set back', () => {
  test('leaves the deadline as far off as if everything had come now', () => {
    const cases: [Partial<Check>, Instant][] = [
      [{ lastPingAt: NOW + DAY }, NOW + DAY + HOUR],
      [{ lastPingAt: NOW - HOUR, lastStartAt: NOW + DAY }, NOW + HOUR],
      [{ lastPingAt: NOW - 2 * DAY, excusedUntilAt: NOW + DAY }, NOW + 5 * MINUTE],
    ];
    for (const [state, deadlineAt] of cases) {
      const before = given('up', state);

      assert.equal(isAhead(before, NOW), true);
      const after = bringBack(before, NOW, 5 * MINUTE);

      assert.equal(after.deadlineAt, deadlineAt);
      assert.equal(after.status, 'up');
      assert.equal(isAhead({ ...after, excusedUntilAt: null }, NOW), false);
    }
  });

  test('changes nothing of a check whose times have passed, or that nobody watches', () => {
    const before = given('up', { lastPingAt: NOW - HOUR, lastStartAt: NOW - MINUTE });

    assert.deepEqual(bringBack(before, NOW, 5 * MINUTE), before);
    assert.equal(isAhead(before, NOW), false);
    assert.equal(isAhead(given('down', { lastPingAt: NOW + DAY }), NOW), false);
  });
});

suite('pause', () => {
  for (const status of ['new', 'up', 'down'] as const) {
    test(`a check that is ${status} stops being watched`, () => {
      const before = given(status, {
        lastStartAt: NOW - 5 * MINUTE,
        lastStartRid: A,
        lastDuration: 7 * MINUTE,
      });

      const { check, flips } = pause(before, NOW);

      assert.deepEqual(flips, [flip(status, 'paused', '', NOW)]);
      assert.deepEqual(check, {
        ...before,
        status: 'paused',
        lastStartAt: null,
        lastStartRid: null,
        deadlineAt: null,
        lastFlipAt: NOW,
      });
    });
  }

  test('of a check that is overdue first records its outage, dated at the deadline', () => {
    const before = given('up', { lastPingAt: NOW - DAY - 2 * HOUR });

    const { check, flips } = pause(before, NOW);

    assert.deepEqual(flips, [flip('up', 'down', 'timeout', NOW - HOUR), flip('down', 'paused', '', NOW)]);
    assert.deepEqual([check.status, check.deadlineAt, check.lastFlipAt], ['paused', null, NOW]);
  });

  test('records nothing of a deadline that passed while nobody watched', () => {
    const before = given('up', { lastPingAt: NOW - DAY - 2 * HOUR });

    assert.deepEqual(pause(before, NOW, NOW - 2 * HOUR).flips, [flip('up', 'paused', '', NOW)]);
  });

  test('of a check that cannot be evaluated, and is put off, stops it all the same', () => {
    const before = { ...given('up', { lastPingAt: NOW - 2 * DAY }), deadlineAt: NOW + HOUR };

    const { check } = pause({ ...before, kind: 'cron', schedule: 'nonsense' }, NOW);

    assert.equal(check.status, 'paused');
  });

  test('of a check whose run hangs first records that', () => {
    const before = given('new', { lastStartAt: NOW - 2 * HOUR });

    const { check, flips } = pause(before, NOW);

    assert.deepEqual(flips, [
      flip('new', 'down', 'timeout', NOW - HOUR, 'overran'),
      flip('down', 'paused', '', NOW),
    ]);
    assert.deepEqual([check.lastStartAt, check.runReported], [null, false]);
  });

  test('of a paused check changes nothing, not even the run it has open', () => {
    const before = given('paused', { lastStartAt: NOW - 5 * MINUTE });

    assert.deepEqual(pause(before, NOW), { check: before, flips: [], before: null });
  });

  test('forgets that a run was reported', () => {
    const { check } = pause(given('down', { lastStartAt: NOW - 2 * HOUR, runReported: true }), NOW);

    assert.equal(check.runReported, false);
  });
});

suite('resume', () => {
  test('makes a paused check new, with its count and last duration kept', () => {
    const before = given('paused', {
      lastStartAt: NOW - 2 * HOUR,
      lastStartRid: A,
      lastDuration: 7 * MINUTE,
    });

    const { check, flips } = resume(before, NOW);

    assert.deepEqual(flips, [flip('paused', 'new', '', NOW)]);
    assert.deepEqual(check, {
      ...before,
      status: 'new',
      lastPingAt: null,
      lastStartAt: null,
      lastStartRid: null,
      deadlineAt: null,
      lastFlipAt: NOW,
    });
  });
});

suite('resume with the next run expected', () => {
  test('lets a check go down that was down before the pause, unless it pings', () => {
    const { check: paused } = pause(given('down', { lastPingAt: NOW - 3 * DAY }), NOW);

    const { check, flips } = resumeExpecting(paused, NOW + MINUTE);

    const deadline = NOW + MINUTE + DAY + HOUR;
    assert.deepEqual(flips, [flip('paused', 'new', '', NOW + MINUTE)]);
    assert.deepEqual([check.status, check.lastPingAt, check.deadlineAt], ['new', NOW - 3 * DAY, deadline]);
    assert.equal(statusAt(check, deadline - HOUR - 1), 'new');
    assert.equal(statusAt(check, deadline - HOUR), 'grace');
    assert.deepEqual(missDeadline(check, deadline).flips, [flip('new', 'down', 'timeout', deadline)]);
  });

  test('expects nothing of a check that was never pinged', () => {
    const { check } = resumeExpecting(given('paused', { lastPingAt: null }), NOW);

    assert.deepEqual([check.status, check.deadlineAt], ['new', null]);
  });
});

suite('an edit', () => {
  test('moves the deadline and nothing else', () => {
    const before = given('up');

    const after = editCheck(before, { timeoutSeconds: 3_600, graceSeconds: 60 });

    assert.deepEqual(after, {
      ...before,
      timeoutSeconds: 3_600,
      graceSeconds: 60,
      deadlineAt: EARLIER + HOUR + MINUTE,
    });
  });

  test('that puts the deadline into the past takes the check down as of then', () => {
    const before = given('up', { lastPingAt: NOW - 5 * HOUR });

    const edited = editCheck(before, { timeoutSeconds: 3_600 });

    assert.deepEqual(missDeadline(edited, NOW).flips, [flip('up', 'down', 'timeout', NOW - 3 * HOUR)]);
  });

  test('that relaxes the schedule brings no check up', () => {
    const after = editCheck(given('down'), { timeoutSeconds: 31_536_000 });

    assert.deepEqual([after.status, after.deadlineAt], ['down', null]);
  });

  test('that ends the schedule leaves an up check with nothing to watch', () => {
    const after = editCheck(given('up'), { schedule: { kind: 'oncalendar', expression: '2019-01-01' } });

    assert.deepEqual([after.status, after.deadlineAt], ['up', null]);
  });
});

suite('a quiet edit', () => {
  const shorter = { timeoutSeconds: 3_600, graceSeconds: 60 };

  test('that makes the check overdue takes it down now, for no reason that anybody is told', () => {
    const before = given('up', { lastPingAt: NOW - 5 * HOUR });

    const { check, flips } = editQuietly(before, shorter, NOW);

    assert.deepEqual(flips, [flip('up', 'down', '', NOW)]);
    assert.deepEqual(flips.map(isTold), [false]);
    assert.deepEqual(
      [check.status, check.deadlineAt, check.timeoutSeconds, check.lastFlipAt],
      ['down', null, 3_600, NOW],
    );
  });

  test('that makes it due at this very moment does so, too', () => {
    const before = given('up', { lastPingAt: NOW - HOUR - MINUTE });

    assert.deepEqual(editQuietly(before, shorter, NOW).flips, [flip('up', 'down', '', NOW)]);
    assert.deepEqual(editQuietly(before, shorter, NOW - 1).flips, []);
  });

  test('that leaves the deadline ahead is an edit like any other', () => {
    const before = given('up');

    const { check, flips } = editQuietly(before, { timeoutSeconds: 2 * 3_600 }, NOW);

    assert.deepEqual(
      { check, flips },
      { check: editCheck(before, { timeoutSeconds: 7_200 }, NOW), flips: [] },
    );
  });

  test('of a check that hangs in a run tells of that run no second time', () => {
    const before = given('up', { lastStartAt: NOW - 30 * MINUTE, lastStartRid: 'a' });

    const { check, flips } = editQuietly(before, { graceSeconds: 60 }, NOW);

    assert.deepEqual(flips, [flip('up', 'down', '', NOW)]);
    assert.equal(receivePing(check, 'success', 'b', NOW + MINUTE).check.deadlineAt, NOW + DAY + 2 * MINUTE);
  });

  test('of a check that was overdue before hides no outage', () => {
    const before = given('up', { lastPingAt: NOW - DAY - 2 * HOUR });

    const { check, flips } = editQuietly(before, { timeoutSeconds: 31_536_000 }, NOW);

    assert.deepEqual(flips, [flip('up', 'down', 'timeout', NOW - HOUR)]);
    assert.deepEqual([check.status, check.timeoutSeconds], ['down', 31_536_000]);
  });

  test('of a check that came due while nobody watched leaves it to be excused', () => {
    const before = given('up', { lastPingAt: NOW - DAY - HOUR - MINUTE });

    const { check, flips } = editQuietly(before, { name: 'Renamed' }, NOW, NOW - 2 * MINUTE);

    assert.deepEqual(
      [check.status, check.name, check.deadlineAt, flips],
      ['up', 'Renamed', NOW - MINUTE, []],
    );
  });

  for (const status of ['new', 'paused', 'down'] as const) {
    test(`of a check that is ${status} changes no status`, () => {
      const { check, flips } = editQuietly(given(status), shorter, NOW);

      assert.deepEqual([check.status, check.deadlineAt, flips], [status, null, []]);
    });
  }
});
