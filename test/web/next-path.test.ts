import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextPath } from '../../web/app/next-path.ts';

const after = (next: string, hash = '') => nextPath({ search: `?${new URLSearchParams({ next })}`, hash });

describe('a sign-in leads', () => {
  test('to the path that the address names, with its fragment', () => {
    assert.equal(after('/projects/'), '/projects/');
    assert.equal(after('/checks/1/?tab=log&q=a%20b', '#secret'), '/checks/1/?tab=log&q=a%20b#secret');
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
