import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { listening, startCli, temporaryFolder } from '../process.ts';
import { startProvider } from './openid-provider.ts';

/** The answer of the program, with these settings, to somebody who begins to sign in. */
async function begin(
  env: Readonly<Record<string, string>>,
  prefix = '',
): Promise<{ status: number; json: unknown }> {
  await using folder = await temporaryFolder();
  await using service = startCli(['serve'], {
    cwd: folder.path,
    env: { DATABASE_URL: `sqlite:${join(folder.path, 'tocsin.db')}`, ...env },
  });
  const url = await listening(service);
  const reply = await fetch(`${url}${prefix}/dashboard/api/do/signInByProvider`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: '{}',
  });
  return { status: reply.status, json: await reply.json() };
}

test('the program sends people to the provider of its settings', async () => {
  await using provider = await startProvider();
  const { status, json } = await begin(
    {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'tocsin',
      SITE_ROOT: 'https://tocsin.example/watch/',
    },
    '/watch',
  );

  assert.equal(status, 200);
  const address = new URL((json as { address: string }).address);
  assert.equal(address.origin, provider.issuer);
  assert.equal(
    address.searchParams.get('redirect_uri'),
    'https://tocsin.example/watch/dashboard/api/sign-in/provider/callback',
  );
});

test('the program starts while the provider is away', async () => {
  const { status, json } = await begin({ OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'tocsin' });

  assert.equal(status, 424);
  assert.equal((json as { code: string }).code, 'provider_unavailable');
});
