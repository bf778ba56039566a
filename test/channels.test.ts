import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Channel, MAX_PROJECT_CHANNELS } from '../src/domain/alert/channel.ts';
import type { Outcome } from '../src/domain/alert/delivery.ts';
import { AppError, type ErrorCode } from '../src/domain/errors.ts';
import type { Role } from '../src/domain/people/permission.ts';
import { MASK } from '../src/integrations/kind/setting.ts';
import {
  confirmationToken,
  recipientIn,
  unsubscribe,
  verifyChannel,
} from '../src/services/alert/channel-links.ts';
import {
  type CreateChannel,
  createChannel,
  deleteChannel,
  editChannel,
  getChannel,
  listChannels,
  renameChannel,
  switchChannelOff,
  switchChannelOn,
} from '../src/services/alert/channels.ts';
import { listDeliveries } from '../src/services/alert/deliveries.ts';
import { sendTestMessage } from '../src/services/alert/test-message.ts';
import { type Actor, systemActor } from '../src/services/core/actor.ts';
import { Attempts } from '../src/services/people/attempts.ts';
import { drain, fixture } from './alerts.ts';
import { START, sharedTestApp } from './app.ts';
import { forEachEngine, openTestDriver } from './engines.ts';

const MAIL: CreateChannel = { kind: 'email', name: 'Alice', settings: { email: 'alice@example.org' } };
const CHANNEL_EDIT = { settings: { email: 'bob@example.org' }, isVerified: true };
const HOOK: CreateChannel = {
  kind: 'webhook',
  name: 'Hook',
  settings: { down: { url: 'https://a.example/secret' }, up: { url: 'https://b.example/secret' } },
};

async function assertRefused(work: Promise<unknown>, code: ErrorCode, message?: string): Promise<void> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, code);
  if (message !== undefined) assert.equal(error.message, message);
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given() {
    const { project, ownerId } = await app().givenProject();
    const { deps } = app();
    const key: Actor = {
      ...systemActor(project.id),
      caller: { kind: 'api_key', keyId: 1, access: 'read_write' },
    };
    const member = (accountId: number, role: Role = 'member'): Actor => ({
      ...systemActor(project.id),
      caller: { kind: 'member', accountId, role, isConfirmed: false },
    });
    const reload = async (channel: Channel) => deps.store.channels.byUuid(channel.uuid);
    return { deps, project, ownerId, key, member, system: systemActor(project.id), reload };
  }

  test('a channel is created with the settings that its kind reads', async () => {
    const { deps, key } = await given();

    const channel = await createChannel(deps, key, HOOK);

    const { settings } = await getChannel(deps, key, channel.uuid);
    assert.deepEqual(settings, {
      down: { method: 'GET', url: `https://a.example/${MASK}`, headers: {}, body: '' },
      up: { method: 'GET', url: `https://b.example/${MASK}`, headers: {}, body: '' },
    });
    const [listed] = await listChannels(deps, key);
    assert.deepEqual(listed, channel);
    assert.deepEqual(
      [channel.kind, channel.name, channel.verified, channel.off, channel.lastAttempt, channel.createdAt],
      ['webhook', 'Hook', true, null, null, START],
    );
  });

  const refused: [input: CreateChannel, message: string][] = [
    [{ ...MAIL, kind: 'pigeon' }, 'kind has unexpected value'],
    [{ ...MAIL, name: 'x'.repeat(101) }, 'name is too long'],
    [{ ...MAIL, name: 'a\0b' }, 'name is not a string'],
    [{ ...MAIL, settings: {} }, 'email is missing'],
    [{ ...MAIL, settings: { email: 'nobody' } }, 'email is not a valid e-mail address'],
    [{ kind: 'group', name: '', settings: { channels: ['nobody'] } }, 'there is no integration "nobody"'],
    [{ kind: 'group', name: '', settings: { channels: [] } }, 'channels is empty'],
  ];
  for (const [input, message] of refused) {
    test(`creating one is refused: ${message}`, async () => {
      const { deps, key } = await given();

      await assertRefused(createChannel(deps, key, input), 'invalid_field', message);

      assert.deepEqual(await listChannels(deps, key), []);
    });
  }

  test('a name of 100 characters is taken, and so is none', async () => {
    const { deps, key } = await given();

    for (const name of ['🔔'.repeat(100), ''])
      assert.equal((await createChannel(deps, key, { ...MAIL, name })).name, name);
  });

  test('a project has so many channels at the most', async () => {
    const { deps, key, project } = await given();
    const driver = await openTestDriver(app().database);
    const first = await createChannel(deps, key, MAIL);
    await driver.transaction(async (tx) => {
      for (let n = 1; n < MAX_PROJECT_CHANNELS; n++) {
        await tx.run(
          `insert into channels (uuid, project_id, kind, name, settings, created_at)
           select $2, project_id, kind, name, settings, created_at from channels where id = $1`,
          [first.id, deps.random.uuid()],
        );
      }
    });
    await driver[Symbol.asyncDispose]();

    await assertRefused(createChannel(deps, key, MAIL), 'channel_limit_reached');

    assert.equal((await deps.store.channels.ofProject(project.id)).length, MAX_PROJECT_CHANNELS);
  });

  test('an edit keeps what is not given, secrets included, and null takes away', async () => {
    const { deps, key } = await given();
    const { uuid } = await createChannel(deps, key, HOOK);
    const { kind: _kind, ...mail } = await createChannel(deps, key, MAIL);

    await editChannel(deps, key, uuid, { settings: { up: null } });
    await editChannel(deps, key, mail.uuid, { settings: { events: ['down_timeout', 'down_fail'] } });

    assert.deepEqual((await getChannel(deps, key, uuid)).settings, {
      down: { method: 'GET', url: `https://a.example/${MASK}`, headers: {}, body: '' },
      up: null,
    });
    const shown = await getChannel(deps, key, mail.uuid);
    assert.deepEqual(shown.settings, { email: 'alice@example.org' });
    assert.deepEqual(shown.events, ['down_timeout', 'down_fail']);
  });

  test('an edit that would leave no valid settings changes nothing', async () => {
    const { deps, key, reload } = await given();
    const channel = await createChannel(deps, key, HOOK);

    await assertRefused(
      editChannel(deps, key, channel.uuid, { settings: { up: null, down: null } }),
      'invalid_field',
      'down and up are both missing',
    );

    assert.deepEqual(await reload(channel), channel);
  });

  test('settings that cannot be unsealed any more are given anew', async () => {
    const { deps, key } = await given();
    const channel = await createChannel(deps, key, HOOK);
    await deps.store.transaction((tx) =>
      tx.channels.setSettings(channel, { ...channel.settings, sealed: 'bG9zdA' }),
    );

    await editChannel(deps, key, channel.uuid, { settings: { down: { url: 'https://c.example/' } } });

    assert.deepEqual((await getChannel(deps, key, channel.uuid)).settings, {
      down: { method: 'GET', url: 'https://c.example/', headers: {}, body: '' },
      up: null,
    });
  });

  test('a channel is renamed, and stays as it is otherwise', async () => {
    const { deps, key, reload } = await given();
    const channel = await switchChannelOff(deps, key, (await createChannel(deps, key, HOOK)).uuid);

    await renameChannel(deps, key, channel.uuid, 'New name');
    await assertRefused(renameChannel(deps, key, channel.uuid, 'x'.repeat(101)), 'invalid_field');

    assert.deepEqual(await reload(channel), { ...channel, name: 'New name' });
  });

  test('an address has to be confirmed, unless it is the own one, or the operator knows it', async () => {
    const { deps, key, member, system, ownerId } = await given();
    const own = `${deps.random.uuid()}@example.org`;
    const account = await deps.store.transaction((tx) =>
      tx.accounts.insert({
        uuid: deps.random.uuid(),
        email: own,
        passwordHash: null,
        limits: { checks: 1, pings: 1 },
        createdAt: START,
      }),
    );
    const isVerified = async (actor: Actor, email: string, given?: boolean) =>
      (
        await createChannel(deps, actor, {
          ...MAIL,
          settings: { email },
          ...(given !== undefined && { isVerified: given }),
        })
      ).verified;

    assert.equal(await isVerified(key, own), false);
    assert.equal(await isVerified(key, own, true), false);
    assert.equal(await isVerified(member(account.id), own.toUpperCase()), true);
    assert.equal(await isVerified(member(ownerId), own, true), false);
    assert.equal(await isVerified(system, own, true), true);
    assert.equal(await isVerified(system, own), false);
  });

  test('another address has to be confirmed again; other edits keep what was confirmed', async () => {
    const { deps, key, system } = await given();
    const { uuid } = await createChannel(deps, system, { ...MAIL, isVerified: true });

    assert.equal(
      (await editChannel(deps, key, uuid, { settings: { events: ['down_fail'] } })).verified,
      true,
    );
    assert.equal(
      (await editChannel(deps, key, uuid, { settings: { email: 'bob@example.org' } })).verified,
      false,
    );
  });

  test('a link confirms the address that it was sent to, for a week', async () => {
    const { deps, key, reload } = await given();
    const channel = await createChannel(deps, key, MAIL);
    const { address: recipient } = recipientIn(deps, channel) ?? assert.fail();
    const token = confirmationToken(deps, channel, recipient);
    const isVerified = async () => (await reload(channel))?.verified;

    for (const wrong of ['', token.slice(0, -1), `${token}0`, `0${token.slice(1)}`])
      assert.equal(await verifyChannel(deps, channel.uuid, wrong), false);
    assert.equal(await verifyChannel(deps, deps.random.uuid(), token), false, 'of no channel');
    assert.equal(await isVerified(), false);
    assert.equal(await verifyChannel(deps, channel.uuid, token), true);
    assert.equal(await isVerified(), true);

    await editChannel(deps, key, channel.uuid, { settings: { email: 'bob@example.org' } });
    assert.equal(await verifyChannel(deps, channel.uuid, token), false);
    await editChannel(deps, key, channel.uuid, { settings: { email: recipient } });
    app().clock.advance({ seconds: 7 * 86_400 + 1 });
    assert.equal(await verifyChannel(deps, channel.uuid, token), false);
    assert.equal(await isVerified(), false);
  });

  test('a channel is switched off and on; the first reason stays', async () => {
    const { deps, key, reload } = await given();
    const channel = await createChannel(deps, key, HOOK);

    await switchChannelOff(deps, key, channel.uuid);
    await deps.store.transaction((tx) =>
      tx.channels.switchOff(channel, { reason: 'failed', error: 'gone', at: START + 1 }),
    );

    assert.deepEqual((await reload(channel))?.off, { reason: 'switched_off', error: '', at: START });
    assert.deepEqual(await switchChannelOn(deps, key, channel.uuid), channel);
    assert.deepEqual(await reload(channel), channel);
  });

  test('an edit switches a channel on', async () => {
    const { deps, key, reload } = await given();
    const channel = await createChannel(deps, key, HOOK);
    await switchChannelOff(deps, key, channel.uuid);

    await editChannel(deps, key, channel.uuid, { settings: {} });

    assert.equal((await reload(channel))?.off, null);
  });

  test('whoever has unsubscribed is asked again before messages go there', async () => {
    const { deps, key, system } = await given();
    for (const revive of [
      (uuid: string) => switchChannelOn(deps, key, uuid),
      (uuid: string) => editChannel(deps, key, uuid, { settings: {} }),
    ]) {
      const channel = await createChannel(deps, system, { ...MAIL, isVerified: true });
      await unsubscribe(deps, channel);

      const { off, verified } = await revive(channel.uuid);

      assert.deepEqual([off, verified], [null, false]);
    }
  });

  test('whoever unsubscribes from a channel that is off already is asked again, too', async () => {
    const { deps, key, system, reload } = await given();
    const channel = await createChannel(deps, system, { ...MAIL, isVerified: true });
    await switchChannelOff(deps, key, channel.uuid);

    await unsubscribe(deps, channel);

    assert.deepEqual((await reload(channel))?.off, { reason: 'unsubscribed', error: '', at: START });
    assert.equal((await switchChannelOn(deps, key, channel.uuid)).verified, false);
  });

  test('unsubscribing from a channel that was just deleted does nothing', async () => {
    const { deps, key } = await given();
    const channel = await createChannel(deps, key, MAIL);
    await deleteChannel(deps, key, channel.uuid);

    await unsubscribe(deps, channel);
  });

  test('an address that mail was returned from stays confirmed when it is switched on', async () => {
    const { deps, key, system } = await given();
    const channel = await createChannel(deps, system, { ...MAIL, isVerified: true });
    const { uuid } = channel;
    await deps.store.transaction((tx) =>
      tx.channels.switchOff(channel, { reason: 'bounced', error: '550', at: START }),
    );

    assert.equal((await switchChannelOn(deps, key, uuid)).verified, true);
  });

  test('a channel that is deleted leaves its checks and groups, with all that was told to it', async () => {
    const { deps, key, project } = await given();
    const [one, two] = [await createChannel(deps, key, HOOK), await createChannel(deps, key, HOOK)];
    const group = (channels: Channel[]) =>
      createChannel(deps, key, {
        kind: 'group',
        name: '',
        settings: { channels: channels.map(({ uuid }) => uuid) },
      });
    const [both, alone] = [await group([one, two]), await group([one])];
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: START });
    await app().assign(check, one, two);
    await app().receive(check, 'fail');

    await deleteChannel(deps, key, one.uuid);

    assert.equal(await deps.store.channels.byUuid(one.uuid), null);
    assert.deepEqual(await deps.store.checks.channelsOf(check.id), [two.uuid]);
    const told = await listDeliveries(deps, key, check);
    assert.deepEqual(
      told.map(({ channelUuid }) => channelUuid),
      [two.uuid],
    );
    assert.deepEqual((await getChannel(deps, key, both.uuid)).settings, { channels: [two.uuid] });
    assert.deepEqual((await getChannel(deps, key, alone.uuid)).settings, { channels: [] });
    await assertRefused(deleteChannel(deps, key, one.uuid), 'channel_not_found');
  });

  test('a channel with many deliveries is deleted with all of them', async () => {
    const { deps, key, project } = await given();
    const channel = await createChannel(deps, key, HOOK);
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: START });
    await app().assign(check, channel);
    await deps.store.transaction(async (tx) => {
      const flips = await tx.flips.insertMany(
        Array.from({ length: 2_500 }, (_, n) => ({
          checkId: check.id,
          createdAt: START + n,
          oldStatus: 'up' as const,
          newStatus: 'down' as const,
          reason: 'fail' as const,
          cause: 'failed',
        })),
      );
      await tx.deliveries.insertMany(
        flips.map((flip) => ({
          uuid: deps.random.uuid(),
          checkId: check.id,
          channelId: channel.id,
          flipId: flip.id,
          accountId: 0,
          messageId: null,
          ordinal: 0,
          why: '',
          status: 'down',
          state: 'delivered',
          attemptCount: 1,
          nextAttemptAt: null,
          leasedUntilAt: null,
          error: '',
          createdAt: START,
          finishedAt: START,
        })),
      );
    });

    await deleteChannel(deps, key, channel.uuid);

    assert.deepEqual(await deps.store.deliveries.ofCheck(check.id, 10), []);
  });

  test('a message that is under way while its channel is deleted harms nobody', async () => {
    const f = await fixture(app());
    const actor = systemActor(f.check.projectId);
    let deleted = 0;
    f.sender.answer = async ({ check }) => {
      if (check.uuid === f.check.uuid) {
        await deleteChannel(f.app.deps, actor, f.channel.uuid);
        deleted++;
      }
      return { kind: 'delivered' };
    };
    await f.app.receive(f.check, 'fail');

    await drain(f);

    assert.equal(deleted, 1);
    assert.deepEqual(await f.app.deps.store.deliveries.ofCheck(f.check.id, 10), []);
  });

  const verdicts: Outcome[] = [
    { kind: 'permanent', error: 'gone' },
    { kind: 'reconfigure', error: 'moved', settings: { email: 'moved@example.org' } },
  ];
  for (const verdict of verdicts) {
    test(`a verdict on settings that were replaced meanwhile leaves the new ones alone: ${verdict.kind}`, async () => {
      const f = await fixture(app());
      const actor = systemActor(f.check.projectId);
      const mend = () => editChannel(f.app.deps, actor, f.channel.uuid, CHANNEL_EDIT);
      f.sender.answer = async ({ check }) => {
        if (check.uuid !== f.check.uuid || f.sender.sent.length > 1) return { kind: 'delivered' };
        await mend();
        return verdict;
      };
      await f.app.receive(f.check, 'fail');

      await drain(f);

      const after = await f.app.deps.store.channels.byUuid(f.channel.uuid);
      assert.equal(after?.off, null);
      assert.equal(after && recipientIn(f.app.deps, after)?.address, CHANNEL_EDIT.settings.email);
    });
  }

  test('a test message that fails for good leaves settings alone that were replaced meanwhile', async () => {
    const { deps, key, system } = await given();
    const { uuid } = await createChannel(deps, system, { ...MAIL, isVerified: true });

    const result = await sendTestMessage({ ...deps, attempts: new Attempts(deps) }, key, uuid, async () => {
      await editChannel(deps, system, uuid, CHANNEL_EDIT);
      return { kind: 'permanent', error: 'gone' };
    });

    assert.deepEqual([result.error, result.off], ['gone', null]);
  });

  test('what is withheld from a channel that is off has a row that says why', async () => {
    const f = await fixture(app());
    await unsubscribe(f.app.deps, f.channel);
    await f.app.receive(f.check, 'fail');
    await drain(f);
    await switchChannelOn(f.app.deps, systemActor(f.check.projectId), f.channel.uuid);
    await f.app.receive(f.check, 'success');
    await drain(f);

    const told = await f.app.deps.store.deliveries.ofCheck(f.check.id, 10);

    assert.deepEqual(
      told.map(({ status, state, error, attempts }) => [status, state, error, attempts.length]),
      [
        // The system says nothing of the address, which was not confirmed again.
        ['up', 'given_up', 'Email not verified', 1],
        ['down', 'skipped', 'The integration is off: the recipient has unsubscribed', 0],
      ],
    );
  });

  test('what waits when its channel is switched off is withheld, and says why', async () => {
    const f = await fixture(app());
    await f.app.receive(f.check, 'fail');
    await switchChannelOff(f.app.deps, systemActor(f.check.projectId), f.channel.uuid);

    await drain(f);

    const [told] = await f.app.deps.store.deliveries.ofCheck(f.check.id, 10);
    assert.deepEqual(
      [told?.state, told?.error, told?.finishedAt],
      ['skipped', 'The integration is off: somebody switched it off', START],
    );
    assert.equal(f.sender.sent.length, 0);
  });

  test('a change that a channel does not want leaves no row for people', async () => {
    const f = await fixture(app());
    f.sender.wanted.delete('down');
    await f.app.receive(f.check, 'fail');

    await drain(f);

    assert.deepEqual(await f.app.deps.store.deliveries.ofCheck(f.check.id, 10), []);
  });
});
