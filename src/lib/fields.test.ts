import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type Field, flag, integer, oneOf, readFields, refined, someOf, text } from './fields.ts';

/** The value read by a field called `x`, or the reason why not. */
function read(field: Field<unknown>, value: unknown): unknown {
  const result = field.read(value, 'x');
  return result instanceof Fault ? { fault: result.reason } : result;
}

const NO_VALUES = [undefined, null, [], {}];

test('a text is taken as it is', () => {
  for (const value of ['', ' a ', '\n', '日本', '😀']) assert.equal(read(text(), value), value);
});

test('what is no text, or cannot be stored, is no string', () => {
  for (const value of [...NO_VALUES, 0, false, 'a\0', '\ud800', '\udc00', '\udc00\ud800']) {
    assert.deepEqual(read(text(), value), { fault: 'x is not a string' }, JSON.stringify(value));
  }
});

test('the length of a text counts characters, not their halves', () => {
  const short = text({ maxLength: 3 });

  for (const value of ['', 'abc', '😀😀😀', 'a😀b']) assert.equal(read(short, value), value);
  for (const value of ['abcd', '😀😀😀😀', 'abc😀', 'a😀bc', 'abcdefgh']) {
    assert.deepEqual(read(short, value), { fault: 'x is too long' }, value);
  }
});

test('the pattern of a text is looked at after its length', () => {
  const digits = text({ maxLength: 2, pattern: /^[0-9]*$/ });

  assert.equal(read(digits, '12'), '12');
  assert.deepEqual(read(digits, 'a'), { fault: 'x does not match pattern' });
  assert.deepEqual(read(digits, '1\n'), { fault: 'x does not match pattern' });
  assert.deepEqual(read(digits, 'abc'), { fault: 'x is too long' });
});

test('a refined text is what it means, or has no meaning', () => {
  const even = refined(text({ maxLength: 3 }), 'even number', (value) =>
    Number(value) % 2 === 0 ? Number(value) : null,
  );

  assert.equal(read(even, '42'), 42);
  assert.equal(read(even, '0'), 0);
  assert.deepEqual(read(even, '43'), { fault: 'x is not a valid even number' });
  assert.deepEqual(read(even, '4242'), { fault: 'x is too long' });
  assert.deepEqual(read(even, 42), { fault: 'x is not a string' });
});

test('a whole number within its bounds is taken, and others are too small or too large', () => {
  const number = integer({ minimum: 60, maximum: 100 });

  for (const value of [60, 77, 100]) assert.equal(read(number, value), value);
  for (const value of [59, 0, -0, -1, -1e300, Number.NEGATIVE_INFINITY]) {
    assert.deepEqual(read(number, value), { fault: 'x is too small' }, String(value));
  }
  for (const value of [101, 2 ** 53 + 2, 1e300, Number.POSITIVE_INFINITY]) {
    assert.deepEqual(read(number, value), { fault: 'x is too large' }, String(value));
  }
});

test('nothing is made a number that is none', () => {
  const number = integer({ minimum: 0, maximum: 100 });

  for (const value of [...NO_VALUES, '60', '', true, false, 60.5, Number.NaN, [60]]) {
    assert.deepEqual(read(number, value), { fault: 'x is not a number' }, JSON.stringify(value));
  }
});

test('nothing is made a boolean that is none', () => {
  assert.equal(read(flag(''), true), true);
  assert.equal(read(flag(''), false), false);
  for (const value of [...NO_VALUES, 0, 1, '', 'true']) {
    assert.deepEqual(read(flag(''), value), { fault: 'x is not a boolean' }, JSON.stringify(value));
  }
});

test('one of several values is taken, the empty one too', () => {
  const choice = oneOf(['', 'a'], '');

  assert.equal(read(choice, ''), '');
  assert.equal(read(choice, 'a'), 'a');
  for (const value of [...NO_VALUES, 'A', 'a ', 0, false, ['a']]) {
    assert.deepEqual(read(choice, value), { fault: 'x has unexpected value' }, JSON.stringify(value));
  }
});

test('a list is taken when each of its items is known', () => {
  const list = someOf(['a', 'b'], '');

  assert.deepEqual(read(list, []), []);
  assert.deepEqual(read(list, ['b', 'a', 'b']), ['b', 'a', 'b']);
  for (const value of [['c'], ['a', null], [['a']], [0]]) {
    assert.deepEqual(
      read(list, value),
      { fault: "an item in 'x' has unexpected value" },
      JSON.stringify(value),
    );
  }
  for (const value of [undefined, null, {}, 'a', { length: 0 }]) {
    assert.deepEqual(read(list, value), { fault: 'x is not an array' }, JSON.stringify(value));
  }
});

test('of several fields the first fault in their order is told', () => {
  const fields = { a: text(), b: flag(''), c: text() };

  const result = readFields(fields, { c: 1, b: 1 });

  assert.ok(result instanceof Fault);
  assert.equal(result.reason, 'b is not a boolean');
});

test('absent fields stay absent, and what is no field is passed over', () => {
  assert.deepEqual(readFields({ a: text(), b: flag('') }, { b: false, z: null }), { b: false });
});

test('what a request inherits is not what it sent', () => {
  const fields = { toString: text(), constructor: text(), name: text() };

  assert.deepEqual(readFields(fields, {}), {});
  assert.deepEqual(readFields(fields, Object.create({ name: 5 })), {});
  assert.deepEqual(readFields(fields, JSON.parse('{"__proto__":{"name":5},"toString":"x"}')), {
    toString: 'x',
  });
});

test('a field documents itself', () => {
  assert.deepEqual(text({ maxLength: 3, pattern: /^a*$/, description: 'A.' }).schema, {
    type: 'string',
    maxLength: 3,
    pattern: '^a*$',
    description: 'A.',
  });
  assert.deepEqual(text().schema, { type: 'string' });
  assert.deepEqual(integer({ minimum: 1, maximum: 2, description: 'N.' }).schema, {
    type: 'integer',
    minimum: 1,
    maximum: 2,
    description: 'N.',
  });
  assert.deepEqual(flag('F.').schema, { type: 'boolean', description: 'F.' });
  assert.deepEqual(oneOf(['a'], 'O.').schema, { type: 'string', enum: ['a'], description: 'O.' });
  assert.deepEqual(someOf(['a'], 'S.').schema, {
    type: 'array',
    items: { type: 'string', enum: ['a'] },
    description: 'S.',
  });
});
