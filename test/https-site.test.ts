import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SITE, startTestApp } from './app.ts';

const HEADER = 'strict-transport-security';

/** A page, a refusal, and an answer past the framework. */
const PATHS = ['/docs/', '/nowhere', '/api/v3/status/', '/dashboard/api/read/signedIn', '/api/v3/checks/'];

async function headersOf(root: string): Promise<unknown[]> {
  await using app = await startTestApp('sqlite', {}, { site: { ...SITE, root } });
  const { key, project } = await app.givenProject();
  const { uuid } = await app.givenCheck(project);
  const replies = [
    ...(await Promise.all(PATHS.map((path) => app.request('GET', path)))),
    await app.request('GET', `/api/v3/checks/${uuid}`, { key }),
  ];
  return replies.map(({ headers }) => headers[HEADER]);
}

test('where the site is https, browsers are told to ask for nothing else for a year', async () => {
  const headers = await headersOf('https://tocsin.example.org');

  assert.deepEqual(headers, Array(PATHS.length + 1).fill('max-age=31536000'));
});

test('where it is not, nothing is said of it', async () => {
  assert.deepEqual(new Set(await headersOf('http://tocsin.example.org')), new Set([undefined]));
});
