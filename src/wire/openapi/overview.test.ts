import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overview } from './overview.ts';

const OPTIONS = {
  rateLimitPerMinute: 100,
  rateBurst: 5_000,
  v3Flips: 'array',
  accountLimits: { checks: 37, pings: 4_321 },
  pingBodyLimit: 77,
} as const;

const rowOf = (limit: string, text: string) =>
  text.split('\n').find((line) => line.startsWith(`| ${limit} |`));

test('the introduction of the reference has the limits that are in force', () => {
  const text = overview(OPTIONS);

  assert.match(rowOf('Checks of an account', text) ?? '', /\| 37, unless /);
  assert.match(rowOf('Pings kept of a check', text) ?? '', /\| the last 4321, unless /);
  assert.match(rowOf('Body of a ping kept', text) ?? '', /\| its first 77 bytes \|/);
  assert.doesNotMatch(text, /free accounts|paid/);
});

test('the introduction of the reference tells how much of a body is kept where nothing limits it', () => {
  assert.match(
    rowOf('Body of a ping kept', overview({ ...OPTIONS, pingBodyLimit: null })) ?? '',
    /\| its first 10 MiB \|/,
  );
});
