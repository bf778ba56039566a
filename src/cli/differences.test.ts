import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MASK } from '../integrations/registry.ts';
import type { FieldChange, Written } from '../services/provisioning/declaration.ts';
import { differenceLines, namedChanges } from './differences.ts';

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

test('fields with variables are shown as the file has them, and never what they were', () => {
  const change = (fields: readonly FieldChange[], written: Written) =>
    [{ action: 'updated', what: 'check', name: 'Alpha/a', fields, written }] as const;
  const linesOf = (...given: Parameters<typeof change>) =>
    differenceLines(change(...given)).map((line) => line.slice('~ check Alpha/a  '.length));

  assert.deepEqual(
    linesOf(
      [
        { name: 'description', was: 'old s3cret', became: 'new s3cret' },
        { name: 'graceSeconds', was: 60, became: 90 },
      ],
      { desc: `new \${X}` },
    ),
    [`desc: (secret) → "new \${X}"`, 'grace: 60 → 90'],
  );
  const settings = { topic: 's3cret', url: 'https://a.example', token: MASK };
  const written = { topic: `\${TOPIC}`, token: `\${TOKEN}` };
  assert.deepEqual(
    linesOf([{ name: 'settings', was: { ...settings, topic: 'older' }, became: settings }], written),
    [`topic: (secret) → \${TOPIC}`, 'token: (secret) changed'],
  );
  assert.deepEqual(
    linesOf(
      [{ name: 'settings', was: settings, became: { ...settings, url: 'https://b.example' } }],
      written,
    ),
    ['url: https://a.example → https://b.example', 'token: (secret) changed'],
  );
  const down = {
    url: 'https://s3cret.example/long/enough/to/be/cut/off/before/the/mask',
    headers: { a: MASK },
  };
  const nested = [{ name: 'settings', was: { down: { ...down, url: 'older' } }, became: { down } }];
  const asFile = { down: { url: `https://\${HOST}/`, headers: { a: 'literal' } } };
  assert.deepEqual(linesOf(nested, asFile), ['down: (secret) changed']);
  assert.deepEqual(linesOf([{ name: 'password' }], { password: `literal \${X}` }), [
    'password: (secret) changed',
  ]);
  const told = JSON.stringify([
    namedChanges(change(nested, asFile)),
    namedChanges(change([{ name: 'settings', was: settings, became: settings }], written)),
  ]);
  assert.doesNotMatch(told, /s3cret|older|literal/);
});

test('an edit that stays is told beside the text of the file', () => {
  const fields = [{ name: 'description', was: 'mine', became: 's3cret' }];

  assert.deepEqual(
    differenceLines([{ action: 'kept', what: 'check', name: 'a', fields, written: { desc: `\${X}` } }]),
    [`= check a  desc: (secret) stays, not \${X}`],
  );
});
