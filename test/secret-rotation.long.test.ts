import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { settingsOf, storedSettings } from '../src/integrations/registry.ts';
import { systemClock } from '../src/lib/clock.ts';
import { Fault } from '../src/lib/fields.ts';
import { systemRandom } from '../src/lib/random.ts';
import { createVault, type Vault } from '../src/lib/vault.ts';
import { authenticate } from '../src/services/core/actor.ts';
import { KeyUses } from '../src/services/core/key-uses.ts';
import { resealAll } from '../src/services/instance/secret-rotation.ts';
import type { Database } from '../src/storage/open.ts';
import { keptSecrets, MAX_PREVIOUS_SECRETS } from '../src/storage/secret-key.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import type { Store } from '../src/storage/store.ts';
import { createMigratedPlace, forEachEngine, openTestDatabase, openTestDriver } from './engines.ts';
import { listening, runCli, startCli, temporaryFolder } from './process.ts';

const KEY = 'hcw_0123456789abcdefghijklmnopqr';
const PING_KEY = 'ping-key-0123456789abc';
const TOKEN = 'token-of-which-nobody-may-know';
const OLD = 'the secret key before';
const NEW = 'the secret key after';

const DECLARATION = `accounts: [{ email: ops@example.org }]
projects:
  - name: Alpha
    owner: ops@example.org
    keys: { read_write: ${KEY}, ping: ${PING_KEY} }
    integrations: [{ kind: slack, name: Chat, url: "https://hooks.example/${TOKEN}" }]
`;

/** Everything that a vault opens in the store: settings, ping key, API key. */
async function opened(store: Store, vault: Vault): Promise<unknown[]> {
  const project = (await store.projects.page(0, 1))[0] ?? assert.fail();
  const [channel = assert.fail()] = await store.channels.ofProject(project.id);
  const deps = { store, vault, clock: systemClock, keyUses: new KeyUses({ store }) };
  const actor = await authenticate(deps, KEY, null).catch(() => null);
  return [settingsOf(channel, vault), vault.unseal(project.pingKeySealed ?? ''), actor?.projectId ?? null];
}

const ALL = [{ url: `https://hooks.example/${TOKEN}` }, PING_KEY, 1];

function environmentOf(database: Database): Record<string, string> {
  return { DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url, PORT: '0' };
}

forEachEngine((engine) => {
  async function givenInstallation(secrets: Record<string, string> = {}) {
    const place = await createMigratedPlace(engine);
    const folder = await temporaryFolder();
    await writeFile(join(folder.path, 'tocsin.yml'), DECLARATION);
    const env = { ...environmentOf(place.database), ...secrets };
    const run = (args: string[], more: Record<string, string> = {}) =>
      runCli(args, { cwd: folder.path, env: { ...env, ...more } });
    const { code, stderr } = await run(['apply', 'tocsin.yml']);
    assert.equal(code, 0, stderr);
    return {
      place,
      folder,
      env,
      run,
      async [Symbol.asyncDispose]() {
        await folder[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
      },
    };
  }

  test('a kept secret is changed, and everything works on; what was used needs the old one no more', async () => {
    await using given = await givenInstallation();
    await using driver = await openTestDriver(given.place.database);
    const store = createSqlStore(driver);
    const kept = keptSecrets(given.place.database, store, systemRandom);
    const { current: before } = await kept.read();

    const rotated = await given.run(['rotate-secret']);

    assert.deepEqual([rotated.code, rotated.stderr], [0, '']);
    assert.match(
      rotated.stdout,
      /^Sealed anew: 1 integrations, 1 ping keys, 0 authenticators\.\n1 API keys need the secret key/,
    );
    const { current, fallbacks } = await kept.read();
    assert.notEqual(current, before);
    assert.deepEqual(fallbacks, [before]);
    // Sealed values depend on the new secret alone; the API key does as soon as it was used.
    const [settings, pingKey, project] = await opened(store, createVault(current, systemRandom));
    assert.deepEqual([settings, pingKey, project], [ALL[0], ALL[1], null]);
    assert.deepEqual(await opened(store, createVault(current, systemRandom, fallbacks)), ALL);
    assert.deepEqual(await opened(store, createVault(current, systemRandom)), ALL);
    const [unreadable, ...others] = await opened(store, createVault(before, systemRandom));
    assert.ok(unreadable instanceof Fault);
    assert.deepEqual(others, [null, null]);

    assert.equal(
      (await given.run(['rotate-secret', '--forget'])).stdout,
      'Forgot 1 secret keys from before.\n',
    );
    assert.deepEqual((await kept.read()).fallbacks, []);
    assert.deepEqual(await opened(store, createVault(current, systemRandom)), ALL);
  });

  test('a configured secret is changed by way of the fallbacks', async () => {
    await using given = await givenInstallation({ SECRET_KEY: OLD });
    await using driver = await openTestDriver(given.place.database);
    const store = createSqlStore(driver);
    const both = { SECRET_KEY: NEW, SECRET_KEY_FALLBACKS: OLD };

    const alone = await given.run(['rotate-secret']);
    const rotated = await given.run(['rotate-secret'], both);
    const repeated = await given.run(['rotate-secret'], both);

    assert.equal(alone.code, 1);
    assert.match(alone.stderr, /SECRET_KEY_FALLBACKS/);
    assert.match(rotated.stdout, /^Sealed anew: 1 integrations, 1 ping keys, 0 authenticators\./);
    assert.match(repeated.stdout, /^Sealed anew: 0 integrations, 0 ping keys, 0 authenticators\./);
    assert.deepEqual(await opened(store, createVault(NEW, systemRandom, [OLD])), ALL);
    assert.deepEqual(await opened(store, createVault(NEW, systemRandom)), ALL);
    assert.doesNotMatch(JSON.stringify([alone, rotated, repeated]), new RegExp(`${OLD}|${NEW}|${TOKEN}`));
  });

  test('a kept secret is not changed under a node that runs', async () => {
    await using given = await givenInstallation();
    await using service = startCli(['serve'], { cwd: given.folder.path, env: given.env });
    await listening(service);

    const refused = await given.run(['rotate-secret']);

    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /stop/);
  });

  test('whoever is killed while the secret is changed leaves all that works; the next one ends it', async () => {
    await using test = await openTestDatabase(engine);
    await using folder = await temporaryFolder();
    const database =
      test.database.engine === 'sqlite'
        ? { ...test.database, path: join(folder.path, 'tocsin.db') }
        : test.database;
    const kept = keptSecrets(database, test.store, systemRandom);
    const { current: before } = await kept.read();
    const sealed = createVault(before, systemRandom).seal('a text');

    const prepared = await kept.prepareNext();

    // Not changed yet: both are accepted, whichever was used before the end.
    assert.deepEqual(await kept.read(), { current: before, fallbacks: [prepared.current] });
    assert.deepEqual(await kept.prepareNext(), prepared);
    const [after, meanwhile] = [prepared, await kept.read()].map(({ current, fallbacks }) =>
      createVault(current, systemRandom, fallbacks),
    );
    const resealed = after?.reseal(sealed) ?? assert.fail();
    assert.equal(meanwhile?.unseal(resealed), 'a text');
    assert.equal(meanwhile?.unseal(sealed), 'a text');

    if (engine === 'sqlite') {
      // Killed between the two files.
      await writeFile(join(folder.path, 'tocsin.db.secret.previous'), `${before}\n`);
      assert.deepEqual(await kept.prepareNext(), prepared);
    }
    await kept.useNext();

    assert.deepEqual(await kept.read(), { current: prepared.current, fallbacks: [before] });
    if (engine === 'sqlite') {
      assert.deepEqual(await readdir(folder.path), ['tocsin.db.secret', 'tocsin.db.secret.previous']);
    }
  });

  test('what was sealed under a key from before by whoever ran beside the change survives its end', async () => {
    await using given = await givenInstallation();
    await using driver = await openTestDriver(given.place.database);
    const store = createSqlStore(driver);
    const kept = keptSecrets(given.place.database, store, systemRandom);
    const { current: before } = await kept.read();
    assert.equal((await given.run(['rotate-secret'])).code, 0);
    const [channel = assert.fail()] = await store.channels.page(0, 1);
    const late = storedSettings(
      'slack',
      { url: 'https://hooks.example/late' },
      createVault(before, systemRandom),
    );
    await store.transaction((tx) => tx.channels.setSettings(channel, late));

    assert.equal((await given.run(['rotate-secret', '--forget'])).code, 0);

    const { current, fallbacks } = await kept.read();
    const [settings] = await opened(store, createVault(current, systemRandom, fallbacks));
    assert.deepEqual(settings, { url: 'https://hooks.example/late' });
  });

  test('a secret that is too short is never accepted, whichever it is', async () => {
    await using test = await openTestDatabase(engine);
    await using folder = await temporaryFolder();
    const database =
      test.database.engine === 'sqlite'
        ? { ...test.database, path: join(folder.path, 'tocsin.db') }
        : test.database;
    const kept = keptSecrets(database, test.store, systemRandom);
    await kept.read();
    for (const [name, content] of [
      ['next', ''],
      ['next', 'short'],
      ['previous', 'short\n'],
    ] as const) {
      const path = join(folder.path, `tocsin.db.secret.${name}`);
      if (engine === 'sqlite') await writeFile(path, content);
      else await test.store.transaction((tx) => tx.instance.set(`secret_key_${name}`, content));

      await assert.rejects(kept.read(), /at least 16 are needed/, name);

      if (engine === 'sqlite') await rm(path);
      else await test.store.transaction((tx) => tx.instance.delete(`secret_key_${name}`));
    }
  });

  if (engine === 'postgres')
    test('whoever reads the secrets while they change places can read what was sealed under either', async () => {
      for (let moment = 1; moment <= 3; moment++) {
        await using test = await openTestDatabase(engine);
        const kept = keptSecrets(test.database, test.store, systemRandom);
        const { current: before } = await kept.read();
        const { current: after } = await kept.prepareNext();
        let reads = 0;
        const instance: Store['instance'] = Object.assign(Object.create(test.store.instance), {
          get: async (name: string) => {
            if (++reads === moment) await kept.useNext();
            return test.store.instance.get(name);
          },
        });

        const { current, fallbacks } = await keptSecrets(
          test.database,
          { ...test.store, instance },
          systemRandom,
        ).read();

        const known = new Set([current, ...fallbacks]);
        assert.deepEqual([known.has(before), known.has(after)], [true, true], `before read ${moment}`);
      }
    });

  test('so many secrets from before are kept, and no more until they are forgotten', async () => {
    await using test = await openTestDatabase(engine);
    const kept = keptSecrets(test.database, test.store, systemRandom);
    await kept.read();
    for (let n = 0; n < MAX_PREVIOUS_SECRETS; n++) {
      await kept.prepareNext();
      await kept.useNext();
    }

    await assert.rejects(kept.prepareNext(), /5 secret keys from before are kept already/);

    assert.equal(await kept.forgetPrevious(), MAX_PREVIOUS_SECRETS);
    await kept.prepareNext();
  });

  test('sealing anew may be repeated, and leaves what nobody can unseal as it is', async () => {
    await using given = await givenInstallation({ SECRET_KEY: OLD });
    await using driver = await openTestDriver(given.place.database);
    const store = createSqlStore(driver);
    const before = await store.channels.page(0, 10);

    const strange = await resealAll({ store, vault: createVault('a third secret key', systemRandom) });

    assert.deepEqual(strange, { channels: 0, pingKeys: 0, authenticators: 0, apiKeysLeft: 1 });
    assert.deepEqual(await store.channels.page(0, 10), before);
  });
});
