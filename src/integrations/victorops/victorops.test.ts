import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { anEvent, aReply, SERVER } from '../kind/alert-event.test-support.ts';
import { victorops } from './victorops.ts';

const HOOK = { url: 'https://hooks.example/secret' };
const UP = anEvent({ to: 'up', reason: '' });
const KEY = anEvent().check.uniqueKey;

function payloadOf(event = anEvent()) {
  const calls = victorops.render(event, HOOK, SERVER);
  assert.ok(Array.isArray(calls));
  return JSON.parse(String(calls[0]?.body));
}

suite('Splunk On-Call', () => {
  test('an incident is opened and ended under the key of the check', () => {
    const alert = payloadOf();

    assert.deepEqual([alert.entity_id, alert.message_type], [KEY, 'CRITICAL']);
    assert.equal(alert.entity_display_name, 'Nightly backup');
    assert.equal(alert.monitoring_tool, 'Tocsin');
    assert.deepEqual([payloadOf(UP).entity_id, payloadOf(UP).message_type], [KEY, 'RECOVERY']);
  });

  test('an address that is gone switches the channel off', () => {
    assert.deepEqual(victorops.classify(aReply(404)), {
      kind: 'permanent',
      error: 'Received status code 404',
    });
  });

  test('a failure under 200 is one', () => {
    assert.deepEqual(victorops.classify(aReply(200, { result: 'failure', message: 'no such key' })), {
      kind: 'try_again',
      error: 'Received status code 200 with a message: "no such key"',
      afterSeconds: null,
    });
    assert.equal(victorops.classify(aReply(200, { result: 'success' })).kind, 'delivered');
  });

  test('nothing is sent where the operator has switched it off', () => {
    assert.deepEqual(victorops.render(anEvent(), HOOK, { VICTOROPS_ENABLED: false }), {
      kind: 'refused',
      error: 'Splunk On-Call notifications are not enabled.',
    });
  });
});
