import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aReply, SERVER } from '../../src/integrations/kind/alert-event.test-support.ts';
import type { OutboundRequest } from '../../src/integrations/registry.ts';
import type { HttpResult } from '../../src/lib/http-client.ts';
import { pollBot } from '../../src/services/alert/telegram-bot.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { givenMember, givenTeam, signedIn } from './team.ts';
import { linkIn, tellBot } from './telegram.ts';

const GROUP = { id: -100_123, type: 'supergroup', title: 'Operations' };

forOneEngine((engine) => {
  let asked: OutboundRequest[] = [];
  const app = sharedTestApp(
    engine,
    {},
    {
      offer: { server: SERVER, hasMail: true },
      askProvider: async (request) => {
        asked.push(request);
        return { error: 'Connection failed' };
      },
    },
  );

  /** Telegram tells the bot of something. Returns the status of the answer, and what the bot has said. */
  async function tell(update: unknown, secret?: string) {
    asked = [];
    const status = await tellBot(app(), update, secret);
    const [said] = asked.map(({ body }) => JSON.parse(String(body)));
    return { status, said };
  }

  const invitationIn = ({ text }: { text: string }) =>
    linkIn(text).searchParams.get('invitation') ?? assert.fail(text);

  const started = async (message: object = {}) => {
    const { said } = await tell({ message: { text: '/start', chat: GROUP, ...message } });
    return invitationIn(said);
  };

  test('whoever starts the bot in a chat gets a link there, even if the answer cannot be sent', async () => {
    const { status, said } = await tell({
      message: { text: '/start@tocsin_bot', chat: GROUP, message_thread_id: 7 },
    });

    assert.equal(status, 200);
    assert.deepEqual([said.chat_id, said.message_thread_id], [GROUP.id, 7]);
    assert.ok(invitationIn(said).length > 0);
    assert.match(asked[0]?.url ?? '', /^https:\/\/api\.telegram\.org\/bot.*\/sendMessage$/);
  });

  test('the bot can be started in chats of all types', async () => {
    const chats = [
      { message: { text: '/start', chat: { id: 5, type: 'private', username: 'alice' } } },
      { message: { text: '/start', chat: { ...GROUP, type: 'group' } } },
      { channel_post: { text: '/start', chat: { ...GROUP, type: 'channel' } } },
    ];
    for (const update of chats) {
      const { status, said } = await tell(update);
      const { chat } = update.message ?? update.channel_post ?? assert.fail();
      assert.deepEqual(
        [status, asked.length, said.chat_id, 'message_thread_id' in said],
        [200, 1, chat.id, false],
      );
    }
  });

  test('where Telegram cannot reach the service, it is asked, and what was answered is forgotten there', async () => {
    const offsets: unknown[] = [];
    const said: unknown[] = [];
    let waiting = [7, 8].map((id) => ({
      update_id: id,
      message: { text: '/start', chat: { ...GROUP, id } },
    }));
    const telegram = (refusal: HttpResult | null = null) => ({
      server: { TELEGRAM_TOKEN: '1:bot' },
      site: { root: 'https://tocsin.example.org', name: 'Tocsin' },
      http: async ({ url, body }: OutboundRequest): Promise<HttpResult> => {
        const given = JSON.parse(String(body));
        if (url.endsWith('/sendMessage')) said.push(given.chat_id);
        if (!url.endsWith('/getUpdates')) return aReply(200, '{}');
        offsets.push(given.offset);
        waiting = waiting.filter(({ update_id: id }) => id >= (given.offset ?? 0));
        return refusal ?? aReply(200, { ok: true, result: waiting });
      },
    });
    const poll = (refusal?: HttpResult) => pollBot(app().deps, telegram(refusal));

    await poll();
    await poll();
    assert.deepEqual(
      [said, offsets],
      [
        [7, 8],
        [undefined, 9],
      ],
      'no node asks again at once',
    );
    app().clock.advance({ seconds: 5 });
    await poll();
    assert.deepEqual(
      [said, offsets],
      [
        [7, 8],
        [undefined, 9, undefined],
      ],
    );

    app().clock.advance({ seconds: 5 });
    await assert.rejects(poll(aReply(409, { description: 'Conflict' })), /status 409/);
    app().clock.advance({ seconds: 299 });
    await poll();
    assert.equal(offsets.length, 4, 'after a refusal it waits for longer');
    app().clock.advance({ seconds: 1 });
    await poll();
    assert.equal(offsets.length, 5);
  });

  test('everything else that people say is taken in silence', async () => {
    const updates = [
      {},
      { message: { text: 'hello', chat: GROUP } },
      { message: { chat: GROUP } },
      { message: { text: '/start', chat: { ...GROUP, type: 'secret' } } },
      { message: { text: '/start', chat: { ...GROUP, id: 'x' } } },
      { message: { text: '/start', chat: GROUP, message_thread_id: 'x' } },
      { edited_message: { text: '/start', chat: GROUP } },
    ];
    for (const update of updates) assert.deepEqual(await tell(update), { status: 200, said: undefined });
  });

  test('only Telegram itself is heard, and only JSON', async () => {
    const update = { channel_post: { text: '/start', chat: { ...GROUP, type: 'channel' } } };

    assert.deepEqual(await tell(update, 'a wrong secret'), { status: 403, said: undefined });
    assert.deepEqual(await tell('no JSON'), { status: 400, said: undefined });
    assert.equal((await tell(update)).status, 200);
  });

  test('the person chooses the project, and the chat gets its alerts', async () => {
    const { browser, project, path } = await givenTeam(app());
    const invitation = await started({ message_thread_id: 9 });

    const { json } = await browser.post('/do/openChannelInvitation', { invitation });
    assert.deepEqual([json.label, json.destination], ['Telegram', 'Operations']);
    assert.deepEqual(
      json.choices.map(({ name }: { name: string }) => name),
      [project.name],
    );
    const made = await browser.post('/do/chooseDestination', { choice: json.choices[0].choice });

    assert.deepEqual([made.status, made.json.project, made.json.added], [200, project.uuid, ['Operations']]);
    const [channel] = (await browser.get(`${path}/read/channelOverview`)).json.channels;
    const { json: details } = await browser.post(`${path}/read/channelDetails`, { channel: channel.id });
    assert.deepEqual(details.settings, {
      id: GROUP.id,
      thread_id: 9,
      type: 'supergroup',
      name: 'Operations',
    });
  });

  test('only projects that the person may edit are offered', async () => {
    const { project } = await givenTeam(app());
    const reader = await givenMember(app(), project, 'read_only');

    const { json } = await reader.browser.post('/do/openChannelInvitation', { invitation: await started() });

    assert.deepEqual(json.choices, []);
  });

  test('whoever may no longer edit the project adds no chat to it', async () => {
    const { project, browser, path } = await givenTeam(app());
    const member = await givenMember(app(), project, 'member');
    const { json } = await member.browser.post('/do/openChannelInvitation', { invitation: await started() });
    await app().deps.store.transaction((tx) =>
      tx.projects.setRole(project.id, member.account.id, 'read_only'),
    );

    const { choice } = json.choices[0];
    assert.equal((await member.browser.post('/do/chooseDestination', { choice })).status, 403);
    assert.equal((await member.browser.post('/do/chooseDestination', { choice: 'made up' })).status, 403);
    assert.equal((await member.browser.post('/do/chooseDestination', {})).status, 400);
    assert.deepEqual((await browser.get(`${path}/read/channelOverview`)).json.channels, []);
  });

  test('a choice belongs to the session to which it was offered', async () => {
    const { browser, account } = await givenTeam(app());
    const other = await signedIn(app(), account);
    const { json } = await browser.post('/do/openChannelInvitation', { invitation: await started() });

    const reply = await other.browser.post('/do/chooseDestination', { choice: json.choices[0].choice });

    assert.deepEqual([reply.status, reply.json.code], [403, 'connection_expired']);
  });

  test('a link works for ten minutes, and made-up ones never', async () => {
    const { browser } = await givenTeam(app());
    const invitation = await started();
    app().clock.advance({ seconds: 600 });

    for (const old of [invitation, 'x', '']) {
      const { status, json } = await browser.post('/do/openChannelInvitation', { invitation: old });
      assert.deepEqual([status, json.code], [403, 'connection_expired']);
    }
    assert.equal((await browser.post('/do/openChannelInvitation', {})).status, 400);
  });
});
