import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fill, type Table } from './fill.ts';

const TABLE: Table = {
  NAME: () => 'x',
  NAME_JSON: () => '"x"',
  TAG1: () => 'one',
  TAG12: () => 'twelve',
  BODY: (mode) => (mode === 'body' ? 'text' : null),
  EMPTY: () => '',
};

suite('filling a template', () => {
  const rows: [template: string, filled: string][] = [
    ['', ''],
    ['no placeholder', 'no placeholder'],
    ['$NAME is $NAME', 'x is x'],
    ['$NAME_JSON $NAME_', '"x" x_'],
    ['$NAMESPACE', 'xSPACE'],
    ['$name $Name', '$name $Name'],
    ['$TAG1 $TAG12 $TAG1x', 'one twelve onex'],
    ['$TAG10 $TAG123 $TAG2', '$TAG10 $TAG123 $TAG2'],
    ['$', '$'],
    ['$$NAME', '$x'],
    ['$$$', '$$$'],
    ['$EMPTY$NAME', 'x'],
    ['$$EMPTYNAME', '$NAME'],
    ['$toString $__proto__ $constructor', '$toString $__proto__ $constructor'],
  ];
  for (const [template, filled] of rows) {
    test(`"${template}" becomes "${filled}"`, () => {
      assert.equal(fill(template, TABLE, 'body'), filled);
    });
  }

  test('what is not for a place stays as it is written there', () => {
    assert.equal(fill('$BODY', TABLE, 'url'), '$BODY');
    assert.equal(fill('$BODY', TABLE, 'body'), 'text');
  });

  test('patterns of replacement in a value mean nothing', () => {
    assert.equal(fill('<$NAME>', { NAME: () => "$& $1 $$ $' $`" }, 'body'), "<$& $1 $$ $' $`>");
  });

  test('an empty table changes nothing', () => {
    assert.equal(fill('$NAME', {}, 'body'), '$NAME');
  });
});
