import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { aCheck, anEvent, aReply, SERVER } from '../kind/alert-event.test-support.ts';
import { readSettings } from '../registry.ts';
import { ntfy } from './ntfy.ts';

const TOPIC = {
  url: 'https://ntfy.sh',
  topic: 'news',
  token: null,
  priority_down: 5,
  priority_up: 3,
};

function sent(
  event = anEvent(),
  settings: typeof TOPIC | (Omit<typeof TOPIC, 'token'> & { token: string }) = TOPIC,
) {
  const calls = ntfy.render(event, settings, SERVER);
  assert.ok(Array.isArray(calls));
  const [call] = calls;
  return { url: call.url, headers: call.headers, message: JSON.parse(String(call.body)) };
}

suite('ntfy', () => {
  test('the address is that of the server, and the topic is part of the message', () => {
    const { url, message } = sent();

    assert.equal(url, 'https://ntfy.sh');
    assert.equal(message.topic, 'news');
    assert.equal(message.markdown, true);
    assert.deepEqual(message.tags, ['red_circle']);
    assert.deepEqual(sent(anEvent({ to: 'up', reason: '' })).message.tags, ['green_circle']);
  });

  test('each direction has its priority, and can be switched off', () => {
    assert.equal(sent().message.priority, 5);
    assert.equal(sent(anEvent({ to: 'up', reason: '' })).message.priority, 3);
    assert.equal(ntfy.wants({ ...TOPIC, priority_up: 0 }, 'up'), false);
    assert.equal(ntfy.wants({ ...TOPIC, priority_up: 0 }, 'down'), true);
  });

  test("the operator's token goes to the public server alone, and only if there is no other", () => {
    const authorization = (settings: Parameters<typeof sent>[1]) =>
      sent(anEvent(), settings).headers.Authorization;

    assert.equal(authorization({ ...TOPIC, token: 'tk_own' }), 'Bearer tk_own');
    assert.equal(authorization(TOPIC), `Bearer ${SERVER.NTFY_SH_TOKEN}`);
    assert.equal(authorization({ ...TOPIC, url: 'https://ntfy.example' }), undefined);
    assert.equal(authorization({ ...TOPIC, url: 'http://ntfy.sh' }), undefined);
  });

  test('a topic is required, and has at most 64 characters', () => {
    const valid = (settings: object) => !(readSettings('ntfy', { ...settings }) instanceof Fault);

    assert.ok(valid({ topic: 'x'.repeat(64) }));
    for (const topic of ['', 'x'.repeat(65), 'a/b', 'a b']) assert.ok(!valid({ topic }), topic);
    assert.ok(!valid({}));
    assert.ok(!valid({ topic: 'a', url: 'ftp://a.example' }));
    assert.ok(!valid({ topic: 'a', priority_down: 6 }));
  });

  test('a topic gets six messages a minute', () => {
    assert.deepEqual(ntfy.limit?.(TOPIC), { key: 'ntfy https://ntfy.sh news', messages: 6, perSeconds: 60 });
  });

  test('a message stays below the limit of the server', () => {
    const { message } = sent(anEvent({ check: aCheck({ tags: '日'.repeat(3000) }) }));

    assert.ok(Buffer.byteLength(message.message) <= 4096);
    assert.match(message.message, /^Reason: /);
  });

  test('a refusal is told in the words of the server', () => {
    const reply = aReply(403, { code: 40301, http: 403, error: 'forbidden' });

    assert.deepEqual(ntfy.classify(reply), {
      kind: 'try_again',
      error: 'Received status code 403 with a message: "forbidden"',
      afterSeconds: null,
    });
  });
});
