import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { healthOf, isLeftBehind } from './channel-health.ts';

const NOW = seconds(1_700_000_000);
const DAY = seconds(86_400);
const WELL = {
  off: null,
  verified: true,
  failingSince: null,
  lastAttempt: { startedAt: NOW - 1, duration: 1, error: '' },
};
const OFF = { reason: 'switched_off', error: '', at: null } as const;
const worked = (startedAt: number, error = '') => ({ lastAttempt: { startedAt, duration: 1, error } });

suite('the health of a channel', () => {
  test('is delivering while attempts succeed', () => {
    assert.equal(healthOf(WELL), 'delivering');
  });

  test('is waiting before the first attempt: nobody knows whether messages arrive', () => {
    assert.equal(healthOf({ ...WELL, lastAttempt: null }), 'waiting');
    assert.equal(healthOf({ ...WELL, lastAttempt: null, verified: false }), 'unconfirmed');
    assert.equal(healthOf({ ...WELL, lastAttempt: null, off: OFF }), 'disabled');
  });

  test('is failing from the first failed attempt on', () => {
    assert.equal(healthOf({ ...WELL, failingSince: NOW }), 'failing');
  });

  test('is unconfirmed before it is failing, and disabled before all', () => {
    assert.equal(healthOf({ ...WELL, verified: false, failingSince: NOW }), 'unconfirmed');
    assert.equal(healthOf({ ...WELL, off: OFF, verified: false, failingSince: NOW }), 'disabled');
  });
});

suite('a channel is left behind', () => {
  const failing = { ...WELL, failingSince: NOW - DAY };

  test('when it has failed for a day while another one delivered', () => {
    assert.equal(isLeftBehind(failing, [worked(NOW - DAY + 1)], NOW), true);
  });

  test('not earlier, and not while the others fail, too, or are silent', () => {
    assert.equal(isLeftBehind({ ...failing, failingSince: NOW - DAY + 1 }, [worked(NOW)], NOW), false);
    assert.equal(isLeftBehind(failing, [worked(NOW, 'Connection failed')], NOW), false);
    assert.equal(isLeftBehind(failing, [worked(NOW - DAY - 1), { lastAttempt: null }], NOW), false);
    assert.equal(isLeftBehind(WELL, [worked(NOW)], NOW), false);
  });
});
