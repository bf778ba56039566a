import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault, flag, text } from '../lib/fields.ts';
import { systemRandom } from '../lib/random.ts';
import { createVault } from '../lib/vault.ts';
import {
  formOf,
  maskValues,
  readValues,
  type Setting,
  schemaOf,
  sealValues,
  unsealValues,
} from './setting.ts';

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

const vault = createVault('a secret of this test', systemRandom);

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

  test('seals secrets, and nothing else, and only once', () => {
    const values = { name: 'a', token: 'very secret', isLoud: false, note: null };

    const sealed = sealValues(TABLE, values, vault);

    assert.ok(!JSON.stringify(sealed).includes('very secret'));
    assert.deepEqual({ ...sealed, token: null }, { ...values, token: null });
    assert.deepEqual(sealValues(TABLE, sealed, vault), sealed);
    assert.deepEqual(unsealValues(sealed, vault), values);
  });

  test('what was sealed under another secret is a fault, not a wrong value', () => {
    const sealed = sealValues(TABLE, { token: 't' }, createVault('another secret', systemRandom));

    const fault = unsealValues(sealed, vault);

    assert.ok(fault instanceof Fault);
    assert.equal(fault.reason, 'token was sealed under another SECRET_KEY');
  });

  test('masks secrets that are there', () => {
    const shown = maskValues(TABLE, { name: 'a', token: 'very secret', isLoud: true, note: null });

    assert.deepEqual(shown, { name: 'a', token: '••••••••', isLoud: true, note: null });
  });

  test('describes itself to the API reference and to forms', () => {
    assert.deepEqual(schemaOf(TABLE), {
      type: 'object',
      properties: {
        name: { title: 'Name', description: 'What it is called.', type: 'string', maxLength: 5 },
        token: { title: 'Token', type: 'string', writeOnly: true },
        isLoud: { title: 'Loud', type: 'boolean', description: 'Loud.' },
        note: { title: 'Note', type: 'string', writeOnly: true },
      },
      required: ['name', 'token'],
      additionalProperties: false,
    });
    assert.deepEqual(formOf(TABLE)[1], {
      name: 'token',
      label: 'Token',
      help: '',
      control: 'text',
      required: true,
      secret: true,
      default: null,
      choices: [],
    });
  });
});
