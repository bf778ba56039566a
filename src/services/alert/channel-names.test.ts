import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VAULT } from '../../integrations/kind/alert-event.test-support.ts';
import { type ChannelKind, storedSettings } from '../../integrations/registry.ts';
import { calledName, publicName } from './channel-names.ts';

test('whoever reads an alert sees names, kinds and addresses of mail, and nothing else of who is told', () => {
  const channels: [kind: ChannelKind, settings: object, name: string, called: string, told: string][] = [
    ['email', { email: 'ops@example.org' }, '', 'ops@example.org', 'ops@example.org'],
    ['email', { email: 'ops@example.org' }, 'Ops', 'Ops', 'Ops'],
    ['sms', { phone: '+37122223333' }, '', 'SMS +37122223333', 'SMS'],
    ['pd', { service_key: 'a'.repeat(32) }, '', 'PagerDuty Severity: critical', 'PagerDuty'],
  ];
  for (const [kind, settings, name, called, told] of channels) {
    const channel = { kind, name, settings: storedSettings(kind, { ...settings }, VAULT) };
    assert.deepEqual([calledName(channel, VAULT), publicName(channel, VAULT)], [called, told]);
  }
});
