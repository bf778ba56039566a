import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anEvent, SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import { systemRandom } from '../src/lib/random.ts';
import { createVault } from '../src/lib/vault.ts';
import { createChannelSender } from '../src/notifier/channel-sender.ts';
import { createChannel, editChannel } from '../src/services/alert/channels.ts';
import { systemActor } from '../src/services/core/actor.ts';
import type { Driver } from '../src/storage/driver.ts';
import { sharedTestApp } from './app.ts';
import { forEachEngine, openTestDriver } from './engines.ts';

const TOKEN = 'token-of-which-nobody-may-know';
const HOOK = { down: { method: 'GET', url: `https://a.example/${TOKEN}`, headers: {}, body: '' }, up: null };

/** All that the table of channels holds. */
async function dump(driver: Driver): Promise<string> {
  return JSON.stringify(await driver.all('select * from channels'));
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
