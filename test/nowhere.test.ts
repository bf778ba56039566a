import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { sharedTestApp } from './app.ts';
import { REPOSITORY } from './process.ts';

const UUID = '9f2a3a37-1f4d-4a3b-8a44-00000000000f';
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

suite('an address at which there is nothing', () => {
  const app = sharedTestApp(
    'sqlite',
    {},
    { pages: { document: Buffer.from('<p>the page</p>'), files: new Map() } },
  );

  test('shows people the page, and programs JSON', async () => {
    for (const path of [
      '/nonsense',
      '/nonsense/',
      `/projects/${UUID}/nonsense/`,
      '/projects/nonsense/checks/',
      '/checks/nonsense/',
      '/checks/nonsense/details/',
      `/checks/${UUID}/nonsense/`,
      '/accounts/nonsense/',
      '/accounts/profile/nonsense/',
      '/admin/nonsense/',
      `/projects/${UUID}/settings/nonsense/`,
      '/wall/xyz/',
      '/status/nonsense/',
    ]) {
      const forPeople = await app().request('GET', path, { headers: BROWSER });
      const forPrograms = await app().request('GET', path);

      assert.equal(forPeople.status, 404, path);
      assert.equal(forPeople.text, '<p>the page</p>');
      assert.match(forPeople.headers['content-security-policy'] ?? '', /default-src 'none'/);
      assert.equal(forPeople.headers['x-content-type-options'], 'nosniff');
      assert.equal(forPrograms.status, 404, path);
      assert.deepEqual(forPrograms.json, { error: 'not found' });
    }
  });

  test('is JSON for everybody where programs ask, and for what would change something', async () => {
    for (const path of [
      '/api/v3/nonsense/',
      '/api',
      '/badge/x/y.svg',
      '/b/2/x.svg',
      '/dashboard/api/nonsense',
    ])
      assert.match(
        (await app().request('GET', path, { headers: BROWSER })).headers['content-type'] ?? '',
        /json/,
      );
    const posted = await app().request('POST', '/nonsense/', { headers: BROWSER });
    assert.deepEqual([posted.status, posted.json], [404, { error: 'not found' }]);
  });

  test('is not taken for one that exists', async () => {
    const router = await readFile(`${REPOSITORY}/web/app/router.tsx`, 'utf8');
    const plain = [...router.matchAll(/'(\/(?:accounts|admin|all-checks)\/[a-z/-]*?)\/?'/g)].map(
      ([, path]) => `${path}/`,
    );
    assert.ok(plain.length > 15);
    for (const path of [
      ...plain,
      ...['', 'keys/', 'team/', 'audit-log/', 'danger/'].map((page) => `/projects/${UUID}/settings/${page}`),
      `/projects/${UUID}/checks/`,
      `/checks/${UUID}/details/`,
      `/wall/hcd_${'a'.repeat(28)}/`,
    ])
      assert.equal((await app().request('GET', path, { headers: BROWSER })).status, 200, path);
    const bare = await app().request('GET', `/checks/${UUID}/`);
    assert.deepEqual([bare.status, bare.headers.location], [302, 'details/']);
  });

  test('leads from the board of Healthchecks to what there is in its place', async () => {
    const { status, headers } = await app().request('GET', '/tv/');
    assert.deepEqual([status, headers.location], [301, '/docs/wall-displays/']);
  });
});

suite('without pages', () => {
  const app = sharedTestApp('sqlite');

  test('an address at which there is nothing is JSON, also for people', async () => {
    const { status, json } = await app().request('GET', '/nonsense/', { headers: BROWSER });
    assert.deepEqual([status, json], [404, { error: 'not found' }]);
  });
});
