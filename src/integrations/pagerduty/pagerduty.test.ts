import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { anEvent, aReply, SERVER } from '../kind/alert-event.test-support.ts';
import { readSettings } from '../registry.ts';
import { pagerDuty } from './pagerduty.ts';

const UP = anEvent({ to: 'up', reason: '' });
const KEY = anEvent().check.uniqueKey;

function sent(version: 'v1' | 'v2', event = anEvent(), region: 'us' | 'eu' = 'us') {
  const settings = { service_key: 'the-key', version, severity: 'warning', region } as const;
  const calls = pagerDuty.render(event, settings, SERVER);
  assert.ok(Array.isArray(calls));
  return { url: calls[0]?.url, event: JSON.parse(String(calls[0]?.body)) };
}

suite('PagerDuty', () => {
  test('version 1 triggers and resolves an incident by the key of the check', () => {
    const { url, event } = sent('v1');

    assert.equal(url, 'https://events.pagerduty.com/generic/2010-04-15/create_event.json');
    assert.deepEqual([event.service_key, event.incident_key, event.event_type], ['the-key', KEY, 'trigger']);
    assert.equal(event.details['Total pings'], 42);
    assert.equal(event.details.Description, 'Dumps the database.\nRunbook: wiki/backup');
    assert.match(event.client_url, /\/cloaked\//);
    const end = sent('v1', UP).event;
    assert.deepEqual([end.incident_key, end.event_type], [KEY, 'resolve']);
  });

  test('version 2 has a severity, too', () => {
    const { url, event } = sent('v2');

    assert.equal(url, 'https://events.pagerduty.com/v2/enqueue');
    assert.deepEqual([event.routing_key, event.dedup_key, event.event_action], ['the-key', KEY, 'trigger']);
    assert.equal(event.payload.severity, 'warning');
    assert.equal(event.payload.source, 'tocsin.example.org');
    assert.equal(event.payload.custom_details['Total pings'], 42);
    const end = sent('v2', UP).event;
    assert.deepEqual([end.dedup_key, end.event_action], [KEY, 'resolve']);
  });

  test('an account of the European Union is told there', () => {
    const eu = { service_key: 'k', version: 'v2', severity: 'info', region: 'eu' } as const;

    assert.equal(sent('v2', UP, 'eu').url, 'https://events.eu.pagerduty.com/v2/enqueue');
    assert.equal(
      sent('v1', UP, 'eu').url,
      'https://events.eu.pagerduty.com/generic/2010-04-15/create_event.json',
    );
    assert.equal(pagerDuty.destination(eu, 'down'), 'events.eu.pagerduty.com');
    assert.equal(pagerDuty.target(eu), 'Severity: info · EU');
    assert.ok(readSettings('pd', { service_key: 'k', region: 'mars' }) instanceof Fault);
  });

  test('a key is for version 2 unless it says otherwise, and is read without the spaces around it', () => {
    assert.deepEqual(readSettings('pd', { service_key: ' abc ' }), {
      service_key: 'abc',
      version: 'v2',
      severity: 'critical',
      region: 'us',
    });
    assert.ok(readSettings('pd', { service_key: 'x'.repeat(33) }) instanceof Fault);
    assert.ok(readSettings('pd', { service_key: 'x', severity: 'fatal' }) instanceof Fault);
  });

  test('a key that is not known switches the channel off', () => {
    for (const error of ['Invalid routing key', 'service_key is the wrong length']) {
      assert.deepEqual(
        pagerDuty.classify(aReply(400, { message: 'Event object is invalid', errors: [error] })),
        {
          kind: 'permanent',
          error: `Received status code 400 with a message: "${error}"`,
        },
      );
    }
  });

  test('an event that is not valid is given up, and too many events are sent later', () => {
    const reply = aReply(400, { message: 'Event object is invalid', errors: ['summary is missing'] });

    assert.deepEqual(pagerDuty.classify(reply), {
      kind: 'refused',
      error: 'Received status code 400 with a message: "summary is missing"',
    });
    assert.equal(pagerDuty.classify(aReply(403, 'too many')).kind, 'try_again');
    assert.equal(pagerDuty.classify(aReply(429)).kind, 'try_again');
    assert.equal(pagerDuty.classify(aReply(202, { status: 'success' })).kind, 'delivered');
  });

  test('nothing is sent where the operator has switched it off', () => {
    const settings = { service_key: 'k', version: 'v2', severity: 'critical', region: 'us' } as const;

    assert.deepEqual(pagerDuty.render(anEvent(), settings, { ...SERVER, PD_ENABLED: false }), {
      kind: 'refused',
      error: 'PagerDuty notifications are not enabled.',
    });
  });
});
