import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCheck, HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import type { Flip } from '../check/flip.ts';
import { recoveryOf } from './recovery.ts';
import { type RunPing, runsOf } from './run.ts';
import { sentenceText } from './status-sentence.ts';

const clock = (at: number) => `${(NOW - at) / MINUTE} min ago`;
const flip = (ago: number, oldStatus: Flip['oldStatus'], newStatus: Flip['newStatus']): Flip => {
  return { id: ago, checkId: 1, createdAt: NOW - ago, oldStatus, newStatus, reason: '', cause: '' };
};
const words = (...flips: Flip[]) => {
  const recovery = recoveryOf(flips, [], NOW);
  return recovery && sentenceText(recovery.sentence, NOW, clock);
};

test('a check that recovered within the last hours says when it fell and when it recovered', () => {
  const fall = flip(2 * HOUR, 'up', 'down');

  assert.equal(words(flip(HOUR, 'down', 'up'), fall), 'Was down from 120 min ago to 60 min ago (1 h).');
  assert.deepEqual(recoveryOf([flip(HOUR, 'down', 'up'), fall], [], NOW)?.flipIds, [fall.id, HOUR]);
  assert.equal(words(flip(HOUR, 'down', 'up')), 'Recovered 60 min ago.');
});

test('it says why the check was down', () => {
  const check = aCheck({ status: 'up' });
  const because = (reason: Flip['reason'], pings: readonly Partial<RunPing>[]) => {
    const fall = { ...flip(2 * HOUR, 'up', 'down'), reason };
    const read = pings.map(
      (ping, n) => ({ signal: null, rid: null, exitStatus: null, ...ping, n }) as RunPing,
    );
    const runs = runsOf({ check, pings: read, flips: [fall], now: NOW });
    const recovery = recoveryOf([flip(HOUR, 'down', 'up'), fall], runs, NOW);
    return recovery && sentenceText(recovery.sentence.slice(-1), NOW, clock);
  };
  const fell = NOW - 2 * HOUR;

  assert.equal(because('timeout', []), ' (1 h): one run never came.');
  assert.equal(
    because('timeout', [{ signal: 'start', createdAt: fell - HOUR }]),
    ' (1 h): a run did not finish in time.',
  );
  assert.equal(
    because('fail', [{ signal: 'fail', exitStatus: 3, createdAt: fell }]),
    ' (1 h): exit status 3.',
  );
  assert.equal(because('fail', [{ signal: 'fail', createdAt: fell }]), ' (1 h): a run failed.');
});

test('it counts the runs that never came from the deadline that was put off', () => {
  const check = aCheck({ kind: 'cron', schedule: '0 * * * *', tz: 'UTC', graceSeconds: 600, status: 'up' });
  const fall: Flip = { ...flip(5 * HOUR - 30 * MINUTE, 'up', 'down'), reason: 'timeout' };
  const ping = { signal: 'success', rid: null, exitStatus: null, occurredAt: null } as const;
  const pings = [
    { ...ping, n: 1, createdAt: NOW - 6 * HOUR },
    { ...ping, n: 2, createdAt: NOW - HOUR },
  ];
  const quiet = [{ from: NOW - 5 * HOUR + MINUTE, until: NOW - 5 * HOUR + 20 * MINUTE }];
  const runs = runsOf({ check, pings, flips: [fall], now: NOW, unwatched: { quiet, blind: [] } });
  const recovery = recoveryOf([flip(HOUR, 'down', 'up'), fall], runs, NOW);

  assert.deepEqual(recovery?.sentence.at(-1), ' (3 h 30 min): 4 runs never came.');
});

test('other checks have no recovery to tell', () => {
  assert.equal(words(flip(7 * HOUR, 'down', 'up')), null);
  assert.equal(words(flip(HOUR, 'paused', 'up')), null);
  assert.equal(words(flip(HOUR, 'up', 'down')), null);
  assert.equal(words(), null);
});
