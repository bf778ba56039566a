import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { passwordFault } from './password-rules.ts';

const EMAIL = 'alice.miller@example.org';

suite('a password', () => {
  test('needs eight characters, counted as people count them', () => {
    assert.match(passwordFault('tRe7!xk', EMAIL) ?? '', /at least 8 characters/);
    assert.match(passwordFault('👍👍👍👍', EMAIL) ?? '', /at least 8 characters/);
    assert.equal(passwordFault('tRe7!xkQ', EMAIL), null);
  });

  test('may have a thousand characters, and no more', () => {
    const long = 'Nightly backup of the customers. '.repeat(31).slice(0, 1_000);

    assert.equal(passwordFault(long, EMAIL), null);
    assert.match(passwordFault(`${long}!`, EMAIL) ?? '', /too long/);
  });

  for (const common of [
    'password',
    'Password',
    'PASSWORD123',
    '!Welcome2026!',
    'qwertyuiop',
    'iloveyou',
    '12345678',
    '87654321',
    'abcdefgh',
    'aaaaaaaa',
    'abcabcabc',
    'qwertyasdfgh',
    '1q2w3e4r',
    'P@ssw0rd1',
    'administrator',
    'пароль123',
  ]) {
    test(`that others try first is refused: ${common}`, () => {
      assert.match(passwordFault(common, EMAIL) ?? '', /first that others try/);
    });
  }

  test('may not repeat the address of its account', () => {
    assert.match(passwordFault('Alice.Miller@example.org', EMAIL) ?? '', /repeats the e-mail address/);
    assert.match(passwordFault('alice.miller', EMAIL) ?? '', /repeats the e-mail address/);
  });

  test('may not be the name of the service with digits and signs', () => {
    for (const name of ['Acme-Watch-2026!', 'acmewatch', 'Acme Watch 1'])
      assert.match(passwordFault(name, EMAIL, 'Acme Watch') ?? '', /repeats the name of the service/, name);
    assert.equal(passwordFault('Acme Watch of Riga', EMAIL, 'Acme Watch'), null);
    assert.equal(passwordFault('7391-0264-55', EMAIL, '2026'), null);
  });

  for (const good of [
    'correct horse battery',
    'Tr0ub4dor&3',
    'ньет-это-не-то',
    'kx9-mmq-77z',
    'sunshine over Riga',
  ]) {
    test(`that nobody tries first is accepted: ${good}`, () => {
      assert.equal(passwordFault(good, EMAIL), null);
    });
  }
});
