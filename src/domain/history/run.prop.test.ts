import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Instant } from '../../lib/instant.ts';
import { aCheck, DAY, HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import type { Check } from '../check/check.ts';
import type { NewFlip } from '../check/flip.ts';
import { runDurations } from '../ping/open-runs.ts';
import { happenedAt, MAX_RUN, type Signal } from '../ping/ping.ts';
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

const rules = fc.constantFrom(
  '',
  ...[{ end_within: 0 }, { end_within: 600 }, { begin_within: 1_800, end_within: 7_200 }].map((some) =>
    JSON.stringify(some),
  ),
);

/** A run as the check knows it. */
type WatchedRun = Pick<Check, 'lastStartAt' | 'lastStartRid'>;

/** The check after a random life, and everything recorded of it. */
interface Life {
  check: Check;
  now: Instant;
  readonly pings: RunPing[];
  readonly flips: NewFlip[];
  /** The runs that have taken it down, and when. */
  readonly overran: (WatchedRun & { readonly at: Instant })[];
}

const life = fc
  .tuple(fc.boolean(), rules, fc.array(step, { maxLength: 30, size: 'max' }))
  .map(([manualResume, runRules, steps]): Life => {
    const lived: Life = {
      check: aCheck({ timeoutSeconds: 3_600, graceSeconds: 3_600, manualResume, runRules }),
      now: NOW,
      pings: [],
      flips: [],
      overran: [],
    };
    const become = ({ check, flips }: Transition) => {
      const { lastStartAt, lastStartRid } = lived.check;
      for (const { cause, createdAt } of flips)
        if (cause === 'overran') lived.overran.push({ at: createdAt, lastStartAt, lastStartRid });
      lived.check = check;
      lived.flips.push(...flips);
    };
    for (const { after, does, rid, age } of steps) {
      // No person acts in the very microsecond of a ping.
      const apart = does === 'pause' || does === 'resume' ? 1 : 0;
      lived.now += after + apart;
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
      lived.now += apart;
    }
    return lived;
  });

/** The runs that may be the one that the check knew. It may know one by progress alone, of which the last one is it. */
function sameAs(
  runs: readonly Run[],
  { lastStartAt, lastStartRid }: WatchedRun,
  pings: readonly RunPing[],
): Run[] {
  if (lastStartAt === null) return [];
  const ofRun = pings.filter(({ rid }) => rid === lastStartRid);
  const begun = runs.filter(({ startN }) => ofRun.some(({ n }) => n === startN));
  const exact = begun.filter(({ startedAt }) => startedAt === lastStartAt);
  const isAlive = ofRun.some((ping) => ping.signal === 'progress' && happenedAt(ping) === lastStartAt);
  if (exact.length > 0 || !isAlive) return exact;
  const started = (run: Run) => run.startedAt ?? 0;
  return begun
    .filter((run) => started(run) < lastStartAt)
    .sort((one, other) => started(one) - started(other));
}

/** Runs that began, and whose end never came. */
function withoutEnd(runs: readonly Run[]): Run[] {
  return runs.filter(({ endedAt, count }) => endedAt === null && count === 0);
}

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

  test('no ping begins two runs, and none ends two', () => {
    always((runs) => {
      for (const numbers of [runs.map(({ startN }) => startN), runs.map(({ endN }) => endN)]) {
        const known = numbers.filter((n) => n !== null);
        assert.equal(new Set(known).size, known.length);
      }
    });
  });

  test('runs that began with a start last as long as the list of pings says', () => {
    always((runs, { check, pings, flips }) => {
      // The list of pings knows no pauses.
      if (flips.some(({ newStatus }) => newStatus === 'paused' || newStatus === 'new')) return;
      const starts = new Set(pings.filter(({ signal }) => signal === 'start').map(({ n }) => n));
      const listed = runDurations(check, pings);
      for (const { startN, endN, duration } of runs) {
        const isKnown = endN !== null && (startN === null || starts.has(startN));
        if (isKnown) assert.equal(duration, listed.get(endN) ?? null);
      }
    });
  });

  test('the run that the check waits for is one run that has not ended', () => {
    always((runs, { check, pings }) => {
      const open = sameAs(withoutEnd(runs), check, pings);
      assert.equal(open.length > 0, check.lastStartAt !== null);
    });
  });

  test('no other run has no end, unless it has taken the check down', () => {
    always((runs, { check, pings, overran }) => {
      const open = sameAs(withoutEnd(runs), check, pings).at(-1);
      for (const run of withoutEnd(runs)) {
        if (run === open) continue;
        assert.equal(run.result, 'failed');
        assert.ok(overran.some((other) => other.at === run.at && sameAs([run], other, pings).length > 0));
      }
    });
  });

  test('a run that has taken the check down has failed, or was late', () => {
    always((runs, { pings, overran, now }) => {
      for (const one of overran) {
        const first = pings.find(({ rid }) => rid === one.lastStartRid);
        // The start of a run that ended after a longer time is not told.
        if (first === undefined || now - happenedAt(first) >= MAX_RUN) continue;
        const same = sameAs(runs, one, pings);
        assert.ok(same.some(({ result }) => result === 'failed' || result === 'late'));
      }
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
