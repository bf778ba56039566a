import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { anEvent, aReply, SERVER } from '../kind/alert-event.test-support.ts';
import { pagertree } from './pagertree.ts';

const HOOK = { url: 'https://hooks.example/secret' };
const UP = anEvent({ to: 'up', reason: '' });
const KEY = anEvent().check.uniqueKey;

function payloadOf(event = anEvent()) {
  const calls = pagertree.render(event, HOOK, SERVER);
  assert.ok(Array.isArray(calls));
  return JSON.parse(String(calls[0]?.body));
}

suite('PagerTree', () => {
  test('an alert is triggered and resolved under the key of the check', () => {
    const alert = payloadOf();

    assert.deepEqual([alert.incident_key, alert.event_type], [KEY, 'trigger']);
    assert.equal(alert.tags, 'prod db');
    assert.deepEqual([payloadOf(UP).incident_key, payloadOf(UP).event_type], [KEY, 'resolve']);
  });

  test('there is no line about a last ping if there was none', () => {
    assert.match(payloadOf().description, /\nLast ping: /);
    assert.doesNotMatch(payloadOf(anEvent({ ping: null })).description, /Last ping/);
  });

  test('an address that is not found is tried again', () => {
    assert.equal(pagertree.classify(aReply(404)).kind, 'try_again');
  });

  test('nothing is sent where the operator has switched it off', () => {
    assert.deepEqual(pagertree.render(anEvent(), HOOK, { PAGERTREE_ENABLED: false }), {
      kind: 'refused',
      error: 'PagerTree notifications are not enabled.',
    });
  });
});
