import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkRecord } from '../../../test/records.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { Timed } from '../check/status.ts';
import type { Run, RunResult } from './run.ts';
import { type LaneFacts, laneOf, MAX_LANE_RUNS, togetherOf } from './timeline.ts';

const NOW: Instant = seconds(1_000_000_000);
const minutes = (count: number) => seconds(count * 60);
const WINDOW = { from: NOW - minutes(480), until: NOW + minutes(240) };

const check = (overrides: Partial<Timed> = {}): Timed => ({
  ...checkRecord(1),
  status: 'up',
  kind: 'simple',
  timeoutSeconds: 3_600,
  graceSeconds: 600,
  lastPingAt: NOW - minutes(10),
  ...overrides,
});

function run(result: RunResult, at: Instant, took: number | null = null): Run {
  return {
    result,
    at,
    startedAt: took === null ? null : at - took,
    endedAt: result === 'missed' || result === 'running' ? null : at,
    duration: took,
    startN: null,
    endN: 1,
    exitStatus: null,
    count: result === 'missed' ? 3 : 0,
    listed: [],
    expectedAt: null,
  };
}

const lane = (facts: Partial<LaneFacts>) =>
  laneOf({ check: check(), runs: [], isCut: false, flips: [], window: WINDOW, now: NOW, ...facts });

describe('a lane', () => {
  test('shows runs as long as they took, and a missed one from when it was expected', () => {
    const ok = NOW - minutes(60);
    const { runs } = lane({ runs: [run('ok', ok, minutes(5)), run('missed', NOW - minutes(20))] });

    assert.deepEqual(runs, [
      { result: 'ok', count: 0, from: ok - minutes(5), until: ok },
      { result: 'missed', count: 3, from: NOW - minutes(30), until: NOW - minutes(20) },
    ]);
  });

  test('leaves out what was before the window, and keeps what reaches into it', () => {
    const { runs } = lane({
      runs: [
        run('ok', WINDOW.from - minutes(5), minutes(1)),
        run('ok', WINDOW.from + minutes(5), minutes(30)),
      ],
    });

    assert.equal(runs.length, 1);
  });

  test('becomes a band if runs are many, and what went wrong stays in sight', () => {
    const many = Array.from({ length: MAX_LANE_RUNS + 1 }, (_, n) =>
      run(n === 50 ? 'failed' : 'ok', NOW - minutes(400 - n)),
    );
    const { runs, band } = lane({ runs: many });

    assert.deepEqual(band, { from: many[0]?.at, until: many.at(-1)?.at });
    assert.deepEqual(
      runs.map(({ result }) => result),
      ['failed'],
    );
    assert.equal(lane({ runs: many.slice(0, 10), isCut: true }).band?.from, WINDOW.from);
  });

  test('shows when runs are expected, as a band if they are many, and none of a check that is paused', () => {
    assert.deepEqual(
      lane({}).expected,
      [50, 110, 170, 230].map((after) => NOW + minutes(after)),
    );
    const often = lane({ check: check({ timeoutSeconds: 60, lastPingAt: NOW }) });
    assert.deepEqual([often.expected, often.expectedBand], [[], { from: NOW, until: WINDOW.until }]);
    assert.deepEqual(lane({ check: check({ status: 'paused' }) }).expected, []);
    const daily = check({ kind: 'cron', schedule: '0 * * * *', tz: 'UTC' });
    assert.equal(lane({ check: daily }).expected.length, 4);
  });

  test('shows the grace time of what is late, and of an open run', () => {
    const late = check({ lastPingAt: NOW - minutes(65) });
    assert.deepEqual(lane({ check: late }).grace, { from: NOW - minutes(5), until: NOW + minutes(5) });
    const running = check({ lastStartAt: NOW - minutes(4) });
    assert.deepEqual(lane({ check: running }).grace, { from: NOW, until: NOW + minutes(6) });
    assert.equal(lane({}).grace, null);
  });

  test('shows for how long the check was down, also if that began before', () => {
    const flip = (newStatus: 'up' | 'down', at: Instant) => ({ newStatus, createdAt: at });
    const { down } = lane({
      flips: [
        flip('down', NOW - minutes(30)),
        flip('down', WINDOW.from - minutes(60)),
        flip('up', WINDOW.from + minutes(10)),
      ],
    });

    assert.deepEqual(down, [
      { from: WINDOW.from - minutes(60), until: WINDOW.from + minutes(10) },
      { from: NOW - minutes(30), until: NOW },
    ]);
  });
});

describe('problems are told together', () => {
  const onset = (of: string, minute: number) => ({ of, at: minutes(minute) });

  test('if they began within a quarter of an hour', () => {
    const told = togetherOf([onset('c', 60), onset('b', 15), onset('a', 0), onset('d', 76)]);
    assert.deepEqual(
      told.map(({ of }) => of),
      ['a', 'b'],
    );
  });

  test('and not if they are of one check, or further apart', () => {
    assert.deepEqual(togetherOf([onset('a', 0), onset('a', 5), onset('b', 21)]), []);
  });

  test('of many problems, at no more cost for each than of some', () => {
    const readsFor = (many: number) => {
      let reads = 0;
      const onsets = Array.from({ length: many }, (_, n) => ({
        at: NOW + n,
        get of() {
          reads++;
          return n;
        },
      }));
      assert.equal(togetherOf(onsets).length, many);
      return reads / many;
    };
    assert.ok(readsFor(3_000) < 2 * readsFor(300));
  });

  test('the most of them, and of as many the later', () => {
    const told = togetherOf([
      onset('a', 0),
      onset('b', 1),
      onset('c', 100),
      onset('d', 101),
      onset('c', 102),
    ]);
    assert.deepEqual(
      told.map(({ of }) => of),
      ['c', 'd'],
    );
  });
});
