import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { fill, type Table } from './fill.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const OPTIONS = { seed: 20240310, numRuns: 1_000 };

const NAMES = ['NAME', 'NAME_JSON', 'TAG1', 'TAG10', 'BODY'];
const name = fc.constantFrom(...NAMES);
/** Text that is as likely as can be to be mistaken for a placeholder. */
const treacherous = fc
  .array(fc.oneof(fc.constantFrom('$', '$NAME', '_JSON', 'TAG1', '$TAG', '0', '$&'), fc.string()))
  .map((pieces) => pieces.join(''));

function tableOf(values: Readonly<Record<string, string>>): Table {
  return Object.fromEntries(NAMES.map((one) => [one, () => values[one] ?? '']));
}

suite('filling any template', () => {
  test('values are never expanded again', () => {
    const values = fc.record({
      NAME: treacherous,
      NAME_JSON: treacherous,
      TAG1: treacherous,
      TAG10: treacherous,
      BODY: treacherous,
    });
    // Between the placeholders stands what neither is nor continues one.
    const pieces = fc.array(fc.record({ name, after: fc.constantFrom(' ', '/', '-', '\n') }));
    fc.assert(
      fc.property(values, pieces, (given, parts) => {
        const template = parts.map((part) => `$${part.name}${part.after}`).join('');
        const expected = parts
          .map((part) => `${given[part.name as keyof typeof given]}${part.after}`)
          .join('');

        assert.equal(fill(template, tableOf(given), 'body'), expected);
      }),
      OPTIONS,
    );
  });

  test('text without a dollar sign is unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), treacherous, (text, value) => {
        const template = text.replaceAll('$', '');

        assert.equal(fill(template, tableOf({ NAME: value, BODY: value }), 'body'), template);
      }),
      OPTIONS,
    );
  });

  test('a template filled with the placeholders themselves is unchanged', () => {
    const itself: Table = Object.fromEntries(NAMES.map((one) => [one, () => `$${one}`]));
    fc.assert(
      fc.property(treacherous, (template) => {
        assert.equal(fill(template, itself, 'body'), template);
      }),
      OPTIONS,
    );
  });
});
