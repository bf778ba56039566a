import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyRules } from './rules.ts';
import { firstWay, namedWay, PRESET_NAMES, wayOf, withNext, withSeconds } from './ways.ts';

const stored = (name: string, rules: object) => ({ name, rules: policyRules(JSON.stringify(rules)) });

test('a known way needs no policy to be made, and stands for the one that the project has', () => {
  for (const preset of PRESET_NAMES.filter((name) => name !== 'then-next')) {
    const way = firstWay(preset, []);

    assert.deepEqual(namedWay(way, []), { name: preset, rules: null });
    assert.deepEqual(wayOf(stored(preset, way.rules)), way);
  }
});

test('other minutes are a policy of another name, which is found again', () => {
  const hourly = withSeconds(firstWay('keep-reminding', []), 3_600);
  const rules = { again: 3_600, again_most: 48 };

  assert.deepEqual(namedWay(hourly, []), { name: 'keep-reminding-60', rules });
  const made = stored('keep-reminding-60', rules);
  assert.deepEqual(wayOf(made), hourly);
  assert.deepEqual(namedWay(hourly, [made]), { name: 'keep-reminding-60', rules: null });
  const taken = stored('keep-reminding-60', { wait: 60 });
  assert.deepEqual(namedWay(hourly, [taken]), { name: 'keep-reminding-60-2', rules });
});

test('minutes that the project has given the plain name are proposed, and the usual ones get a name of their own', () => {
  const slow = stored('patient', { wait: 3_600 });

  assert.deepEqual(firstWay('patient', [slow]), { preset: 'patient', rules: { wait: 3_600 } });
  assert.deepEqual(namedWay({ preset: 'patient', rules: { wait: 900 } }, [slow]), {
    name: 'patient-15',
    rules: { wait: 900 },
  });
});

test('whom to tell next is always made, and two that are told after the same time have names of their own', () => {
  const [phone, boss] = ['phone', 'boss'].map((uuid) => withNext(firstWay('then-next', []), [uuid]));
  assert.ok(phone !== undefined && boss !== undefined);
  const first = namedWay(phone, []);
  assert.deepEqual(first, { name: 'then-next', rules: phone.rules });
  const known = [stored('then-next', phone.rules)];

  assert.deepEqual(namedWay(boss, known), { name: 'then-next-15', rules: boss.rules });
  assert.equal(namedWay(phone, known).rules, null);
});

test('a policy with further rules, or with several steps, is one of its own', () => {
  const step = { after: 900, tell: ['a'] };

  assert.equal(wayOf(stored('patient', { wait: 900, good_runs: 2 })), null);
  // biome-ignore lint/suspicious/noThenProperty: it is the name of the rule, and its value is no function.
  assert.equal(wayOf(stored('then-next', { then: [step, step] })), null);
  assert.equal(wayOf(stored('twice', { bad_runs: 3 })), null);
  assert.equal(wayOf(stored('night', { wait: 900 })), null);
});
