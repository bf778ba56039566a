import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { aCheck, at, DAY, HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import type { Check } from '../check/check.ts';
import type { Signal } from './ping.ts';
import { pause, receivePing, resume, type Transition } from './transition.ts';

const RID = '9f2a3a37-1f4d-4a3b-8a44-000000000001';
const OTHER = '9f2a3a37-1f4d-4a3b-8a44-000000000002';

/** A check whose job runs every hour, with ten minutes of grace. */
function hourly(overrides: Partial<Check> = {}): Check {
  return aCheck({ timeoutSeconds: 3_600, graceSeconds: 600, ...overrides });
}

/** A ping that comes now, about something that happened `age` ago. */
function late(check: Check, signal: Signal, age: number, rid: string | null = null): Transition {
  return receivePing(check, signal, rid, NOW, NOW - age);
}

function changes({ flips }: Transition): string[] {
  return flips.map(({ newStatus, createdAt }) => `${newStatus} ${(createdAt - NOW) / MINUTE}`);
}

suite('a success that comes late', () => {
  test('counts from when it happened', () => {
    const { check } = late(aCheck({ status: 'up', lastPingAt: NOW - 2 * HOUR }), 'success', seconds(90));

    assert.deepEqual(
      [check.lastPingAt, check.lastSuccessAt, check.deadlineAt],
      [NOW - seconds(90), NOW - seconds(90), NOW - seconds(90) + DAY + HOUR],
    );
  });

  test('brings a check up whose deadline it would have kept, and leaves the outage on record', () => {
    const now = at('2024-03-01T05:00Z');
    const nightly = { kind: 'cron', schedule: '0 3 * * *', tz: 'UTC', graceSeconds: 3_600 } as const;
    const down = aCheck({
      ...nightly,
      status: 'down',
      lastPingAt: at('2024-02-29T03:05Z'),
      lastFlipAt: at('2024-03-01T04:00Z'),
    });
    const { check, flips } = receivePing(down, 'success', null, now, at('2024-03-01T03:05Z'));

    assert.deepEqual(
      flips.map(({ newStatus, createdAt }) => [newStatus, createdAt]),
      [['up', now]],
    );
    assert.deepEqual(
      [check.lastPingAt, check.deadlineAt],
      [at('2024-03-01T03:05Z'), at('2024-03-02T04:00Z')],
    );
  });

  test('of a check that would be down again by now changes nothing', () => {
    const down = hourly({ status: 'down', lastPingAt: NOW - 10 * HOUR, lastFlipAt: NOW - 9 * HOUR });
    const { check, flips } = late(down, 'success', 8 * HOUR);

    assert.deepEqual(check, { ...down, pingCount: 1 });
    assert.deepEqual(flips, []);
  });

  test('is the only one of a backlog that counts', () => {
    let check = hourly({ status: 'down', lastPingAt: NOW - 12 * HOUR, lastFlipAt: NOW - 11 * HOUR });
    const told: string[] = [];
    for (const age of [...Array.from({ length: 10 }, (_, index) => (11 - index) * HOUR), 5 * MINUTE]) {
      const step = late(check, age % (2 * HOUR) === 0 ? 'fail' : 'success', age);
      told.push(...changes(step));
      check = step.check;
    }

    assert.deepEqual(told, ['up 0']);
    assert.equal(check.pingCount, 11);
  });

  test('that was due before anybody noticed takes nothing of the outage back', () => {
    const overdue = hourly({ status: 'up', lastPingAt: NOW - 80 * MINUTE });

    assert.deepEqual(changes(late(overdue, 'success', 20 * MINUTE)), ['down -10', 'up 0']);
  });

  test('is no sign that a run is over that began later and hangs', () => {
    const hung = hourly({
      status: 'down',
      lastPingAt: NOW - 2 * HOUR,
      lastStartAt: NOW - 20 * MINUTE,
      lastStartRid: RID,
      runReported: true,
    });

    assert.deepEqual(changes(late(hung, 'success', 30 * MINUTE, OTHER)), []);
    assert.deepEqual(changes(late(hung, 'success', 15 * MINUTE, RID)), ['up 0']);
  });

  test('of another run changes nothing where a run that hung is alive again, and the next one was missed since', () => {
    const hung = hourly({
      runRules: '{"begin_within":600}',
      status: 'down',
      lastPingAt: NOW - 12 * HOUR,
      lastStartAt: NOW - 11 * HOUR,
      lastStartRid: RID,
      lastAliveAt: NOW - MINUTE,
      runReported: true,
    });

    assert.deepEqual(changes(late(hung, 'success', 8 * HOUR, OTHER)), []);
    assert.deepEqual(changes(late(hung, 'success', 30 * MINUTE, OTHER)), ['up 0']);
  });
});

suite('a failure that comes late', () => {
  const up = hourly({ status: 'up', lastPingAt: NOW - 45 * MINUTE });

  test('from before the last result changes nothing', () => {
    assert.deepEqual(late(up, 'fail', HOUR), { check: { ...up, pingCount: 1 }, flips: [] });
  });

  test('takes the check down now if no newer result was due', () => {
    const { check, ...rest } = late(up, 'fail', 20 * MINUTE);

    assert.deepEqual(changes({ check, ...rest }), ['down 0']);
    assert.equal(check.lastPingAt, NOW - 20 * MINUTE);
  });

  test('leaves a run open that began after it, and ends its own', () => {
    const running = { ...up, lastStartAt: NOW - 5 * MINUTE, lastStartRid: null };

    assert.equal(late(running, 'fail', 20 * MINUTE).check.lastStartAt, NOW - 5 * MINUTE);
    assert.equal(late(running, 'fail', 20 * MINUTE, RID).check.lastStartAt, NOW - 5 * MINUTE);
    assert.equal(late(running, 'fail', MINUTE).check.lastDuration, 4 * MINUTE);
    // Its start was under way for longer than it ran.
    const own = late({ ...running, lastStartRid: RID }, 'fail', 6 * MINUTE, RID).check;
    assert.deepEqual([own.lastStartAt, own.lastDuration], [null, 0]);
  });
});

suite('a start that comes late', () => {
  const up = hourly({ status: 'up', lastPingAt: NOW - 45 * MINUTE });

  test('opens a run that began then', () => {
    const { check } = late(up, 'start', 3 * MINUTE, RID);

    assert.deepEqual(
      [check.lastStartAt, check.lastStartRid, check.deadlineAt],
      [NOW - 3 * MINUTE, RID, NOW + 7 * MINUTE],
    );
  });

  for (const [name, check, age] of [
    ['whose grace time has passed', up, 10 * MINUTE],
    ['from before the last result', { ...up, lastPingAt: NOW - MINUTE }, 3 * MINUTE],
    ['from before the open run', { ...up, lastStartAt: NOW - MINUTE }, 3 * MINUTE],
  ] as const)
    test(`${name} opens none`, () => {
      const { check: after, flips } = late(check, 'start', age);
      assert.deepEqual([after.lastStartAt, flips], [check.lastStartAt, []]);
    });
});

test('a start that comes late opens a run whose limit has passed in a quiet time', () => {
  const quiet = { quietFromAt: NOW - 15 * MINUTE, quietUntilAt: NOW - 5 * MINUTE };
  const up = hourly({ status: 'up', lastPingAt: NOW - 45 * MINUTE, ...quiet });

  const { check } = late(up, 'start', 20 * MINUTE, RID);

  assert.deepEqual([check.lastStartAt, check.deadlineAt], [NOW - 20 * MINUTE, NOW + 5 * MINUTE]);
});

suite('what happened before a pause or a resume', () => {
  const paused = pause(hourly({ status: 'up', lastPingAt: NOW - HOUR }), NOW - 10 * MINUTE).check;
  const resumed = resume(pause(hourly(), NOW - HOUR).check, NOW - 10 * MINUTE).check;

  for (const [name, check] of Object.entries({ paused, resumed }))
    test(`does not undo it: ${name}`, () => {
      assert.deepEqual(changes(late(check, 'success', 20 * MINUTE)), []);
      assert.deepEqual(changes(late(check, 'fail', 20 * MINUTE)), []);
      assert.deepEqual(changes(late(check, 'success', 5 * MINUTE)), ['up 0']);
    });

  test('does not include the end of a run whose late start has resumed the check', () => {
    const started = late(paused, 'start', 8 * MINUTE, RID);

    assert.deepEqual(changes(started), ['new 0']);
    assert.deepEqual(changes(late(started.check, 'success', 3 * MINUTE, RID)), ['up 0']);
  });
});

test('a log entry that comes late changes nothing, and is counted', () => {
  const up = hourly({ status: 'up', lastPingAt: NOW - 45 * MINUTE });

  for (const signal of ['log', 'ign'] as const)
    assert.deepEqual(late(up, signal, MINUTE), { check: { ...up, pingCount: 1 }, flips: [] });
});

test('a late run that is sent twice leaves the check as it was after the first time', () => {
  const down = hourly({ status: 'down', lastPingAt: NOW - 5 * HOUR, lastFlipAt: NOW - 4 * HOUR });
  for (const result of ['success', 'fail'] as const) {
    const send = (check: Check) => {
      const started = late(check, 'start', 8 * MINUTE, RID);
      const ended = late(started.check, result, 3 * MINUTE, RID);
      return { check: ended.check, flips: [...started.flips, ...ended.flips] };
    };
    const once = send(down);
    const twice = send(once.check);

    assert.deepEqual(twice, { check: { ...once.check, pingCount: 4 }, flips: [] });
  }
});
