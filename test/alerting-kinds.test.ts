import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Channel } from '../src/domain/alert/channel.ts';
import { aReply, SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import type { OutboundRequest, Reply } from '../src/integrations/kind/kind.ts';
import { seconds } from '../src/lib/instant.ts';
import { createChannelSender } from '../src/notifier/channel-sender.ts';
import { Notifier } from '../src/notifier/notifier.ts';
import { createTestSender } from '../src/notifier/test-sender.ts';
import { deleteChannel } from '../src/services/alert/channels.ts';
import { listDeliveries } from '../src/services/alert/deliveries.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { log } from './alerts.ts';
import { type ChannelOverrides, SITE, START, sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

const NAMED_SITE = { ...SITE, name: 'Tocsin' };
const MEMBER = (url: string) => ({ kind: 'slack', settings: { url } });

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A project with a check that is up, and a node that sends its messages. */
  async function given() {
    const { project } = await app().givenProject();
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: START });
    const requests: OutboundRequest[] = [];
    const state = { answer: (_request: OutboundRequest): Reply => aReply(200) };
    const sender = createChannelSender({
      http: async (request) => {
        requests.push(request);
        return state.answer(request);
      },
      mail: null,
      server: SERVER,
      vault: app().deps.vault,
      unsubscribeUrl: () => `${SITE.root}/unsubscribe`,
    });
    const notifier = new Notifier(app().deps, sender, {
      site: NAMED_SITE,
      log,
      maxConcurrent: 100,
      maxConcurrentPerDestination: 100,
    });
    return {
      project,
      check,
      requests,
      state,
      sender,
      channel: (fields: ChannelOverrides) => app().givenChannel(project, fields),
      reload: (channel: Channel) => app().deps.store.channels.byId(channel.id),
      drain: async () => {
        while ((await notifier.tick()) === true) await notifier.settled();
      },
      /** The outcome of each message, in the order in which they were made. */
      outcomes: async () =>
        (await listDeliveries(app().deps, systemActor(check.projectId), check))
          .toReversed()
          .map(({ channelUuid, state: end }) => [channelUuid, end]),
    };
  }

  test('a channel of a kind that this program does not know is sent nothing, and others are told', async () => {
    const { check, channel, reload, drain, requests, outcomes } = await given();
    const unknown = await channel({ kind: 'carrier-pigeon', settings: { url: 'https://a.example/pigeon' } });
    const known = await channel(MEMBER('https://a.example/1'));
    await app().assign(check, unknown, known);

    await app().receive(check, 'fail');
    await drain();

    assert.deepEqual(
      requests.map(({ url }) => url),
      ['https://a.example/1'],
    );
    assert.deepEqual(await outcomes(), [
      [unknown.uuid, 'open'],
      [known.uuid, 'delivered'],
    ]);
    const text = 'Channels of the kind "carrier-pigeon" are not supported';
    assert.equal((await reload(unknown))?.lastAttempt?.error, text);
  });

  describe('a group', () => {
    test('tells each of its members once, also one that is assigned itself', async () => {
      const { check, channel, drain, requests, outcomes } = await given();
      const [one, two] = [
        await channel(MEMBER('https://a.example/1')),
        await channel(MEMBER('https://a.example/2')),
      ];
      const group = await channel({ kind: 'group', settings: { channels: [one.uuid, two.uuid] } });
      const other = await channel({ kind: 'group', settings: { channels: [two.uuid] } });
      await app().assign(check, one, group, other);

      await app().receive(check, 'fail');
      await drain();

      assert.deepEqual(requests.map(({ url }) => url).sort(), ['https://a.example/1', 'https://a.example/2']);
      assert.deepEqual(await outcomes(), [
        [one.uuid, 'delivered'],
        [group.uuid, 'delivered'],
        [other.uuid, 'delivered'],
        [two.uuid, 'delivered'],
      ]);
    });

    test('tells its members, but none that is off, gone, a group, or of another project', async () => {
      const { check, channel, drain, requests, outcomes } = await given();
      const stranger = await (await given()).channel(MEMBER('https://b.example/'));
      const good = await channel(MEMBER('https://a.example/good'));
      const off = await channel({ ...MEMBER('https://a.example/off'), isOff: true });
      const inner = await channel({ kind: 'group', settings: { channels: [good.uuid] } });
      const gone = '00000000-0000-4000-8000-000000000000';
      const members = [stranger.uuid, gone, inner.uuid, off.uuid, good.uuid];
      const group = await channel({ kind: 'group', settings: { channels: members } });
      await app().assign(check, group);

      await app().receive(check, 'fail');
      await drain();

      assert.deepEqual(
        requests.map(({ url }) => url),
        ['https://a.example/good'],
      );
      assert.deepEqual(await outcomes(), [
        [group.uuid, 'delivered'],
        [good.uuid, 'delivered'],
        [off.uuid, 'skipped'],
      ]);
    });

    test('without members tells nobody, and that is no failure', async () => {
      const { check, channel, drain, requests, outcomes, reload } = await given();
      const group = await channel({ kind: 'group', settings: { channels: [] } });
      await app().assign(check, group);

      await app().receive(check, 'fail');
      await drain();

      assert.deepEqual(requests, []);
      assert.deepEqual(await outcomes(), [[group.uuid, 'delivered']]);
      const { off, lastAttempt } = (await reload(group)) ?? assert.fail();
      assert.deepEqual([off, lastAttempt?.error], [null, '']);
    });

    test('that has lost a member to a deletion tells those that are left', async () => {
      const { project, check, channel, drain, requests, outcomes } = await given();
      const deleted = await channel(MEMBER('https://a.example/deleted'));
      const left = await channel(MEMBER('https://a.example/left'));
      const group = await channel({ kind: 'group', settings: { channels: [deleted.uuid, left.uuid] } });
      await app().assign(check, group);

      await deleteChannel(app().deps, systemActor(project.id), deleted.uuid);
      await app().receive(check, 'fail');
      await drain();

      assert.deepEqual(
        requests.map(({ url }) => url),
        ['https://a.example/left'],
      );
      assert.deepEqual(await outcomes(), [
        [group.uuid, 'delivered'],
        [left.uuid, 'delivered'],
      ]);
    });

    test('keeps the order of what its members are told', async () => {
      const { check, channel, drain, requests } = await given();
      const member = await channel(MEMBER('https://a.example/'));
      await app().assign(check, await channel({ kind: 'group', settings: { channels: [member.uuid] } }));

      await app().receive(check, 'fail');
      await app().receive(check, 'success');
      await drain();

      const titles = requests.map(({ body }) => JSON.parse(String(body)).attachments[0].color);
      assert.deepEqual(titles, ['danger', 'good']);
    });

    test('sends a test message to each member, and says how many failed', async () => {
      const { project, channel, sender, state, requests } = await given();
      const [one, two] = [
        await channel(MEMBER('https://a.example/1')),
        await channel(MEMBER('https://a.example/2')),
      ];
      const group = await channel({ kind: 'group', settings: { channels: [one.uuid, two.uuid] } });
      const sendTest = createTestSender(app().deps, sender, NAMED_SITE);

      assert.deepEqual(await sendTest(group, project), { kind: 'delivered' });
      state.answer = ({ url }) => aReply(url.endsWith('2') ? 500 : 200);

      assert.deepEqual(await sendTest(group, project), {
        kind: 'try_again',
        error: '1 out of 2 notifications failed',
        afterSeconds: null,
      });
      assert.equal(requests.length, 4);
    });
  });

  test('a chat that has moved is written to at its new place at once, and from then on', async () => {
    const { check, channel, drain, requests, state, reload, outcomes } = await given();
    const chat = await channel({ kind: 'telegram', settings: { id: 1, name: 'On call' } });
    await app().assign(check, chat);
    const chatOf = ({ body }: OutboundRequest) => JSON.parse(String(body)).chat_id;
    state.answer = (request) =>
      chatOf(request) === 1 ? aReply(400, { parameters: { migrate_to_chat_id: 2 } }) : aReply(200);

    await app().receive(check, 'fail');
    await drain();

    assert.deepEqual(requests.map(chatOf), [1, 2]);
    assert.deepEqual((await reload(chat))?.settings.open, { id: 2, name: 'On call' });
    assert.deepEqual(await outcomes(), [[chat.uuid, 'delivered']]);
    const { off, lastAttempt } = (await reload(chat)) ?? assert.fail();
    assert.deepEqual([off, lastAttempt?.error], [null, '']);
  });

  test('the end of an outage answers the message about its begin, after a failed try and for each channel', async () => {
    const { check, channel, drain, requests, state } = await given();
    const chats = [await channel({ kind: 'telegram', settings: { id: 5 } })];
    const member = await channel({ kind: 'telegram', settings: { id: 6 } });
    chats.push(await channel({ kind: 'group', settings: { channels: [member.uuid] } }));
    await app().assign(check, ...chats);
    const bodyOf = ({ body }: OutboundRequest) => JSON.parse(String(body));
    state.answer = (request) => {
      const { chat_id: id } = bodyOf(request);
      return aReply(200, { ok: true, result: { message_id: id * 10, chat: { id } } });
    };
    const repliesTo = () =>
      requests
        .splice(0)
        .map(bodyOf)
        .map(({ chat_id: id, reply_parameters: reply }) => [id, reply?.message_id])
        .sort();

    await app().receive(check, 'fail');
    await drain();
    assert.deepEqual(repliesTo(), [
      [5, undefined],
      [6, undefined],
    ]);
    const take = state.answer;
    state.answer = () => aReply(500);
    await app().receive(check, 'success');
    await drain();
    state.answer = take;
    requests.length = 0;
    app().clock.advance({ minutes: 1 });
    await drain();

    assert.deepEqual(repliesTo(), [
      [5, 50],
      [6, 60],
    ]);
  });

  test('a chat that moves without end is not written to without end', async () => {
    const { check, channel, drain, requests, state } = await given();
    await app().assign(check, await channel({ kind: 'telegram', settings: { id: 1 } }));
    let next = 1;
    state.answer = () => aReply(400, { parameters: { migrate_to_chat_id: ++next } });

    await app().receive(check, 'fail');
    await drain();

    assert.equal(requests.length, 4);
  });

  test('what a chat cannot take now is sent later, and nothing is lost', async () => {
    const { project, channel, drain, requests } = await given();
    const chat = await channel({ kind: 'telegram', settings: { id: 100 } });
    const checks = await Promise.all(
      Array.from({ length: 8 }, () => app().givenCheck(project, { status: 'up', lastPingAt: START })),
    );
    for (const check of checks) await app().assign(check, chat);

    for (const check of checks) await app().receive(check, 'fail');
    await drain();
    assert.equal(requests.length, 6);
    app().clock.set(app().clock.now() + seconds(9));
    await drain();
    assert.equal(requests.length, 6);
    app().clock.set(app().clock.now() + seconds(11));
    await drain();

    assert.equal(requests.length, 8);
  });
});
