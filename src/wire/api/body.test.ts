import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../domain/errors.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { MAX_BODY_MARKS, parseJsonBody } from './body.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function assertRefused(body: Uint8Array, message: string, about: string): void {
  const isRefusal = (error: unknown) =>
    error instanceof AppError && error.code === 'invalid_body' && error.message === message;
  assert.throws(() => parseJsonBody(body), isRefusal, about);
}

test('no body at all is an empty object', () => {
  assert.deepEqual(parseJsonBody(new Uint8Array()), {});
});

test('an object is read with all its keys, blanks around it or not', () => {
  assert.deepEqual(parseJsonBody(bytes(' {"name":"ä","n":[1,null]}\r\n')), { name: 'ä', n: [1, null] });
});

test('of two equal keys the last wins', () => {
  assert.deepEqual(parseJsonBody(bytes('{"a":1,"b":2,"a":3}')), { a: 3, b: 2 });
});

test('a key may have the name of something that objects inherit', () => {
  const body = parseJsonBody(bytes('{"__proto__":{"api_key":"x"},"constructor":1}'));

  assert.deepEqual(Object.keys(body), ['__proto__', 'constructor']);
  assert.equal(body.api_key, undefined);
});

test('what is not JSON in plain UTF-8 cannot be parsed', () => {
  const rows: [about: string, body: Uint8Array][] = [
    ['a blank', bytes(' ')],
    ['cut short', bytes('{"a":')],
    ['a form', bytes('a=1')],
    ['a BOM', bytes('\ufeff{}')],
    ['an invalid byte', Uint8Array.of(0x22, 0xff, 0x22)],
    ['UTF-16', Uint8Array.of(0x7b, 0, 0x7d, 0)],
  ];

  for (const [about, body] of rows) assertRefused(body, 'could not parse request body', about);
});

test('JSON that is no object is refused', () => {
  for (const text of ['null', '[]', '[{}]', '1', '"x"', 'true']) {
    assertRefused(bytes(text), 'json validation error: value is not an object', text);
  }
});

test('null counts as no body where that is accepted, and nothing else does', () => {
  assert.deepEqual(parseJsonBody(bytes('null'), { acceptsNullBody: true }), {});
  for (const text of ['0', 'false', '""', '[]']) {
    assert.throws(() => parseJsonBody(bytes(text), { acceptsNullBody: true }), AppError, text);
  }
});

test('the longest description is parsed, whatever it consists of', () => {
  for (const mark of ['[', '{', ',', '"', '\\']) {
    const desc = mark.repeat(TEXT_LIMITS.checkDescription);

    assert.equal(parseJsonBody(bytes(JSON.stringify({ desc }))).desc, desc);
  }
});

test('a body of more values than any request has is not even parsed', () => {
  const fields = (count: number) =>
    Array.from({ length: count }, (_, index) => `"field${index}":0`).join(',');
  const lists = (count: number) => `{"a":${'['.repeat(count)}${']'.repeat(count)}}`;

  assert.equal(Object.keys(parseJsonBody(bytes(`{${fields(MAX_BODY_MARKS)}}`))).length, MAX_BODY_MARKS);
  assertRefused(bytes(`{${fields(MAX_BODY_MARKS + 1)}}`), 'could not parse request body', 'fields');
  parseJsonBody(bytes(lists(MAX_BODY_MARKS - 1)));
  assertRefused(bytes(lists(MAX_BODY_MARKS)), 'could not parse request body', 'lists');
  assertRefused(
    bytes(`{"a":"\\\\",${fields(MAX_BODY_MARKS)}}`),
    'could not parse request body',
    'after a backslash',
  );
});

test('brackets and commas in a text count for nothing, however it is escaped', () => {
  const desc = '[{,'.repeat(MAX_BODY_MARKS);

  for (const beginning of ['', '\\', '"', '\\"', '"\\', '\\\\"', 'ü']) {
    const body = JSON.stringify({ desc: beginning + desc, name: 'x' });
    assert.deepEqual(parseJsonBody(bytes(body)), { desc: beginning + desc, name: 'x' });
  }
});
