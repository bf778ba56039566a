import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { anEvent, aReply } from '../kind/alert-event.test-support.ts';
import { readSettings } from '../registry.ts';
import { gotify } from './gotify.ts';

const APP = { url: 'https://push.example', token: 'tok/en', priority_down: 9, priority_up: null };

function sent(event = anEvent(), settings: Parameters<typeof gotify.render>[1] = APP) {
  const calls = gotify.render(event, settings, {});
  assert.ok(Array.isArray(calls));
  return { url: calls[0]?.url, message: JSON.parse(String(calls[0]?.body)) };
}

suite('Gotify', () => {
  for (const [server, url] of [
    ['https://push.example', 'https://push.example/message?token=secret'],
    ['https://push.example/', 'https://push.example/message?token=secret'],
    ['https://push.example/sub', 'https://push.example/sub/message?token=secret'],
    ['https://push.example/sub/', 'https://push.example/sub/message?token=secret'],
  ]) {
    test(`a message to ${server} goes to ${url}`, () => {
      const values = readSettings('gotify', { url: server, token: 'secret' });
      assert.ok(!(values instanceof Fault));

      assert.equal(sent(anEvent(), values as typeof APP).url, url);
    });
  }

  test('a token is encoded', () => {
    assert.match(sent().url ?? '', /\?token=tok%2Fen$/);
  });

  test('each direction has its priority, or that of the application', () => {
    assert.equal(sent().message.priority, 9);
    assert.ok(!('priority' in sent(anEvent({ to: 'up', reason: '' })).message));
    assert.equal(gotify.wants({ ...APP, priority_up: 0 }, 'up'), false);
    assert.equal(gotify.wants(APP, 'up'), true);
  });

  test('priorities are numbers from 0 to 10', () => {
    for (const priority of [-1, 11, 'high', 1.5]) {
      const values = readSettings('gotify', { ...APP, priority_down: priority });

      assert.ok(values instanceof Fault && values.reason.startsWith('priority_down'), String(priority));
    }
  });

  test('a refusal is told in the words of the server', () => {
    const reply = aReply(401, { error: 'Unauthorized', errorCode: 401, errorDescription: 'no such token' });

    assert.deepEqual(gotify.classify(reply), {
      kind: 'try_again',
      error: 'Received status code 401 with a message: "no such token"',
      afterSeconds: null,
    });
  });
});
