import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personOf } from './provider-claims.ts';

const SETTINGS = { domains: null, groupsClaim: 'groups' };
const CLAIMS = { email: 'Alice@Example.org', email_verified: true, name: 'Alice', groups: ['dev'] };

function read(others: object, names: { issuer?: string; subject?: string } = {}) {
  const { issuer = 'https://id.example', subject = '7' } = names;
  return personOf({ issuer, subject, others: { ...CLAIMS, ...others } }, SETTINGS);
}

test('claims become a person', () => {
  assert.deepEqual(read({}), {
    issuer: 'https://id.example',
    subject: '7',
    email: 'alice@example.org',
    name: 'Alice',
    groups: ['dev'],
  });
});

test('groups are a list of texts, or one text, or none', () => {
  const groupsOf = (groups: unknown) => read({ groups }).groups;

  assert.deepEqual(groupsOf('dev'), ['dev']);
  assert.deepEqual(groupsOf(['dev', 7, null, ['ops'], { a: 1 }]), ['dev']);
  for (const none of [undefined, null, [], {}, 7, true]) assert.deepEqual(groupsOf(none), []);
});

test('only a verified address counts', () => {
  assert.equal(read({ email_verified: 'true' }).email, 'alice@example.org');
  for (const email_verified of [undefined, null, false, 'false', 'yes', 1, {}])
    assert.throws(() => read({ email_verified }), { code: 'email_unverified' });
});

test('an address that no account can have is refused', () => {
  for (const email of [
    undefined,
    7,
    '',
    'alice',
    'a@b@c',
    'ali\0ce@example.org',
    'a\u0001@example.org',
    '\ud800@example.org',
    `${'a'.repeat(250)}@example.org`,
    'Admin@Localhost',
  ])
    assert.throws(() => read({ email }), { code: 'provider_refused' }, String(email));
});

test('a name of a person that cannot be stored is refused, and is never cut off', () => {
  for (const subject of ['', 'x'.repeat(256), 'a\0b', '\ud800'])
    assert.throws(() => read({}, { subject }), { code: 'provider_refused' });
  assert.throws(() => read({}, { issuer: `https://${'x'.repeat(2_000)}` }), { code: 'provider_refused' });
  assert.equal(read({}, { subject: 'x'.repeat(255) }).subject.length, 255);
});

test('what people are called fits into one line', () => {
  assert.equal(read({ name: 'Al\u202eice\r\nBob' }).name, 'Alice Bob');
  assert.equal([...read({ name: '😀'.repeat(200) }).name].length, 100);
  assert.equal(read({ name: { first: 'Alice' } }).name, '');
});
