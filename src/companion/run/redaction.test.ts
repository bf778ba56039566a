import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPattern } from '../values.ts';
import { redact, secretsOf } from './redaction.ts';

function redacted(
  output: string | Uint8Array,
  environment: Record<string, string> = {},
  given: { names?: string[]; own?: string[]; patterns?: string[] } = {},
): string {
  const secrets = secretsOf(environment, {
    names: given.names ?? [],
    own: given.own ?? [],
    userPatterns: (given.patterns ?? []).flatMap((source) => readPattern(source) ?? []),
  });
  const pieces = redact(typeof output === 'string' ? Buffer.from(output) : output, secrets);
  return pieces === null ? 'too slow' : Buffer.concat(pieces.map(({ bytes }) => bytes)).toString('latin1');
}

test('values of variables that look secret are removed', () => {
  const environment = {
    DB_PASSWORD: 'correct-horse',
    API_TOKEN: 'short',
    HOME: '/home/somebody',
    Pg_Dsn: 'a-long-dsn',
  };

  assert.equal(
    redacted('a correct-horse b short /home/somebody a-long-dsn', environment),
    'a [redacted] b short /home/somebody [redacted]',
  );
});

test('a line of a secret with many lines is removed, too', () => {
  assert.equal(
    redacted('> line-number-two <', { SSH_KEY: 'line-number-one\nline-number-two\n' }),
    '> [redacted] <',
  );
});

test('--redact-env names variables of any name and length', () => {
  assert.equal(redacted('x pin-1 y', { PIN: 'pin-1' }, { names: ['PIN'] }), 'x [redacted] y');
});

test('a secret within another one leaves nothing of either', () => {
  const environment = { A_KEY: 'abcdefgh', B_KEY: 'xxabcdefghyy' };

  assert.equal(redacted('xxabcdefghyy abcdefgh', environment), '[redacted] [redacted]');
});

test('passwords in addresses, and what follows Authorization and Bearer, are removed', () => {
  assert.equal(redacted('postgres://me:pa55@db/x http://a/b'), 'postgres://me:[redacted]@db/x http://a/b');
  assert.equal(redacted('Authorization: Basic abc=\nnext'), 'Authorization: [redacted]\nnext');
  assert.equal(redacted('use bearer abc.def now'), 'use bearer [redacted] now');
});

test('our own keys and addresses are removed', () => {
  assert.equal(
    redacted('curl http://a/ping/k/job', {}, { own: ['http://a/ping/k/job', 'k-k'] }),
    'curl [redacted]',
  );
});

test('patterns of users match characters, not bytes', () => {
  assert.equal(redacted('für ü1 x', {}, { patterns: ['ü\\d', '^f.r'] }), '[redacted] [redacted] x');
  assert.equal(readPattern('('), null);
});

test('a pattern that takes too long gives up the output', () => {
  assert.equal(redacted(`${'a'.repeat(60)}b`, {}, { patterns: ['(a+)+$'] }), 'too slow');
});

test('bytes that are no text stay as they are', () => {
  const bytes = Buffer.from(Array.from({ length: 1_024 }, (_none, index) => (index * 37) % 256));
  const mixed = Buffer.concat([
    bytes,
    Buffer.from('secret-value'),
    Buffer.from([0xe2, 0x82, 0xc3, 0x28, 0x00, 0xff]),
  ]);
  const expected = Buffer.concat([bytes, Buffer.from('[redacted]'), mixed.subarray(-6)]);

  assert.equal(redacted(mixed, { A_SECRET: 'secret-value' }), expected.toString('latin1'));
});
