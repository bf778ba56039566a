import assert from 'node:assert/strict';
import { test } from 'node:test';
import { USUAL_REPORT } from './report.test-support.ts';
import { bodyLimit, type Outcome, type ReportOptions, signalOf } from './report.ts';

const exit = (code: number): Outcome => ({
  ending: { kind: 'exit', code },
  timeoutMs: null,
  durationMs: 0,
  unmet: [],
});
const signal = (options: Partial<ReportOptions>, outcome: Outcome) =>
  signalOf(outcome, { ...USUAL_REPORT, ...options });

test('the ping says how the job ended', () => {
  assert.equal(signal({}, exit(0)), 'success');
  assert.equal(signal({}, exit(3)), 3);
  assert.equal(signal({}, { ...exit(0), ending: { kind: 'signal', signal: 'SIGKILL' } }), 137);
  assert.equal(signal({}, { ...exit(0), ending: { kind: 'not started', code: 126, reason: '' } }), 126);
  assert.equal(signal({}, { ...exit(0), timeoutMs: 1 }), 124);
  assert.equal(signal({}, exit(3_221_225_786)), 'fail');
});

test('codes of success are the user’s', () => {
  assert.equal(signal({ 'success-codes': [0, 24] }, exit(24)), 'success');
  assert.equal(signal({ 'success-codes': [24] }, exit(0)), 0);
});

test('which pings are sent is the user’s choice', () => {
  assert.deepEqual(
    (['success', 'log', 'none'] as const).map((choice) => signal({ 'on-success': choice }, exit(0))),
    ['success', 'log', null],
  );
  assert.deepEqual(
    (['exit', 'fail', 'log', 'none'] as const).map((choice) => signal({ 'on-failure': choice }, exit(1))),
    [1, 'fail', 'log', null],
  );
});

test('the smallest limit counts', () => {
  assert.equal(bodyLimit(USUAL_REPORT, null), 10_000);
  assert.equal(bodyLimit(USUAL_REPORT, 100_000), 100_000);
  assert.equal(bodyLimit(USUAL_REPORT, 5_000_000), 1_048_576);
  assert.equal(bodyLimit({ ...USUAL_REPORT, 'output-limit': 50 }, 100_000), 50);
});

test('a job that has not left what it should has failed, whatever its status', () => {
  const nothing = { ...exit(0), unmet: ['x: nothing is there'] };

  assert.equal(signal({}, nothing), 'fail');
  assert.equal(signal({ 'on-failure': 'log' }, nothing), 'log');
  assert.equal(signal({ 'on-failure': 'none' }, nothing), null);
});
