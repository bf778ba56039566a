import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW } from '../check/check.test-support.ts';
import { type EndedRun, judgeRun } from './run-judgement.ts';

const RUN: EndedRun = {
  signal: 'success',
  exitStatus: null,
  startedAt: null,
  endedAt: NOW,
  body: null,
  sent: [],
};

const judged = (rules: object, run: Partial<EndedRun> = {}) =>
  judgeRun({ runRules: JSON.stringify(rules) }, { ...RUN, ...run });

test('nobody looks at a body if no number is declared', () => {
  // Whoever decodes it fails.
  const body = new Proxy(new Uint8Array(3), {});

  assert.equal(judged({ exit_map: '*=ok', min_run_time: 60 }, { body }).numbers, null);
  assert.throws(() => judged({ numbers: [{ name: 'rows' }] }, { body }), TypeError);
});

test('a failure has the cause of the first rule that makes it one, and all remarks', () => {
  const numbers = [
    { name: 'rows', min: 1, on: 'fail' },
    { name: 'bytes', missing: 'fail' },
  ];
  const run = { startedAt: NOW - 1, sent: [['rows', 0]] as const, exitStatus: 24 };

  assert.deepEqual(judged({ exit_map: '24=warn', min_run_time: 60, numbers }, run), {
    signal: 'fail',
    flags: 1 + 2 + 4 + 8,
    cause: 'number rows 0 < 1',
    numbers: '{"rows":0}',
  });
});

test('what the job calls a failure keeps that cause, and a map may call a success one', () => {
  assert.equal(
    judged({ min_run_time: 60, on_short: 'fail' }, { signal: 'fail', startedAt: NOW }).cause,
    'failed',
  );
  assert.deepEqual(judged({ exit_map: '0=fail' }, { exitStatus: 0 }), {
    signal: 'fail',
    flags: 0,
    cause: 'exit_map',
    numbers: null,
  });
});
