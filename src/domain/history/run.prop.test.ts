import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Instant } from '../../lib/instant.ts';
import { aCheck, DAY, HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import type { Check } from '../check/check.ts';
import type { NewFlip } from '../check/flip.ts';
import { runDurations } from '../ping/open-runs.ts';
import { happenedAt, type Signal } from '../ping/ping.ts';
import {
  effectiveSignal,
  missDeadline,
  pause,
  receivePing,
  resume,
  type Transition,
} from '../ping/transition.ts';
import { type Run, type RunPing, runsOf } from './run.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const OPTIONS = { seed: 20240301, numRuns: 1_000 };

const RIDS = [null, '9f2a3a37-1f4d-4a3b-8a44-000000000001', '9f2a3a37-1f4d-4a3b-8a44-000000000002'];

const step = fc.record({
  after: fc.constantFrom(0, 1, MINUTE, 30 * MINUTE, HOUR, HOUR + 1, 2 * HOUR, DAY, 3 * DAY),
  does: fc.constantFrom<Signal | 'pause' | 'resume' | 'look'>(
    ...(['success', 'fail', 'start', 'start', 'progress'] as const),
    ...(['log', 'ign', 'pause', 'resume', 'look'] as const),
  ),
  rid: fc.constantFrom(...RIDS),
  age: fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constantFrom(1, MINUTE, HOUR, 2 * HOUR, DAY) },
  ),
});

/** The check after a random life, and everything recorded of it. */
interface Life {
  check: Check;
  now: Instant;
  readonly pings: RunPing[];
  readonly flips: NewFlip[];
}

const life = fc
  .tuple(fc.boolean(), fc.array(step, { maxLength: 30, size: 'max' }))
  .map(([manualResume, steps]): Life => {
    const lived: Life = {
      check: aCheck({ timeoutSeconds: 3_600, graceSeconds: 3_600, manualResume }),
      now: NOW,
      pings: [],
      flips: [],
    };
    const become = ({ check, flips }: Transition) => {
      lived.check = check;
      lived.flips.push(...flips);
    };
    for (const { after, does, rid, age } of steps) {
      lived.now += after;
      if (does === 'pause') become(pause(lived.check, lived.now));
      else if (does === 'look') become(missDeadline(lived.check, lived.now));
      else if (does === 'resume') {
        // The service refuses to resume any other check.
        if (lived.check.status === 'paused') become(resume(lived.check, lived.now));
      } else {
        const signal = effectiveSignal(lived.check, does);
        become(receivePing(lived.check, signal, rid, lived.now, lived.now - age));
        const n = lived.check.pingCount;
        const occurredAt = age === 0 ? null : lived.now - age;
        lived.pings.push({ n, createdAt: lived.now, occurredAt, signal, rid, exitStatus: null });
      }
    }
    return lived;
  });

function always(claim: (runs: Run[], life: Life) => void): void {
  fc.assert(
    fc.property(life, (lived) => claim(runsOf(lived), lived)),
    OPTIONS,
  );
}

suite('whatever a check went through', () => {
  test('each end is the end of one run, and they are in the order in which they happened', () => {
    always((runs, { pings }) => {
      const ends = pings.filter(({ signal }) => signal === 'success' || signal === 'fail');
      assert.deepEqual(
        runs.flatMap(({ endN }) => endN ?? []),
        ends.toSorted((one, other) => happenedAt(one) - happenedAt(other)).map(({ n }) => n),
      );
    });
  });

  test('failures are failed runs, and successes are not', () => {
    always((runs, { pings }) => {
      for (const { n, signal } of pings) {
        const run = runs.find(({ endN }) => endN === n);
        if (run !== undefined) assert.equal(run.result === 'failed', signal === 'fail');
      }
    });
  });

  test('runs that began with a start last as long as the list of pings says', () => {
    always((runs, { pings }) => {
      const starts = new Set(pings.filter(({ signal }) => signal === 'start').map(({ n }) => n));
      const listed = runDurations(pings);
      for (const { startN, endN, duration } of runs) {
        const isKnown = endN !== null && (startN === null || starts.has(startN));
        if (isKnown) assert.equal(duration, listed.get(endN) ?? null);
      }
    });
  });

  test('the open run is one run that has not ended, and nothing else is running', () => {
    always((runs, { check }) => {
      const open = runs.filter(({ startedAt, endedAt }) => endedAt === null && startedAt !== null);
      const current = open.filter(({ startedAt }) => startedAt === check.lastStartAt);
      assert.equal(current.length >= 1, check.lastStartAt !== null);
      const running = runs.filter(({ result }) => result === 'running');
      assert.ok(running.length <= 1);
      for (const run of running) assert.equal(run.startedAt, check.lastStartAt);
    });
  });

  test('the run that the check waits for has the start that the check knows', () => {
    always((runs, { check, pings }) => {
      const { lastStartAt, lastStartRid } = check;
      const isIt = ({ signal, rid }: RunPing, at: Instant) =>
        signal === 'start' && at === lastStartAt && rid === lastStartRid;
      const isKnown = pings.some((ping) => isIt(ping, happenedAt(ping)));
      // The history has more of some runs than the check: progress of one that it waited for before, and ends that came too late.
      const knowsMore = pings.some(
        ({ signal, occurredAt }) =>
          signal === 'progress' || (occurredAt !== null && (signal === 'success' || signal === 'fail')),
      );
      if (!isKnown || knowsMore) return;
      const [open, ...others] = runs.filter(
        ({ startedAt, endedAt }) => startedAt === lastStartAt && endedAt === null,
      );
      const start = pings.find(({ n }) => n === open?.startN);
      assert.ok(start !== undefined && isIt(start, happenedAt(start)));
      assert.deepEqual(others, []);
    });
  });

  test('there is no more trouble without an end than deadlines that passed', () => {
    always((runs, { flips, check, now }) => {
      const unended = runs.filter(
        ({ result, endedAt, count }) => endedAt === null && result !== 'running' && count === 0,
      );
      const timeouts = flips.filter(({ reason }) => reason === 'timeout').length;
      const unnoticed = check.deadlineAt !== null && check.deadlineAt <= now ? 1 : 0;
      // The open run of a check that is down takes nothing down when it takes too long.
      const open = check.lastStartAt === null ? 0 : 1;
      assert.ok(unended.length <= timeouts + unnoticed + open);
    });
  });

  test('runs that did not come are told where none came, and each once', () => {
    always((runs, { check, now }) => {
      for (const { result, count, listed, endN, startN } of runs) {
        const isNoShow = result === 'missed' || result === 'skipped' || result === 'unknown';
        assert.equal(count > 0, isNoShow);
        if (isNoShow) assert.deepEqual([endN, startN], [null, null]);
        assert.ok(listed.length <= Math.min(count, 30));
      }
      const expected = runs.flatMap(({ listed }) => listed);
      assert.equal(new Set(expected).size, expected.length);
      // A period passes before a run is expected.
      const first = runs[0]?.at ?? now;
      const most = Math.ceil((now - first) / (check.timeoutSeconds * 1e6)) + 1;
      assert.ok(runs.reduce((sum, { count }) => sum + count, 0) <= most);
    });
  });
});
