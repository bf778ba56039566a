import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextPath, sentPath, withNext } from '../../web/app/next-path.ts';

const after = (next: string, hash = '') => nextPath({ search: `?${new URLSearchParams({ next })}`, hash });

describe('a sign-in leads', () => {
  test('to the path that the address names, with its fragment', () => {
    assert.equal(after('/projects/'), '/projects/');
    assert.equal(after('/checks/1/?tab=log&q=a%20b', '#secret'), '/checks/1/?tab=log&q=a%20b#secret');
  });

  test('to the path that went through another page', () => {
    for (const path of ['/', '/projects/', '/checks/1/?tab=log&q=a%20b', '/accounts/invitation/#secret']) {
      const { search, hash } = withNext(path);
      assert.equal(nextPath({ search: `?${new URLSearchParams(search)}`, hash: hash && `#${hash}` }), path);
      assert.doesNotMatch(search.next ?? '', /secret/);
    }
  });

  test('to the projects if the path is too long for the server', () => {
    assert.equal(sentPath(`/${'a'.repeat(499)}`).length, 500);
    assert.equal(sentPath(`/${'a'.repeat(500)}`), '/');
  });

  test('to the projects where the address names nothing', () => {
    assert.equal(nextPath({ search: '', hash: '#secret' }), '/');
  });

  for (const evil of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\/evil.example/',
    'evil.example/',
    'javascript:alert(1)',
    // Browsers leave these out of an address, and read what is left.
    '/\t/evil.example/',
    '/\n/evil.example/',
    '/\r\\evil.example/',
    '\t//evil.example/',
  ])
    test(`to no other site by ${JSON.stringify(evil)}`, () => {
      assert.equal(after(evil, '#secret'), '/');
    });
});
