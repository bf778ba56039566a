import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { anEvent, aReply, SERVER } from '../kind/alert-event.test-support.ts';
import { spike } from './spike.ts';

const HOOK = { url: 'https://hooks.example/secret' };
const UP = anEvent({ to: 'up', reason: '' });
const KEY = anEvent().check.uniqueKey;

function payloadOf(event = anEvent()) {
  const calls = spike.render(event, HOOK, SERVER);
  assert.ok(Array.isArray(calls));
  return JSON.parse(String(calls[0]?.body));
}

suite('Spike.sh', () => {
  test('an incident is opened and ended under the key of the check', () => {
    assert.deepEqual(Object.keys(payloadOf()), ['check_id', 'title', 'message', 'status']);
    assert.deepEqual([payloadOf().check_id, payloadOf().status], [KEY, 'down']);
    assert.deepEqual([payloadOf(UP).check_id, payloadOf(UP).status], [KEY, 'up']);
  });

  test('an address that is not found is tried again', () => {
    assert.equal(spike.classify(aReply(404)).kind, 'try_again');
  });

  test('nothing is sent where the operator has switched it off', () => {
    assert.deepEqual(spike.render(anEvent(), HOOK, { SPIKE_ENABLED: false }), {
      kind: 'refused',
      error: 'Spike notifications are not enabled.',
    });
  });
});
