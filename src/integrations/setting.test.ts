import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault, flag, text } from '../lib/fields.ts';
import { readValues, type Setting } from './setting.ts';

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
