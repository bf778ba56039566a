import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ButtonVerb } from '../src/domain/alert/button.ts';
import { aReply, SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import type { OutboundRequest } from '../src/integrations/registry.ts';
import type { HttpResult } from '../src/lib/http-client.ts';
import { createChannelSender } from '../src/notifier/channel-sender.ts';
import { buttonTrouble } from '../src/notifier/message-buttons.ts';
import { Notifier } from '../src/notifier/notifier.ts';
import { createTestSender } from '../src/notifier/test-sender.ts';
import { pollBot, registerBot } from '../src/services/alert/telegram-bot.ts';
import { HeardTaps } from '../src/services/alert/telegram-registration.ts';
import { drain, log } from './alerts.ts';
import { SITE, START, sharedTestApp } from './app.ts';
import { tellBot } from './dashboard/telegram.ts';
import { forEachEngine } from './engines.ts';

const CHAT = -100_123;
const ANNA = { id: 7, first_name: 'Anna' };
const NAMED = { ...SITE, name: 'Tocsin' };
const SETTINGS = { ...SERVER, TELEGRAM_TOKEN: '42:secret', TELEGRAM_POLLING: false };

forEachEngine((engine) => {
  let sent: OutboundRequest[] = [];
  const http = async (request: OutboundRequest): Promise<HttpResult> => {
    sent.push(request);
    return aReply(200, { ok: true, result: { message_id: 5, chat: { id: CHAT } } });
  };
  const app = sharedTestApp(
    engine,
    {},
    { offer: { server: SETTINGS, hasMail: true }, askProvider: (request) => http(request) },
  );

  /** What the bot was asked to do since then: `answerCallbackQuery` and its like, with their fields. */
  const calls = () =>
    sent.map(({ url, body }) => ({ name: url.split('/').at(-1), ...JSON.parse(String(body)) }));

  /** The notifier of a node that asks Telegram itself, or that Telegram tells. */
  function notifierOf(polls: boolean) {
    const server = { ...SETTINGS, TELEGRAM_POLLING: polls };
    const heard = new HeardTaps(app().deps, server, SITE.root);
    const sender = createChannelSender({
      ...{ http, mail: null, server, vault: app().deps.vault, unsubscribeUrl: () => '' },
    });
    const hearsTaps = () => heard.areHeard();
    const notifier = new Notifier(app().deps, sender, {
      ...{ site: NAMED, log, maxConcurrent: 20, maxConcurrentPerDestination: 20, hearsTaps },
    });
    return { notifier, sender, hearsTaps };
  }

  /** A check that has gone down, of which a chat was told with buttons. */
  async function fixture({ buttons = 'pause', polls = true, id = CHAT } = {}) {
    sent = [];
    const { project } = await app().givenProject();
    const settings = { id, type: 'supergroup', name: 'Ops', buttons };
    const channel = await app().givenChannel(project, { kind: 'telegram', name: 'Ops', settings });
    const check = await app().givenCheck(project, { name: 'db-backup', status: 'up', lastPingAt: START });
    await app().assign(check, channel);
    await app().receive(check, 'fail');
    await drain({ app: app(), notifier: notifierOf(polls).notifier });
    const [{ reply_markup: markup } = assert.fail()] = calls().filter(({ name }) => name === 'sendMessage');
    const keys: { text: string; callback_data: string }[] = markup?.inline_keyboard[0] ?? [];
    sent = [];
    const dataOf = (verb: ButtonVerb) =>
      keys.find(({ callback_data: data }) => data.startsWith(verb.charAt(0)))?.callback_data ?? assert.fail();
    const current = async () => (await app().deps.store.checks.byUuid(check.uuid)) ?? assert.fail();
    return { project, check, channel, keys, dataOf, current };
  }

  const tapped = (data: string, { chat = CHAT, from = ANNA as object } = {}) => ({
    update_id: 1,
    callback_query: { id: 'tap', from, data, message: { message_id: 5, chat: { id: chat } } },
  });

  async function tap(...about: Parameters<typeof tapped>) {
    sent = [];
    assert.equal(await tellBot(app(), tapped(...about)), 200);
    return calls();
  }

  async function acts(project: { readonly id: number }) {
    const page = { after: null, from: null, before: null, most: 10 };
    const found = await app().deps.store.auditLog.page({ projectId: project.id }, page);
    return found.map(({ action, actor, means }) => [action, actor, means]);
  }

  test('a tap acknowledges by the name of the person, and the buttons give way to it', async () => {
    const { project, keys, dataOf } = await fixture();
    assert.deepEqual(
      keys.map(({ text }) => text),
      ['Acknowledge', 'Snooze 1 h', 'Pause'],
    );
    for (const { callback_data: data } of keys) assert.ok(Buffer.byteLength(data) <= 64, data);

    const answers = await tap(dataOf('acknowledge'));

    assert.deepEqual(answers, [
      {
        name: 'answerCallbackQuery',
        callback_query_id: 'tap',
        text: 'Acknowledged by Anna in Ops (Telegram).',
        show_alert: false,
      },
      {
        name: 'editMessageReplyMarkup',
        chat_id: CHAT,
        message_id: 5,
        reply_markup: { inline_keyboard: [[{ text: '✓ Acknowledged by Anna', callback_data: 'done' }]] },
      },
    ]);
    assert.deepEqual(await acts(project), [['check.acknowledged', 'Anna in Ops (Telegram)', 'link']]);
    assert.deepEqual(await tap('done'), []);
  });

  test('an update that is read twice has one effect, and the second answer says who was first', async () => {
    const { project, dataOf } = await fixture();
    await tap(dataOf('acknowledge'));

    const [answer] = await tap(dataOf('acknowledge'), { from: { id: 8, first_name: 'Ben' } });

    assert.match(answer.text, /^Already acknowledged by Anna in Ops \(Telegram\) at \d\d:\d\d UTC\.$/);
    assert.equal((await acts(project)).length, 1);
  });

  test('the long name of a person is cut, and one without a name is somebody', async () => {
    const { dataOf } = await fixture();

    const [long] = await tap(dataOf('pause'), { from: { first_name: 'x'.repeat(300) } });
    const [none] = await tap((await fixture()).dataOf('pause'), { from: {} });

    assert.equal(long.text, `Paused by ${'x'.repeat(60)} in Ops (Telegram).`);
    assert.equal(none.text, 'Paused by Somebody in Ops (Telegram).');
  });

  test('a tap keeps the check silent for an hour, and the buttons stay', async () => {
    const { dataOf, current } = await fixture();

    const answers = await tap(dataOf('snooze'));

    assert.deepEqual(
      answers.map(({ name }) => name),
      ['answerCallbackQuery'],
    );
    assert.match(answers[0].text, /^Snoozed until \d\d:\d\d UTC\.$/);
    assert.ok((await current()).snoozedUntilAt !== null);
  });

  test('a tap in another chat, and one whose data was altered, changes nothing and names nothing', async () => {
    const { project, dataOf } = await fixture();
    const other = await fixture({ id: CHAT - 1 });
    const data = dataOf('pause');
    const wrong = [
      [data, { chat: CHAT - 1 }],
      [`a${data.slice(1)}`],
      [data.slice(0, 33) + other.dataOf('pause').slice(33)],
      [`${data.slice(0, -1)}${data.endsWith('0') ? '1' : '0'}`],
    ] as const;
    for (const [given, where] of wrong) {
      const answers = await tap(given, where);

      assert.deepEqual(
        answers.map(({ name, text }) => [name, text]),
        [['answerCallbackQuery', 'This button is not right, or too old.']],
      );
    }
    assert.deepEqual(await acts(project), []);
    assert.deepEqual(await tap('p0'), [], 'this is no button of ours');
  });

  test('what the integration does not allow any more is refused with a sentence', async () => {
    const { channel, dataOf, current } = await fixture();
    const settings = { ...Object(channel.settings.open), buttons: 'answer' };
    await app().deps.store.transaction((tx) =>
      tx.channels.setSettings(channel, { open: settings, sealed: null }),
    );

    const [answer] = await tap(dataOf('pause'));

    assert.equal(answer.text, 'The buttons of this integration were switched off. Nothing was changed.');
    assert.equal((await current()).status, 'down');
  });

  test('where Telegram is asked, a tap is answered within ten seconds', async () => {
    const { dataOf, current } = await fixture();
    let waiting: unknown[] = [];
    const poll = () =>
      pollBot(app().deps, {
        ...{ server: SETTINGS, site: NAMED },
        http: async (request) => {
          const reply = await http(request);
          if (!request.url.endsWith('/getUpdates')) return reply;
          const { offset, allowed_updates: kinds } = JSON.parse(String(request.body));
          assert.ok(kinds.includes('callback_query'));
          if (offset !== undefined) waiting = [];
          return aReply(200, { ok: true, result: waiting });
        },
      });
    await poll();
    waiting = [tapped(dataOf('pause'))];
    app().clock.advance({ seconds: 9 });
    sent = [];

    await poll();

    const answers = calls().filter(({ name }) => name !== 'getUpdates');
    assert.deepEqual(
      answers.map(({ name }) => name),
      ['answerCallbackQuery', 'editMessageReplyMarkup'],
    );
    assert.equal((await current()).status, 'paused');
    assert.deepEqual(waiting, [], 'Telegram has forgotten it');
  });

  test('a tap that cannot be answered keeps nobody else waiting', async () => {
    const [one, other] = [await fixture(), await fixture()];
    let waiting: unknown[] = [
      tapped(one.dataOf('pause')),
      { ...tapped(other.dataOf('pause')), update_id: 2 },
    ];
    let answers = 0;
    const poll = () =>
      pollBot(app().deps, {
        ...{ server: SETTINGS, site: NAMED },
        http: async (request) => {
          if (request.url.endsWith('/answerCallbackQuery') && answers++ === 0)
            throw new Error('a fault of ours');
          if (!request.url.endsWith('/getUpdates')) return http(request);
          if (JSON.parse(String(request.body)).offset !== undefined) waiting = [];
          return aReply(200, { ok: true, result: waiting });
        },
      });
    app().clock.advance({ seconds: 600 });

    await assert.rejects(poll(), /a fault of ours/);

    assert.equal((await other.current()).status, 'paused');
    assert.deepEqual(waiting, [], 'Telegram has forgotten both');
  });

  test('what an older version has registered has no taps: no buttons before the bot is registered again', async () => {
    const { deps } = app();
    const forget = () => deps.store.transaction((tx) => tx.instance.delete('telegram_webhook'));
    await forget();
    assert.deepEqual((await fixture({ polls: false })).keys, []);
    const { hearsTaps } = notifierOf(false);
    const told = () => buttonTrouble('telegram', { root: 'https://tocsin.example.org', hearsTaps });
    assert.match((await told()) ?? '', /Run `tocsin telegram-webhook` once/);

    assert.equal(await registerBot(deps, { server: SETTINGS, site: NAMED, http }), null);
    const [registered] = calls();
    app().clock.advance({ seconds: 61 });

    assert.ok(registered.allowed_updates.includes('callback_query'));
    assert.equal(await told(), null);
    assert.equal((await fixture({ polls: false })).keys.length, 3);
    const elsewhere = new HeardTaps(deps, SETTINGS, 'https://elsewhere.example.org');
    assert.equal(await elsewhere.areHeard(), false, 'Telegram tells another site');
    const another = new HeardTaps(deps, { ...SETTINGS, TELEGRAM_TOKEN: '43:x' }, SITE.root);
    assert.equal(await another.areHeard(), false, 'Telegram tells of another bot');
    await forget();
  });

  test('a button of a test proves the way back, and changes nothing', async () => {
    const { channel, project, current } = await fixture();
    const { sender, hearsTaps } = notifierOf(true);
    await createTestSender(app().deps, sender, NAMED, { hearsTaps })(channel, project);
    const [{ reply_markup: markup }] = calls();

    const answers = await tap(markup.inline_keyboard[0][0].callback_data);

    assert.deepEqual(
      answers.map(({ text }) => text),
      ['It works: this phone reaches Tocsin. Nothing was changed.'],
    );
    assert.equal((await current()).status, 'down');
  });
});
