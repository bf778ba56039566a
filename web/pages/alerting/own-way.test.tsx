import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOf, type Rules, rulesOf, rulesWords, stepsOf } from './own-way.ts';

const PHONE = { uuid: 'phone', kind: 'email', label: 'Email', name: 'Phone', isOff: false };
const CHAT = { uuid: 'chat', kind: 'slack', label: 'Slack', name: '', isOff: false };
const OFFICE = { uuid: 'o', name: 'office', schedule: 'Mon..Fri 08:00', tz: 'Europe/Riga', duration: 36_000 };
const ALERTING = { channels: [PHONE, CHAT], calendars: [{ ...OFFICE, except: [] }] };

const EVERYTHING: Rules = {
  ...{ bad_runs: 2, counts: 'failed', wait: 90, hours: 'office', always_tags: 'db important' },
  ...{ again: 3_600, again_most: 12, each_failure: true, good_runs: 3, ack_lasts: 14_400 },
  // biome-ignore lint/suspicious/noThenProperty: it is the name of the rule, and its value is no function.
  then: [
    { after: 0, tell: ['chat'] },
    { after: 1_800, tell: ['phone', 'chat'] },
  ],
};

const roundTrip = (rules: Rules) => rulesOf(fieldsOf(rules), stepsOf(rules, ALERTING.channels));

test('rules become fields of the form and come back as they were', () => {
  assert.deepEqual(roundTrip(EVERYTHING), EVERYTHING);
  assert.deepEqual(roundTrip({}), {});
  assert.deepEqual(roundTrip({ again: 1_800, again_most: 48 }), { again: 1_800, again_most: 48 });
  assert.deepEqual(roundTrip({ wait: 0 }), { wait: 0 });
});

test('steps are sent in the order of their times, and integrations that are gone are left out', () => {
  const steps = [
    { minutes: 30, tell: ['phone'] },
    { minutes: 0.5, tell: ['chat'] },
  ];
  assert.deepEqual(rulesOf({}, steps).then, [
    { after: 30, tell: ['chat'] },
    { after: 1_800, tell: ['phone'] },
  ]);
  // biome-ignore lint/suspicious/noThenProperty: it is the name of the rule, and its value is no function.
  const old = { then: [{ after: 60, tell: ['gone', 'phone'] }] };
  assert.deepEqual(stepsOf(old, ALERTING.channels), [{ minutes: 1, tell: ['phone'] }]);
});

test('every rule is a sentence', () => {
  assert.deepEqual(rulesWords(EVERYTHING, ALERTING), [
    'Told after 2 failures in a row, and at once if a run is missing or too long',
    'Told only if it is still down after 1 minute, 30 seconds',
    'Told in office (Mon–Fri 08:00–18:00, Riga), and at any time with the tag db or important',
    'Repeated every 1 hour until somebody answers, at most 12 times',
    'Each further failure is told',
    'Then told: Slack at once; Phone, Slack after 30 minutes',
    'Up is told after 3 good runs in a row',
    'An acknowledgement lasts 4 hours',
  ]);
});

test('rules that change nothing are no sentence', () => {
  const nothing: Rules = { bad_runs: 1, counts: 'failed', wait: 0, again: 0, again_most: 5, good_runs: 1 };
  for (const rules of [{}, nothing]) assert.deepEqual(rulesWords(rules, ALERTING), ['Told at once']);
  assert.deepEqual(rulesWords({ bad_runs: 2, again: 300 }, ALERTING), [
    'Told after 2 bad runs in a row',
    'Repeated every 5 minutes until somebody answers, at most 48 times',
  ]);
});
