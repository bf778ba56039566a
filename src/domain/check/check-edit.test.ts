import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { type Check, newCheck } from './check.ts';
import { type CheckEdit, editCheck, editConfig } from './check-edit.ts';
import { type CheckConfig, DEFAULT_CONFIG } from './settings.ts';

/** 2024-03-01T12:00:00Z. */
const NOON = 1_709_294_400_000_000;

function checkWith(overrides: Partial<Check>): Check {
  const identity = {
    uuid: '31365bce-8da9-4729-8ff3-aaa71d56b712',
    badgeKey: '00000000-0000-4000-8000-000000000001',
    projectId: 1,
    createdAt: NOON,
  };
  return { ...newCheck(DEFAULT_CONFIG, identity), id: 1, ...overrides };
}

const cron = { kind: 'cron', expression: '0 13 * * *' } as const;

test('an empty edit changes nothing', () => {
  assert.deepEqual(editConfig(DEFAULT_CONFIG, {}), DEFAULT_CONFIG);
  assert.deepEqual(editCheck(checkWith({}), {}), checkWith({}));
});

test('an edit changes the fields that it has, and the check that it was made of stays', () => {
  const before = checkWith({ name: 'old', tags: 'kept' });

  const after = editCheck(before, { name: 'new', description: '' });

  assert.deepEqual(after, { ...before, name: 'new' });
  assert.equal(before.name, 'old');
});

test('a schedule decides the kind, and wins over a timeout sent with it', () => {
  const edited = editConfig(DEFAULT_CONFIG, { schedule: cron, timeoutSeconds: 60 });

  assert.deepEqual([edited.kind, edited.schedule, edited.timeoutSeconds], ['cron', '0 13 * * *', 86_400]);
});

test('a timeout makes a check simple, and keeps schedule and time zone for later', () => {
  const scheduled = editConfig(DEFAULT_CONFIG, { schedule: cron, tz: 'Europe/Riga' });

  const simple = editConfig(scheduled, { timeoutSeconds: 60 });

  assert.deepEqual([simple.kind, simple.timeoutSeconds], ['simple', 60]);
  assert.deepEqual([simple.schedule, simple.tz], ['0 13 * * *', 'Europe/Riga']);
});

test('a time zone alone leaves the kind as it is', () => {
  assert.deepEqual(editConfig(DEFAULT_CONFIG, { tz: 'Asia/Tokyo' }), { ...DEFAULT_CONFIG, tz: 'Asia/Tokyo' });
});

test('the older subject keywords decide on the filter, and newer fields have the last word', () => {
  const rows: [given: Partial<CheckConfig>, edit: CheckEdit, expected: [string, string, boolean]][] = [
    [{}, { subjectKeywords: 'A' }, ['A', '', true]],
    [{}, { subjectFailureKeywords: 'F' }, ['', 'F', true]],
    [{}, { subjectKeywords: '' }, ['', '', false]],
    [{}, { subjectKeywords: 'A', successKeywords: 'Z' }, ['Z', '', true]],
    [{}, { subjectKeywords: 'A', filterSubject: false }, ['A', '', false]],
    [{}, { successKeywords: 'Q' }, ['Q', '', false]],
    [{}, { subjectKeywords: '', subjectFailureKeywords: 'F' }, ['', 'F', true]],
    [{ failureKeywords: 'F' }, { subjectKeywords: '' }, ['', 'F', true]],
    [{ successKeywords: 'S', filterSubject: true }, { subjectKeywords: '' }, ['', '', false]],
    [{ successKeywords: 'S', filterSubject: true }, { subjectFailureKeywords: '' }, ['S', '', true]],
    [{ successKeywords: 'S', filterSubject: true }, {}, ['S', '', true]],
  ];

  for (const [given, edit, expected] of rows) {
    const { successKeywords, failureKeywords, filterSubject } = editConfig(
      { ...DEFAULT_CONFIG, ...given },
      edit,
    );
    assert.deepEqual(
      [successKeywords, failureKeywords, filterSubject],
      expected,
      JSON.stringify([given, edit]),
    );
  }
});

test('the deadline follows from the new timing', () => {
  const up = checkWith({ status: 'up', lastPingAt: NOON });

  assert.equal(editCheck(up, {}).deadlineAt, NOON + seconds(86_400 + 3_600));
  assert.equal(editCheck(up, { timeoutSeconds: 60, graceSeconds: 90 }).deadlineAt, NOON + seconds(150));
  assert.equal(editCheck(up, { schedule: cron }).deadlineAt, NOON + seconds(3_600 + 3_600));
  const inTokyo = editCheck(up, { schedule: cron, tz: 'Asia/Tokyo' });
  assert.equal(inTokyo.deadlineAt, NOON + seconds(16 * 3_600 + 3_600));
});

test('an edit never changes the status', () => {
  for (const status of ['new', 'up', 'down', 'paused'] as const) {
    const edited = editCheck(checkWith({ status, lastPingAt: NOON }), { timeoutSeconds: 31_536_000 });
    assert.equal(edited.status, status);
    assert.equal(edited.lastPingAt, NOON);
    assert.equal(edited.deadlineAt !== null, status === 'up', status);
  }
});
