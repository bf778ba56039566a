import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { seconds } from '../../lib/instant.ts';
import { AT_ONCE } from './policy.ts';
import { chosenPolicy } from './presets.ts';
import { editPolicyRules, parsePolicy, presetRules, readRules } from './rules.ts';

function read(given: Record<string, unknown>) {
  const rules = readRules(given);
  return rules instanceof Fault ? rules.reason : rules;
}

const step = (after: unknown, tell: unknown) => ({ after, tell });
const steps = (...list: unknown[]) => Object.fromEntries([['then', list]]);

test('rules that are wrong are refused with the field', () => {
  for (const [given, reason] of [
    [{ again: 299 }, 'policy.again is too small'],
    [{ again: '600' }, 'policy.again is not a number'],
    [{ bad_runs: 21 }, 'policy.bad_runs is too large'],
    [{ bad_runs: 0 }, 'policy.bad_runs is too small'],
    [{ counts: 'some' }, 'policy.counts has unexpected value'],
    [{ each_failure: 1 }, 'policy.each_failure is not a boolean'],
    [{ good_runs: '2' }, 'policy.good_runs is not a number'],
    [{ ack_lasts: 299 }, 'policy.ack_lasts is too small'],
    [{ ack_lasts: 604_801 }, 'policy.ack_lasts is too large'],
    [{ wait: 59 }, 'policy.wait is too small'],
    [{ wait: 86_401 }, 'policy.wait is too large'],
    [{ again_most: 0 }, 'policy.again_most is too small'],
    [{ agian: 600 }, 'policy has an unknown key "agian"'],
    [{ agian: null }, 'policy has an unknown key "agian"'],
    [steps(step(0, [])), 'policy.then.tell is empty'],
    [steps({ after: 0 }), "an item in 'then' has no tell"],
    [steps(step(900, ['a']), step(60, ['b'])), 'policy.then: the times of its items do not ascend'],
    [steps(...Array.from({ length: 11 }, () => step(0, ['a']))), 'policy.then has more than 10 items'],
  ] as const)
    assert.equal(read(given), reason);
});

test('rules are merged by name, null removes one, and 0 is none', () => {
  const stored = editPolicyRules('{}', { again: 600, wait: 0 });
  assert.equal(stored, '{"wait":0,"again":600}');
  assert.equal(editPolicyRules(stored, { again: null, again_most: 3 }), '{"wait":0,"again_most":3}');
  assert.deepEqual(parsePolicy(stored), { ...AT_ONCE, again: seconds(600) });
});

test('what a newer version wrote, or what is no JSON, is no policy', () => {
  for (const stored of ['{"again":600,"newer":1}', '{"again":"often"}', '[]', 'x', 'null'])
    assert.equal(parsePolicy(stored), null, stored);
});

test('a new name leaves what a newer version wrote as it is', () => {
  const stored = '{"again":600,"newer":1}';
  assert.equal(editPolicyRules(stored, {}), stored);
});

test('everybody knows some policies by name', () => {
  assert.deepEqual(presetRules('twice'), { bad_runs: 2 });
  assert.deepEqual(presetRules('patient'), { wait: 900 });
  assert.deepEqual(presetRules('keep-reminding'), { again: 1800, again_most: 48 });
  for (const name of ['at-once', 'night', 'toString', '']) assert.equal(presetRules(name), null, name);
});

test("the check's own policy counts, else that of the first tag in the list that it has, else the project's", () => {
  const listed = [
    { tag: 'db', policy: 'one' },
    { tag: 'silent', policy: '' },
    { tag: 'web', policy: 'two' },
    { tag: 'urgent', policy: 'at-once' },
  ];
  const chosen = (policy: string, tags: string[], ofProject: string | null) => {
    const { name, because } = chosenPolicy({ policy, tags }, listed, ofProject);
    return `${name} from ${because}`;
  };
  assert.equal(chosen('own', ['web', 'db'], 'three'), 'own from check');
  assert.equal(chosen('at-once', ['web', 'db'], 'three'), 'at-once from check');
  assert.equal(chosen('', ['web', 'db'], 'three'), 'one from tag db');
  assert.equal(chosen('', ['silent', 'web'], 'three'), 'two from tag web');
  assert.equal(chosen('', ['urgent'], 'three'), 'at-once from tag urgent');
  assert.equal(chosen('', ['mail'], 'three'), 'three from project');
  assert.equal(chosen('', [], null), 'at-once from default');
});
