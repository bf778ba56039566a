import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { aCheck, anEvent } from '../kind/alert-event.test-support.ts';
import { readSettings } from '../registry.ts';
import { homeAssistant } from './homeassistant.ts';

const KEY = anEvent().check.uniqueKey;
const UP = anEvent({ to: 'up', reason: '' });

function sent(action: string, event = anEvent()) {
  const calls = homeAssistant.render(event, { url: 'http://home.example:8123', token: 'long', action }, {});
  assert.ok(Array.isArray(calls));
  const [call] = calls;
  return { url: call.url, headers: call.headers, data: JSON.parse(String(call.body)) };
}

suite('Home Assistant', () => {
  test('an action is called with a token', () => {
    const { url, headers } = sent('persistent_notification.create');

    assert.equal(url, 'http://home.example:8123/api/services/persistent_notification/create');
    assert.equal(headers.Authorization, 'Bearer long');
  });

  test('a notification takes the place of the one before about the same check', () => {
    for (const event of [anEvent(), UP]) {
      assert.equal(sent('persistent_notification.create', event).data.notification_id, KEY);
      assert.equal(sent('notify.mobile_app_phone', event).data.data.tag, KEY);
    }
  });

  test('other actions get what all of them take', () => {
    assert.deepEqual(Object.keys(sent('notify.family').data), ['title', 'message']);
  });

  test('nothing in a name is taken for a template', () => {
    const event = anEvent({ check: aCheck({ name: "{{ states('x') }} {% raw %} {# note #} {{{" }) });
    for (const action of ['persistent_notification.create', 'notify.family']) {
      const { data } = sent(action, event);

      assert.doesNotMatch(`${data.title} ${data.message}`, /\{[{%#]/);
    }
  });

  for (const action of ['notify', 'notify/phone', 'notify.', '../x.y', 'Notify.Phone']) {
    test(`"${action}" is no action`, () => {
      const values = readSettings('homeassistant', { url: 'https://h.example', token: 't', action });

      assert.ok(values instanceof Fault && values.reason.startsWith('action'));
    });
  }
});
