import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { anEvent, aReply } from '../kind/alert-event.test-support.ts';
import { readSettings } from '../registry.ts';
import { bark } from './bark.ts';

const PHONE = {
  device_key: 'thekey',
  url: 'https://api.day.app',
  priority_down: 'critical',
  priority_up: 'passive',
} as const;

function sent(event = anEvent()) {
  const calls = bark.render(event, PHONE, {});
  assert.ok(Array.isArray(calls));
  return { url: calls[0]?.url, push: JSON.parse(String(calls[0]?.body)) };
}

suite('Bark', () => {
  test('a push names the device and opens the check', () => {
    const { url, push } = sent();

    assert.equal(url, 'https://api.day.app/push');
    assert.equal(push.device_key, 'thekey');
    assert.equal(push.title, 'Nightly backup is DOWN');
    assert.match(push.url, /\/cloaked\//);
    assert.ok(!('url' in sent(anEvent({ isTest: true })).push));
  });

  test('each direction has its level, and can be switched off', () => {
    assert.equal(sent().push.level, 'critical');
    assert.equal(sent(anEvent({ to: 'up', reason: '' })).push.level, 'passive');
    assert.equal(bark.wants({ ...PHONE, priority_down: 'off' }, 'down'), false);
    assert.ok(readSettings('bark', { device_key: 'k', priority_up: 'loud' }) instanceof Fault);
  });

  test('a device that the server does not know switches the channel off, and its key is not shown', () => {
    for (const message of [
      'failed to get device token: failed to get [thekey] device token from database',
      'failed to get device token: sql: no rows in result set',
    ]) {
      assert.deepEqual(bark.classify(aReply(400, { code: 400, message })), {
        kind: 'permanent',
        error: 'Received status code 400 (unknown device key)',
      });
    }
  });

  test('an error under 200 is an error', () => {
    assert.deepEqual(bark.classify(aReply(200, { code: 500, message: 'push failed' })), {
      kind: 'try_again',
      error: 'Received status code 200 with a message: "push failed"',
      afterSeconds: null,
    });
    assert.equal(bark.classify(aReply(200, { code: 200, message: 'success' })).kind, 'delivered');
    assert.equal(bark.classify(aReply(400, { code: 400, message: 'device key is empty' })).kind, 'try_again');
  });
});
