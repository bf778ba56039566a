import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MASK } from '../integrations/registry.ts';
import { differenceLines } from './differences.ts';

test('entries have a sign each, and changed fields their values before and after', () => {
  assert.deepEqual(
    differenceLines([
      { action: 'created', what: 'check', name: 'Alpha/nightly', fields: [] },
      {
        action: 'updated',
        what: 'check',
        name: 'Alpha/heartbeat',
        fields: [
          { name: 'graceSeconds', was: 300, became: 600 },
          { name: 'tags', was: '', became: 'a b' },
        ],
      },
      { action: 'skipped', what: 'member', name: 'Alpha/a@example.org', fields: [] },
    ]),
    [
      '+ check Alpha/nightly',
      '~ check Alpha/heartbeat       grace: 300 → 600',
      '~ check Alpha/heartbeat       tags: (none) → "a b"',
      '! member Alpha/a@example.org  has no account',
    ],
  );
});

test('of settings that belong together only the changed ones are told, and secrets without their value', () => {
  const settings = (url: string) => ({ url, token: MASK, topic: 'jobs' });
  const [change] = [
    {
      action: 'updated' as const,
      what: 'integration' as const,
      name: 'Alpha/ntfy/Ops',
      fields: [
        { name: 'settings', was: settings('https://a.example'), became: settings('https://b.example') },
        { name: 'password' },
      ],
    },
  ];

  assert.deepEqual(differenceLines([change]), [
    '~ integration Alpha/ntfy/Ops  url: https://a.example → https://b.example',
    '~ integration Alpha/ntfy/Ops  token: (secret) changed',
    '~ integration Alpha/ntfy/Ops  password: (secret) changed',
  ]);
});

test('a long text is cut, and one that differs further on is told to differ', () => {
  const [line = ''] = differenceLines([
    {
      action: 'updated',
      what: 'check',
      name: 'a',
      fields: [{ name: 'description', was: 'x'.repeat(1_000), became: `${'x'.repeat(1_000)}y` }],
    },
  ]);

  assert.equal(line, '~ check a  desc: changed');
});
