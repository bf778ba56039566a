import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from './arguments.ts';
import { TARGET_OPTIONS } from './options.ts';
import type { Profile } from './profile.ts';
import { findTarget } from './target.ts';

const UUID = 'a1b2c3d4-0000-4000-8000-000000000001';
const HOST = 'https://tocsin.example.org';

async function find(
  argv: string[],
  environment: Record<string, string> = {},
  profile: Profile | null = null,
) {
  const parsed = parseArguments(TARGET_OPTIONS, { argv, environment, runsJob: true });
  const readText = async (path: string) => {
    if (path === '/key') return '  from-a-file\n';
    throw Object.assign(new Error('away'), { code: 'ENOENT' });
  };
  return findTarget(parsed, { readText, readProfile: async () => profile });
}

async function address(...given: Parameters<typeof find>): Promise<string> {
  const found = await find(...given);
  if ('fault' in found) return found.fault;
  return found.target.base + (found.target.query === '' ? '' : `?${found.target.query}`);
}

test('a UUID or a key and a slug are appended to the endpoint', async () => {
  assert.equal(await address(['--uuid', UUID, '--endpoint', `${HOST}/ping`]), `${HOST}/ping/${UUID}`);
  assert.equal(await address(['--slug', 'a', '--ping-key', 'k', '--url', `${HOST}/`]), `${HOST}/ping/k/a`);
  assert.equal(
    await address(['--slug', 'a', '--ping-key', 'k', '--url', HOST, '--create']),
    `${HOST}/ping/k/a?create=1`,
  );
});

test('variables of runitor and others give the addresses that they give there', async () => {
  const both = [`${HOST}/ping`, `${HOST}/ping/`];
  for (const HC_API_URL of both) {
    assert.equal(await address([], { HC_API_URL, CHECK_UUID: UUID }), `${HOST}/ping/${UUID}`);
    assert.equal(await address([], { HC_API_URL, PING_KEY: 'k', CHECK_SLUG: 'a' }), `${HOST}/ping/k/a`);
    assert.equal(await address([], { HC_API_URL, HC_PING_KEY: 'k', CHECK_SLUG: 'a' }), `${HOST}/ping/k/a`);
  }
});

test('a whole address wins over a UUID, and a UUID over a slug', async () => {
  const url = `${HOST}/ping/k/b?tz=UTC`;
  const all = ['--slug', 'a', '--ping-key', 'k', '--url', HOST, '--uuid', UUID];

  assert.equal(await address(all), `${HOST}/ping/${UUID}`);
  assert.equal(await address([...all, '--ping-url', url]), url);
});

test('a flag that names a check wins over variables that name another', async () => {
  const environment = { TOCSIN_UUID: UUID, TOCSIN_URL: HOST, TOCSIN_PING_KEY: 'k', CHECK_SLUG: 'c' };

  assert.equal(await address(['--slug', 'a'], environment), `${HOST}/ping/k/a`);
  assert.equal(await address([], environment), `${HOST}/ping/${UUID}`);
});

test('what options and variables lack comes from the profile', async () => {
  const profile = { url: HOST, endpoint: null, pingKey: 'from-profile' };

  assert.equal(await address(['--slug', 'a'], {}, profile), `${HOST}/ping/from-profile/a`);
  assert.equal(await address(['--slug', 'a'], { PING_KEY: 'k' }, profile), `${HOST}/ping/k/a`);
  assert.equal(
    await address(['--slug', 'a'], {}, { ...profile, endpoint: 'https://hc-ping.com' }),
    'https://hc-ping.com/from-profile/a',
  );
});

test('a value may be in a file, without the blanks around it', async () => {
  const url = { TOCSIN_URL: HOST };

  assert.equal(
    await address(['--slug', 'a'], { ...url, PING_KEY: 'file:/key' }),
    `${HOST}/ping/from-a-file/a`,
  );
  assert.equal(
    await address(['--slug', 'a'], { ...url, TOCSIN_PING_KEY_FILE: '/key' }),
    `${HOST}/ping/from-a-file/a`,
  );
  assert.equal(
    await address(['--slug', 'a', '--ping-key', 'file:/no'], url),
    'the file of --ping-key cannot be read (ENOENT)',
  );
});

test('faults are sentences without the values', async () => {
  assert.equal(await address([]), 'no check is named: give --slug, --uuid or --ping-url');
  assert.equal(await address(['--uuid', 'sekret']), '--uuid is no UUID');
  assert.equal(await address(['--ping-url', 'sekret']), '--ping-url is no address');
  assert.equal(await address(['--slug', 'a', '--url', HOST]), 'a slug needs a ping key: set TOCSIN_PING_KEY');
  assert.equal(
    await address(['--slug', 'a', '--ping-key', 'k']),
    'the address of the server is missing: give --url or --endpoint',
  );
});

test('lists name a check by its slug or by the beginning of its UUID', async () => {
  const labels = await Promise.all(
    [
      ['--uuid', UUID, '--url', HOST],
      ['--slug', 'a', '--ping-key', 'k', '--url', HOST],
      ['--ping-url', `${HOST}/ping/${UUID}`],
      ['--ping-url', `${HOST}/ping/k/a/`],
    ].map((argv) => find(argv)),
  );

  assert.deepEqual(
    labels.map((found) => 'target' in found && found.target.label),
    ['a1b2c3d4', 'a', 'a1b2c3d4', 'a'],
  );
});

test('the address, the UUID and the key are secrets, and the slug is none', async () => {
  const key = 'ping-key-of-tests';
  const secretsOf = async (...argv: string[]) => {
    const found = await find(argv);
    return 'secrets' in found && found.secrets;
  };
  const slug = [`${HOST}/ping/${key}/a`, key];

  assert.deepEqual(await secretsOf('--slug', 'a', '--ping-key', key, '--url', HOST), slug);
  assert.deepEqual(await secretsOf('--ping-url', `${HOST}/ping/${key}/a?create=1`), slug);
  assert.deepEqual(await secretsOf('--ping-url', `${HOST}/ping/${UUID}`), [`${HOST}/ping/${UUID}`, UUID]);
  assert.deepEqual(await secretsOf('--ping-url', `${HOST}/ping/a`), [`${HOST}/ping/a`]);
});
