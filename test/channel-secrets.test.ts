import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { Config } from '../src/config/config.ts';
import { readConfig } from '../src/config/read-config.ts';
import { openCore } from '../src/core.ts';
import { anEvent, SERVER } from '../src/integrations/alert-event.test-support.ts';
import { settingsOf } from '../src/integrations/registry.ts';
import { systemRandom } from '../src/lib/random.ts';
import { createVault } from '../src/lib/vault.ts';
import { startApp, type World } from '../src/main.ts';
import { createChannelSender } from '../src/notifier/channel-sender.ts';
import { systemActor } from '../src/services/actor.ts';
import { sealStoredSettings } from '../src/services/channel-settings.ts';
import { createChannel, editChannel } from '../src/services/channels.ts';
import type { Deps } from '../src/services/deps.ts';
import type { Driver } from '../src/storage/driver.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { sharedTestApp, startTestApp, type TestApp } from './app.ts';
import { forEachEngine, openTestDriver } from './engines.ts';

const TOKEN = 'token-of-which-nobody-may-know';
const HOOK = { down: { method: 'GET', url: `https://a.example/${TOKEN}`, headers: {}, body: '' }, up: null };

/** All that the table of channels holds. */
async function dump(driver: Driver): Promise<string> {
  return JSON.stringify(await driver.all('select * from channels'));
}

/** Channels as an older program has stored them. */
async function givenOldChannels(app: TestApp, driver: Driver, count: number): Promise<number> {
  const { project } = await app.givenProject();
  await driver.transaction(async (tx) => {
    for (let n = 0; n < count; n++) {
      await tx.run(
        `insert into channels (uuid, project_id, kind, name, settings, created_at)
         values ($1, $2, 'webhook', '', $3, 0)`,
        [systemRandom.uuid(), project.id, JSON.stringify(HOOK)],
      );
    }
  });
  return project.id;
}

function configOf({ database }: TestApp, secretKey: string): Config {
  const config = readConfig({ HOST: '127.0.0.1', PORT: '0' });
  return { ...config, database, secretKey: { current: secretKey, fallbacks: [] } };
}

function worldOf({ clock }: TestApp): World {
  return { clock, random: systemRandom, log: pino({ level: 'silent' }) };
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('no secret of a channel is in the database, however it came there', async () => {
    const { deps } = app();
    const { project } = await app().givenProject();
    await using driver = await openTestDriver(app().database);
    const actor = systemActor(project.id);

    const { uuid } = await createChannel(deps, actor, { kind: 'webhook', name: '', settings: HOOK });
    await createChannel(deps, actor, {
      kind: 'slack',
      name: '',
      settings: { url: `https://hooks.example/${TOKEN}` },
    });
    await editChannel(deps, actor, uuid, { settings: { up: HOOK.down } });

    assert.doesNotMatch(await dump(driver), new RegExp(TOKEN));
  });

  test('settings in the clear are readable, and sealed at the next start', async () => {
    const key = 'a secret for tests only';
    await using own = await startTestApp(engine);
    await using driver = await openTestDriver(own.database);
    const projectId = await givenOldChannels(own, driver, 250);
    const { store, vault } = own.deps;
    const read = async () => (await store.channels.ofProject(projectId)).map((one) => settingsOf(one, vault));
    assert.deepEqual(
      new Set((await read()).map((one) => JSON.stringify(one))),
      new Set([JSON.stringify(HOOK)]),
    );
    const before = await read();

    await using _started = await startApp(configOf(own, key), worldOf(own));

    assert.doesNotMatch(await dump(driver), new RegExp(TOKEN));
    assert.deepEqual(await read(), before);
    assert.equal(await sealStoredSettings(own.deps), 0);
  });

  test('a command seals nothing that is there: it may be run without the key of the service', async () => {
    await using own = await startTestApp(engine);
    await using driver = await openTestDriver(own.database);
    await givenOldChannels(own, driver, 1);
    const before = await dump(driver);

    await using _core = await openCore(configOf(own, 'the key of nobody else'), worldOf(own));

    assert.equal(await dump(driver), before);
  });

  test('several nodes that seal at once seal each channel once', async () => {
    await using own = await startTestApp(engine);
    await using driver = await openTestDriver(own.database);
    await givenOldChannels(own, driver, 120);

    const counts = await Promise.all([sealStoredSettings(own.deps), sealStoredSettings(own.deps)]);

    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      120,
    );
    assert.doesNotMatch(await dump(driver), new RegExp(TOKEN));
  });

  test('whoever is killed while sealing leaves what is readable, and the next one ends it', async () => {
    await using own = await startTestApp(engine);
    await using driver = await openTestDriver(own.database);
    const projectId = await givenOldChannels(own, driver, 150);
    let transactions = 0;
    const dying: Pick<Deps, 'store' | 'vault'> = {
      vault: own.deps.vault,
      store: {
        ...createSqlStore(driver),
        transaction: async (work) => {
          if (++transactions > 1) throw new Error('killed');
          return createSqlStore(driver).transaction(work);
        },
      },
    };

    await assert.rejects(sealStoredSettings(dying), /killed/);

    const channels = await own.deps.store.channels.ofProject(projectId);
    assert.equal(channels.filter(({ settings }) => settings.sealed !== null).length, 100);
    for (const channel of channels) assert.deepEqual(settingsOf(channel, own.deps.vault), HOOK);
    assert.equal(await sealStoredSettings(own.deps), 50);
  });

  test('secrets that cannot be unsealed fail each try, and are told once', async () => {
    const { deps } = app();
    const { project } = await app().givenProject();
    const actor = systemActor(project.id);
    const channels = [
      await createChannel(deps, actor, { kind: 'webhook', name: '', settings: HOOK }),
      await createChannel(deps, actor, { kind: 'webhook', name: '', settings: HOOK }),
    ];
    const told: number[] = [];
    const sender = createChannelSender({
      http: async () => assert.fail('nothing can be sent'),
      mail: null,
      server: SERVER,
      vault: createVault('another secret key', systemRandom),
      onUnreadable: ({ id }) => told.push(id),
      unsubscribeUrl: () => '',
    });

    for (const channel of channels) {
      assert.equal(sender.wants(channel, 'down_fail'), true);
      assert.deepEqual(await sender.send(channel, anEvent()), {
        kind: 'try_again',
        error: 'Invalid settings: sealed under another SECRET_KEY',
        afterSeconds: null,
      });
    }

    assert.deepEqual(told, [channels[0]?.id]);
  });
});
