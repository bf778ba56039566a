import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { DAY } from '../check/check.test-support.ts';
import type { Run, RunResult } from './run.ts';
import { runFigures } from './run-figures.ts';

function run(day: number, durationSeconds: number | null, result: RunResult = 'ok'): Run {
  const at = day * DAY;
  const duration = durationSeconds === null ? null : seconds(durationSeconds);
  const count = result === 'missed' ? 3 : 0;
  return {
    result,
    at,
    startedAt: null,
    endedAt: at,
    duration,
    startN: null,
    endN: 1,
    exitStatus: null,
    count,
    listed: [],
    expectedAt: null,
  };
}

suite('figures of runs', () => {
  test('of no runs say nothing', () => {
    assert.deepEqual(runFigures([]), { median: null, p95: null, trendPerWeek: null, good: 0, ended: 0 });
  });

  test('are the median and the 95th percentile of those that went well', () => {
    const runs = Array.from({ length: 100 }, (_, index) => run(0, index + 1));
    const { median, p95 } = runFigures([...runs, run(0, 9_999, 'failed')]);

    assert.deepEqual([median, p95], [seconds(50), seconds(95)]);
  });

  test('count what went well among what is over, each missed run included', () => {
    const runs = [
      run(0, 1),
      run(1, 1, 'late'),
      run(2, 1, 'failed'),
      run(3, null, 'missed'),
      run(4, null, 'running'),
    ];
    const { good, ended } = runFigures(runs);

    assert.deepEqual([good, ended], [2, 6]);
  });

  test('show by how much runs become longer in a week, if there are enough of them', () => {
    const growing = Array.from({ length: 14 }, (_, day) => run(day, 100 + day));

    assert.equal(runFigures(growing).trendPerWeek, seconds(7));
    assert.equal(runFigures(growing.slice(0, 9)).trendPerWeek, null);
    assert.equal(runFigures(growing.map((one) => ({ ...one, at: 0 }))).trendPerWeek, null);
  });
});
