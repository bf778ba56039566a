import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { aCheck, anEvent, anEventWithBody, aReply, SERVER } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { MASK, readSettings, unmaskedSettings } from '../registry.ts';
import { zulip } from './zulip.ts';

const GIVEN = { bot_email: 'bot@zulip.example.org', api_key: 'secret', mtype: 'stream', to: 'ops' };

function requestOf(event: AlertEvent, given: object = {}) {
  const settings = readSettings('zulip', { ...GIVEN, ...given });
  assert.ok(!(settings instanceof Fault), JSON.stringify(settings));
  const calls = zulip.render(event, settings as Parameters<typeof zulip.render>[1], SERVER);
  assert.ok(Array.isArray(calls));
  const [{ url, headers, body }] = calls;
  return { url, headers, form: Object.fromEntries(new URLSearchParams(String(body))) };
}

suite('Zulip', () => {
  test('a message is a form, sent with the credentials of the bot', () => {
    const { url, headers, form } = requestOf(anEvent(), { site: 'https://chat.example.org/' });

    assert.equal(url, 'https://chat.example.org/api/v1/messages');
    assert.equal(headers.Authorization, `Basic ${btoa('bot@zulip.example.org:secret')}`);
    assert.equal(headers['Content-Type'], 'application/x-www-form-urlencoded');
    assert.deepEqual([form.type, form.to], ['stream', 'ops']);
  });

  test('without an address, the server is the domain of the bot', () => {
    assert.equal(requestOf(anEvent()).url, 'https://zulip.example.org/api/v1/messages');
  });

  test('a person is told by a number or an address', () => {
    assert.equal(requestOf(anEvent(), { mtype: 'private', to: '12345' }).form.to, '[12345]');
    assert.equal(requestOf(anEvent(), { mtype: 'private', to: 'a@example.org' }).form.to, 'a@example.org');
    assert.equal(
      requestOf(anEvent(), { to: '12345' }).form.to,
      '12345',
      'a channel may have a number as a name',
    );
  });

  test('messages about one check share a topic, or all of them the chosen one', () => {
    assert.equal(requestOf(anEvent()).form.topic, 'Nightly backup');
    assert.equal(requestOf(anEvent({ to: 'up', reason: '' })).form.topic, 'Nightly backup');
    assert.equal(requestOf(anEvent(), { topic: 'alerts' }).form.topic, 'alerts');
    assert.equal(requestOf(anEvent({ check: aCheck({ name: 'x'.repeat(100) }) })).form.topic?.length, 60);
  });

  test('text is no markup, and calls nobody', () => {
    const check = aCheck({ name: '@**all**', description: '[a](b) &lt;' });

    const { content = '' } = requestOf(anEvent({ check })).form;

    assert.doesNotMatch(content, /@\*/);
    assert.match(content, /^🔴 \[@\S*all\S*\]\(https:/);
    assert.match(content, /&#91;a&#93;\(b\) &#38;lt;/);
  });

  test('a message is not longer than Zulip takes', () => {
    const check = aCheck({ description: '*'.repeat(5000), tags: 'a '.repeat(250) });

    const { content = '' } = requestOf({ ...anEventWithBody('x\n'.repeat(5000)), check }).form;

    assert.ok(content.length <= 10_000);
  });

  test('a bot that is gone switches the channel off, any other refusal is worth another try', () => {
    const invalid = { result: 'error', msg: 'Invalid API key', code: 'INVALID_API_KEY' };
    assert.deepEqual(zulip.classify(aReply(401, invalid)), {
      kind: 'permanent',
      error: 'Received status code 401 with a message: "Invalid API key"',
    });
    assert.deepEqual(zulip.classify(aReply(400, { msg: "Channel 'ops' does not exist" })), {
      kind: 'try_again',
      error: `Received status code 400 with a message: "Channel 'ops' does not exist"`,
      afterSeconds: null,
    });
    assert.deepEqual(zulip.classify(aReply(429, { msg: 'slow down' }, { 'retry-after': '2.6' })), {
      kind: 'try_again',
      error: 'Received status code 429 with a message: "slow down"',
      afterSeconds: 3,
    });
  });

  const faults: [given: object, reason: string][] = [
    [{ bot_email: 'nobody' }, 'bot_email is not a valid e-mail address'],
    [{ api_key: undefined }, 'api_key is missing'],
    [{ api_key: 'x'.repeat(51) }, 'api_key is too long'],
    [{ site: 'ftp://example.org' }, 'site is not a valid http or https URL'],
    [{ mtype: 'huddle' }, 'mtype has unexpected value'],
    [{ to: undefined }, 'to is missing'],
    [{ to: ' ' }, 'to does not match pattern'],
    [{ to: 'x'.repeat(101) }, 'to is too long'],
    [{ topic: 'x'.repeat(101) }, 'topic is too long'],
  ];
  for (const [given, reason] of faults) {
    test(`refused: ${reason}`, () => {
      const values = readSettings('zulip', { ...GIVEN, site: 'https://zulip.example.org', ...given });

      assert.ok(values instanceof Fault);
      assert.equal(values.reason, reason);
    });
  }

  test('the key of the bot is not sent to another server, unless it is given again', () => {
    const stored = { ...GIVEN, site: 'https://zulip.example.org' };
    const elsewhere = { site: 'https://evil.example' };

    for (const given of [elsewhere, { ...elsewhere, api_key: MASK }]) {
      const fault = unmaskedSettings('zulip', given, stored);
      assert.ok(fault instanceof Fault);
      assert.match(fault.reason, /^api_key .* give/);
    }
    assert.ok(!(unmaskedSettings('zulip', { ...elsewhere, api_key: 'new' }, stored) instanceof Fault));
    assert.ok(!(unmaskedSettings('zulip', { to: 'dev', api_key: MASK }, stored) instanceof Fault));
  });

  test('nothing is sent where the operator has switched it off', () => {
    const settings = zulip.example as Parameters<typeof zulip.render>[1];

    assert.deepEqual(zulip.render(anEvent(), settings, { ZULIP_ENABLED: false }), {
      kind: 'refused',
      error: 'Zulip notifications are not enabled.',
    });
  });
});
