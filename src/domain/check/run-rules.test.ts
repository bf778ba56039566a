import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../lib/fields.ts';
import { seconds } from '../../lib/instant.ts';
import { editConfig } from './check-edit.ts';
import { exitMapFault, exitMeaning, parseExitMap } from './exit-map.ts';
import { areUnknownRules, editRules, NO_RULES, rulesOf, runRulesField, storedRules } from './run-rules.ts';
import { DEFAULT_CONFIG } from './settings.ts';

function read(value: unknown) {
  const rules = runRulesField.read(value, 'run_rules');
  return rules instanceof Fault ? rules.reason : rules;
}

test('rules are merged by name, and null removes one or all', () => {
  const one = editRules('', { end_within: 900, begin_within: 300 });
  assert.equal(one, '{"begin_within":300,"end_within":900}');
  assert.equal(editRules(one, { end_within: null, early: 60 }), '{"begin_within":300,"early":60}');
  assert.equal(editRules(one, { begin_within: null, end_within: null }), '');
  const none = runRulesField.read(null, 'run_rules');
  assert.ok(!(none instanceof Fault));
  assert.equal(editRules(one, none), '');
});

test('rules that are wrong are refused with what is wrong', () => {
  for (const [value, reason] of [
    [5, 'run_rules is not an object'],
    [[], 'run_rules is not an object'],
    [{ begin_within: 59 }, 'run_rules.begin_within is too small'],
    [{ begin_within: 2_592_001 }, 'run_rules.begin_within is too large'],
    [{ begin_within: '60' }, 'run_rules.begin_within is not a number'],
    [{ end_within: 1 }, 'run_rules.end_within is too small'],
    [{ early: 43_201 }, 'run_rules.early is too large'],
    [{ min_run_time: 0 }, 'run_rules.min_run_time is too small'],
    [{ on_short: 'ring' }, 'run_rules.on_short has unexpected value'],
    [{ exit_map: '1=bad' }, 'run_rules.exit_map: "1=bad" does not end in =ok, =warn or =fail'],
    [{ exit_map: '256=ok' }, 'run_rules.exit_map: "256" is above 255'],
    [{ exit_map: 'x'.repeat(201) }, 'run_rules.exit_map is too long'],
    [{ nonsense: 1 }, 'run_rules has an unknown key "nonsense"'],
    [{ nonsense: null }, 'run_rules has an unknown key "nonsense"'],
    [{ numbers: {} }, 'run_rules.numbers is not an array'],
    [{ numbers: [{ name: '1st' }] }, 'run_rules.numbers.name does not match pattern'],
    [{ numbers: [{ min: 1 }] }, "an item in 'numbers' has no name"],
    [{ numbers: [{ name: 'a', min: 2, max: 1 }] }, 'run_rules.numbers: min of a is above its max'],
    [{ numbers: [{ name: 'a' }, { name: 'a' }] }, 'run_rules.numbers has a twice'],
    [
      { numbers: Array.from({ length: 11 }, (_, n) => ({ name: `n${n}` })) },
      'run_rules.numbers has more than 10 items',
    ],
  ] as const)
    assert.equal(read(value), reason, JSON.stringify(value));
});

test('a run cannot be shorter than its shortest time and end within a limit that is not longer', () => {
  const config = { ...DEFAULT_CONFIG, runRules: '{"end_within":60}' };

  assert.throws(() => editConfig(config, { runRules: { min_run_time: 60 } }), {
    code: 'invalid_field',
    message: 'json validation error: run_rules.min_run_time is not below run_rules.end_within',
  });
  assert.equal(
    editConfig(config, { runRules: { min_run_time: 60, end_within: 0 } }).runRules,
    '{"end_within":0,"min_run_time":60}',
  );
});

test('no rules, and rules of a newer version, are none', () => {
  assert.equal(rulesOf({ runRules: '' }), NO_RULES);
  for (const unknown of ['{"soon": 1}', 'nonsense', '[]', '{"early": "soon"}']) {
    assert.equal(rulesOf({ runRules: unknown }), NO_RULES);
    assert.equal(areUnknownRules(unknown), true);
    assert.deepEqual(storedRules(unknown), {});
  }
  assert.equal(areUnknownRules('{"end_within":60}'), false);
});

test('the same text is read once', () => {
  const runRules = '{"begin_within":300,"end_within":0}';
  assert.equal(rulesOf({ runRules }), rulesOf({ runRules }));
  assert.deepEqual(
    [rulesOf({ runRules }).beginWithin, rulesOf({ runRules }).endWithin],
    [seconds(300), Number.POSITIVE_INFINITY],
  );
});

test('the first term that fits an exit status says what it means', () => {
  const map = parseExitMap('0,2-4=ok 24=warn 20-30=fail *=warn');
  const meanings = [0, 1, 2, 4, 5, 24, 25, 255].map((status) => exitMeaning(map, status));
  assert.deepEqual(meanings, ['ok', 'warn', 'ok', 'ok', 'warn', 'warn', 'fail', 'warn']);
});

test('an exit status that no term fits means what it usually means', () => {
  const map = parseExitMap('24=warn');
  assert.deepEqual(
    [0, 24, 1].map((status) => exitMeaning(map, status)),
    ['ok', 'warn', 'fail'],
  );
});

test('a text that is no map is refused with the term', () => {
  for (const [text, fault] of [
    ['', 'it is empty'],
    ['0', '"0" does not end in =ok, =warn or =fail'],
    ['0=ok=ok', '"0=ok=ok" does not end in =ok, =warn or =fail'],
    ['4-2=ok', '"4-2" ends before it begins'],
    ['0,=ok', '"" is no exit status'],
    ['-1=ok', '"-1" is no exit status'],
    ['0-999=ok', '"0-999" is above 255'],
    [`${Array.from({ length: 33 }, (_, n) => n).join(',')}=ok`, 'it has more than 32 terms'],
  ] as const)
    assert.equal(exitMapFault(text), fault, text);
});

test('whatever a map consists of, the first term for a status says what it means', () => {
  const status = fc.integer({ min: 0, max: 255 });
  const term = fc.oneof(
    status.map((one) => ({ text: `${one}`, from: one, to: one })),
    fc.tuple(status, status).map(([one, other]) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      return { text: `${from}-${to}`, from, to };
    }),
    fc.constant({ text: '*', from: 0, to: 255 }),
  );
  const group = fc.record({
    terms: fc.array(term, { minLength: 1, maxLength: 4 }),
    word: fc.constantFrom('ok', 'warn', 'fail'),
  });
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 8 }), status, (groups, asked) => {
      const text = groups.map(({ terms, word }) => `${terms.map((one) => one.text).join(',')}=${word}`);
      const map = parseExitMap(text.join(' '));
      const first = groups.find(({ terms }) => terms.some(({ from, to }) => from <= asked && asked <= to));
      assert.equal(exitMeaning(map, asked), first?.word ?? (asked === 0 ? 'ok' : 'fail'));
    }),
    { seed: 20240301 },
  );
});
