import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type FileFault, type Located, PROVISION_LIMITS, readDocument } from './document.ts';

const { maxTokens, maxDepth, maxValues } = PROVISION_LIMITS;

function read(text: string): { document: Located | null; faults: FileFault[] } {
  const faults: FileFault[] = [];
  return { document: readDocument(text, faults), faults };
}

/** `a: [x, x, …]`, then for each further letter a list of nine aliases of the one before. */
function billionLaughs(levels: number): string {
  const letters = 'abcdefghijklmnop'.slice(0, levels).split('');
  return letters
    .map((letter, index) => {
      const item = index === 0 ? 'lol' : `*${letters[index - 1]}`;
      return `${letter}: &${letter} [${Array.from({ length: 9 }, () => item).join(', ')}]\n`;
    })
    .join('');
}

describe('a YAML document', () => {
  test('whose aliases repeat aliases is refused once it has too many values', () => {
    assert.deepEqual(read(billionLaughs(4)).faults, []);
    const { document, faults } = read(billionLaughs(12));

    assert.equal(document, null);
    assert.deepEqual(faults, [
      { line: 6, reason: `the file has more than ${maxValues} values, counting what aliases repeat` },
    ]);
  });

  test('may repeat a value as often as it likes within that', () => {
    const { document, faults } = read(`a: &a { x: 1 }\nb:\n${'  - *a\n'.repeat(1_000)}`);

    assert.deepEqual(faults, []);
    assert.ok(document?.kind === 'mapping');
    const list = document.pairs.get('b')?.value;
    assert.ok(list?.kind === 'list');
    assert.equal(list.items.length, 1_000);
    assert.deepEqual(
      list.items.slice(-1).map(({ kind, line }) => [kind, line]),
      [['mapping', 1_002]],
    );
  });

  for (const [what, text] of [
    ['lists', '['.repeat(1_000_000)],
    ['mappings', '{a: '.repeat(250_000)],
    ['compact lists', '- '.repeat(500_000)],
    ['keys', '? '.repeat(500_000)],
    ['an alias that stands for what it is in', 'a: &a [*a]'],
    ['aliases of aliases', nested(40)],
  ] as const) {
    test(`that is nested deep by ${what} is refused`, () => {
      const { document, faults } = read(text);

      assert.equal(document, null);
      assert.deepEqual(
        faults.map(({ reason }) => reason),
        [`the file is nested more than ${maxDepth} levels deep`],
      );
    });
  }

  test('may be nested as deep as the limit says', () => {
    assert.deepEqual(read(`${'['.repeat(maxDepth)}${']'.repeat(maxDepth)}`).faults, []);
  });

  test('of too many tokens is refused before it is built', () => {
    const { document, faults } = read(`[${'a,'.repeat(maxTokens / 2)}]`);

    assert.equal(document, null);
    assert.deepEqual(faults, [{ line: 1, reason: `the file has more than ${maxTokens} tokens` }]);
  });

  test('with many keys in one mapping compares each of them once', () => {
    const keys = Array.from({ length: 10_000 }, (_, n) => `k${n}: 1\n`).join('');

    assert.deepEqual(read(keys).faults, []);
    assert.deepEqual(read(`${keys}k7: 2\n`).faults, [{ line: 10_001, reason: 'Map keys must be unique' }]);
  });

  test('has numbers of any length, and infinity for those that are too large', () => {
    const { document, faults } = read(`a: ${'9'.repeat(100_000)}\nb: 1e999\nc: .inf\nd: .nan\n`);

    assert.deepEqual(faults, []);
    assert.ok(document?.kind === 'mapping');
    const values = [...document.pairs.values()].map(({ value }) => value.kind === 'plain' && value.value);
    assert.deepEqual(values, [Infinity, Infinity, Infinity, Number.NaN]);
  });

  test('has one value for an anchor that is given twice: the last before the alias', () => {
    const { document } = read('- &a 1\n- &b [*a]\n- &a 2\n- *b\n- *a\n');

    assert.ok(document?.kind === 'list');
    const [, , , list, last] = document.items;
    assert.ok(list?.kind === 'list' && list.items[0]?.kind === 'plain' && last?.kind === 'plain');
    assert.deepEqual([list.items[0].value, last.value], [1, 2]);
  });

  test('with an alias of nothing is refused', () => {
    assert.deepEqual(read('a: *b\n').faults, [{ line: 1, reason: '*b stands for nothing before it' }]);
  });

  test('that is followed by others is refused, however many there are', () => {
    assert.deepEqual(read('a: 1\n---\nb: 2\n---\nc: 3\n').faults, [
      { line: 2, reason: 'the file has a second document' },
    ]);
  });

  test('is read by the rules of YAML 1.2, whatever it says of itself', () => {
    const { document } = read('%YAML 1.1\n---\n- yes\n- 2001-01-01\n');

    assert.ok(document?.kind === 'list');
    assert.deepEqual(
      document.items.map((item) => item.kind === 'plain' && item.value),
      ['yes', '2001-01-01'],
    );
  });
});

/** Anchors that each hold the one before. */
function nested(levels: number): string {
  const lines = Array.from({ length: levels }, (_, n) => `k${n}: &k${n} [${n === 0 ? 1 : `*k${n - 1}`}]\n`);
  return lines.join('');
}
