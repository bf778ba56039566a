import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProfileFiles, profilePaths, readProfile } from './profile.ts';

function files(texts: Record<string, unknown>, guard: ProfileFiles['guard'] = null): ProfileFiles {
  return {
    guard,
    readIfThere: async (path: string) => {
      const text = texts[path];
      return text === undefined ? null : typeof text === 'string' ? text : JSON.stringify(text);
    },
  };
}

test('profiles are read from the own file, then from that of the system', () => {
  assert.deepEqual(profilePaths({ HOME: '/home/a' }), [
    '/home/a/.config/tocsin/config.json',
    '/etc/tocsin/config.json',
  ]);
  assert.deepEqual(profilePaths({ HOME: '/home/a', XDG_CONFIG_HOME: '/c' })[0], '/c/tocsin/config.json');
  assert.deepEqual(profilePaths({}), ['/etc/tocsin/config.json']);
  assert.deepEqual(profilePaths({ HOME: '/home/a', TOCSIN_CONFIG: '/x.json' }), ['/x.json']);
});

test('what the first file lacks comes from the second', async () => {
  const texts = {
    '/own': { default: 'prod', profiles: { prod: { ping_key: 'own' } } },
    '/etc': {
      default: 'test',
      profiles: {
        prod: { ping_key: 'system', url: 'https://a', api_key: 'a', api_key_command: ['pass', 'b'] },
        test: { url: 'https://b' },
      },
    },
  };

  assert.deepEqual(await readProfile(null, ['/own', '/etc'], files(texts)), {
    url: 'https://a',
    endpoint: null,
    pingKey: 'own',
    apiKey: 'a',
    apiKeyCommand: ['pass', 'b'],
  });
  assert.equal((await readProfile('test', ['/own', '/etc'], files(texts)))?.url, 'https://b');
});

test('no file, and no profile of that name, is no profile', async () => {
  assert.equal(await readProfile(null, ['/own'], files({})), null);
  assert.equal(await readProfile('x', ['/own'], files({ '/own': { profiles: {} } })), null);
  assert.equal(await readProfile('x', ['/own'], files({ '/own': 'null' })), null);
});

test('a file that is no JSON is told by its name', async () => {
  await assert.rejects(readProfile(null, ['/own'], files({ '/own': '{' })), {
    message: /^\/own is not understood/,
  });
});

test('a file with keys that others can read is told, once', async () => {
  const told: string[] = [];
  const read = (path: string, profile: unknown, mode: number) =>
    readProfile(
      null,
      [path],
      files(
        { [path]: { profiles: { one: profile } } },
        { modeOf: async () => mode, tell: (one) => told.push(one) },
      ),
    );

  await read('/open', { url: 'https://a', ping_key: 'key' }, 0o100644);
  await read('/group', { api_key: 'key' }, 0o100640);
  await read('/closed', { ping_key: 'key', api_key: 'key' }, 0o100600);
  await read('/without-key', { url: 'https://a', api_key_command: ['pass'] }, 0o100644);
  assert.deepEqual(told, ['/open', '/group']);
});

test('jobs of all users may read the ping key of the system, and no other key', async () => {
  const told: string[] = [];
  const system = '/etc/tocsin/config.json';
  const guard = { modeOf: async () => 0o100644, tell: (one: string) => told.push(one) };
  for (const profile of [{ ping_key: 'key' }, { ping_key: 'key', api_key: 'key' }])
    await readProfile(null, [system], files({ [system]: { profiles: { one: profile } } }, guard));
  assert.deepEqual(told, [system]);
});
