import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault, flag, text } from '../../lib/fields.ts';
import { systemRandom } from '../../lib/random.ts';
import { createVault } from '../../lib/vault.ts';
import { VAULT } from './alert-event.test-support.ts';
import { MASK, maskValues, readValues, type Setting, sealValues, unsealValues } from './setting.ts';

const TABLE = {
  name: {
    label: 'Name',
    help: 'What it is called.',
    field: text({ maxLength: 5 }),
    control: 'text',
  } satisfies Setting<string>,
  token: { label: 'Token', field: text(), control: 'text', secret: true } satisfies Setting<string>,
  isLoud: { label: 'Loud', field: flag('Loud.'), control: 'flag', default: false } satisfies Setting<boolean>,
  note: { label: 'Note', field: text(), control: 'text', default: null, secret: true } satisfies Setting<
    string | null
  >,
};

suite('a table of settings', () => {
  test('reads what is given and fills in what is not', () => {
    assert.deepEqual(readValues(TABLE, { name: 'a', token: 't', other: 1 }), {
      name: 'a',
      token: 't',
      isLoud: false,
      note: null,
    });
    assert.deepEqual(readValues(TABLE, { name: 'a', token: 't', isLoud: true, note: null }), {
      name: 'a',
      token: 't',
      isLoud: true,
      note: null,
    });
  });

  const faults: [source: Record<string, unknown>, reason: string][] = [
    [{ token: 't' }, 'name is missing'],
    [{ name: null, token: 't' }, 'name is not a string'],
    [{ name: 'abcdef', token: 't' }, 'name is too long'],
    [{ name: 'a', token: 't', isLoud: 1 }, 'isLoud is not a boolean'],
  ];
  for (const [source, reason] of faults) {
    test(`says what is wrong: ${reason}`, () => {
      const fault = readValues(TABLE, source);

      assert.ok(fault instanceof Fault);
      assert.equal(fault.reason, reason);
    });
  }
});

suite('stored settings', () => {
  const VALUES = { name: 'a', token: 'very secret', isLoud: false, note: null };

  test('have their secrets sealed, and nothing else', () => {
    const stored = sealValues(TABLE, VALUES, VAULT);

    assert.deepEqual(stored.open, { name: 'a', isLoud: false, note: null });
    assert.ok(!JSON.stringify(stored).includes('very secret'));
    assert.deepEqual(unsealValues(stored, VAULT), VALUES);
  });

  test('without secrets have nothing sealed', () => {
    assert.equal(sealValues(TABLE, { name: 'a', note: null }, VAULT).sealed, null);
  });

  test('that look like sealed ones are sealed like any others', () => {
    const { sealed } = sealValues(TABLE, VALUES, VAULT);
    for (const token of [sealed, JSON.stringify({ sealed }), MASK, '']) {
      const values = { ...VALUES, token };

      const stored = sealValues(TABLE, values, VAULT);

      assert.deepEqual(Object.keys(stored.open as object), ['name', 'isLoud', 'note']);
      assert.deepEqual(unsealValues(stored, VAULT), values);
    }
  });

  test('that were sealed under another secret are a fault, not a wrong value', () => {
    const sealed = sealValues(TABLE, { token: 't' }, createVault('another secret', systemRandom));

    const fault = unsealValues(sealed, VAULT);

    assert.ok(fault instanceof Fault);
    assert.equal(fault.reason, 'sealed under another SECRET_KEY');
  });

  test('are shown with their secrets masked', () => {
    assert.deepEqual(maskValues(TABLE, VALUES), { name: 'a', token: MASK, isLoud: false, note: null });
  });
});
