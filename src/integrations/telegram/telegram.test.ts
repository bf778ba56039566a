import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck, anEvent, anEventWithBody, aReply } from '../kind/alert-event.test-support.ts';
import { telegramText } from './message.ts';
import { telegram } from './telegram.ts';

const CHAT = { id: -100_123, thread_id: null, type: 'group', name: 'On call' } as const;
const BOT = { TELEGRAM_TOKEN: '1:t', TELEGRAM_BOT_NAME: null, TELEGRAM_POLLING: false };

suite('Telegram', () => {
  test('a topic of a group is named in the message', () => {
    const calls = telegram.render(anEvent(), { ...CHAT, thread_id: 7 }, BOT);

    assert.ok(Array.isArray(calls));
    assert.equal(JSON.parse(String(calls[0]?.body)).message_thread_id, 7);
  });

  test('a group that became a supergroup has another id from then on', () => {
    const reply = aReply(400, {
      ok: false,
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: -1_001_234 },
    });

    assert.deepEqual(telegram.classify(reply), {
      kind: 'reconfigure',
      error:
        'Received status code 400 with a message: "Bad Request: group chat was upgraded to a supergroup chat"',
      settings: { id: -1_001_234 },
    });
  });

  test('the end of an outage answers the message about its begin, in the same chat and if it is still there', () => {
    const sent = aReply(200, { ok: true, result: { message_id: 42, chat: { id: CHAT.id } } });
    const outcome = telegram.classify(sent);
    assert.deepEqual(outcome, { kind: 'delivered', providerId: `${CHAT.id} 42` });
    const replyIn = (id: number, providerId: string | null) => {
      const answers = { deliveryId: anEvent().deliveryId, providerId };
      const up = anEvent({ to: 'up', reason: '', answers });
      const calls = telegram.render(up, { ...CHAT, id }, BOT);
      assert.ok(Array.isArray(calls));
      return JSON.parse(String(calls[0]?.body)).reply_parameters;
    };

    assert.deepEqual(replyIn(CHAT.id, outcome.providerId), {
      message_id: 42,
      allow_sending_without_reply: true,
    });
    assert.equal(replyIn(7, outcome.providerId), undefined);
    assert.equal(replyIn(CHAT.id, null), undefined);
  });

  test('a message without a number is delivered all the same', () => {
    for (const body of ['', 'no JSON', { result: true }, { result: { message_id: 'x', chat: { id: 1 } } }]) {
      assert.deepEqual(telegram.classify(aReply(200, body)), { kind: 'delivered' });
    }
  });

  for (const description of [
    'Forbidden: the group chat was deleted',
    'Forbidden: bot was blocked by the user',
    'Forbidden: user is deactivated',
    'Forbidden: bot was kicked from the group chat',
    'Forbidden: bot was kicked from the supergroup chat',
    'Bad Request: chat not found',
  ]) {
    test(`"${description}" switches the channel off`, () => {
      assert.equal(telegram.classify(aReply(403, { description })).kind, 'permanent');
    });
  }

  test('other refusals are worth another try, with what Telegram says of them', () => {
    assert.deepEqual(telegram.classify(aReply(400, { description: 'Bad Request: message is too long' })), {
      kind: 'try_again',
      error: 'Received status code 400 with a message: "Bad Request: message is too long"',
      afterSeconds: null,
    });
    for (const body of ['no JSON', '[]', 'null', { description: 7, parameters: 'x' }]) {
      assert.deepEqual(telegram.classify(aReply(502, body)), {
        kind: 'try_again',
        error: 'Received status code 502',
        afterSeconds: null,
      });
    }
  });

  test('a pause that Telegram asks for is kept', () => {
    const reply = aReply(429, { description: 'Too Many Requests', parameters: { retry_after: 35 } });

    assert.deepEqual(telegram.classify(reply), {
      kind: 'try_again',
      error: 'Received status code 429 with a message: "Too Many Requests"',
      afterSeconds: 35,
    });
  });

  test('a chat gets six messages a minute', () => {
    assert.deepEqual(telegram.limit?.(CHAT), { key: 'telegram -100123', messages: 6, perSeconds: 60 });
  });

  test('without a bot nothing is sent', () => {
    assert.deepEqual(telegram.render(anEvent(), CHAT, { ...BOT, TELEGRAM_TOKEN: null }), {
      kind: 'refused',
      error: 'Telegram notifications are not enabled.',
    });
  });

  test('a message that would be too long sheds its body, then its details, and never its headline', () => {
    const longBody = telegramText(anEventWithBody('&'.repeat(1_000)));
    const longTags = telegramText(
      anEvent({ check: aCheck({ name: '"'.repeat(200), tags: '"'.repeat(500) }) }),
    );
    const longName = telegramText(anEvent({ check: aCheck({ name: '<'.repeat(5_000) }) }));

    for (const text of [longBody, longTags, longName]) assert.ok(text.length <= 4_096, `${text.length}`);
    assert.match(longBody, /Total Pings/);
    assert.doesNotMatch(longBody, /Last Ping Body/);
    assert.doesNotMatch(longTags, /Total Pings/);
    assert.match(longName, /is <b>DOWN<\/b>/);
  });
});
