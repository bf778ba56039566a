import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { suite, test } from 'node:test';
import { AT, aCheck, anEvent, anEventWithBody, bodyOf } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { dingtalk } from './dingtalk.ts';

const URL_SETTING = 'https://oapi.dingtalk.com/robot/send?access_token=token';

interface Message {
  readonly msgtype: string;
  readonly actionCard?: { title: string; text: string; singleURL: string };
  readonly markdown?: { title: string; text: string };
}

const messageOf = (event: AlertEvent) =>
  bodyOf<Message>(dingtalk.render(event, { url: URL_SETTING, secret: null }, {}));
const urlOf = (event: AlertEvent, secret: string | null) => {
  const calls = dingtalk.render(event, { url: URL_SETTING, secret }, {});
  assert.ok(Array.isArray(calls));
  return new URL(calls[0].url);
};

suite('DingTalk', () => {
  test('the address is signed with the secret and the time of the attempt in milliseconds', () => {
    const query = urlOf(anEvent({ now: AT }), 'SECsecret').searchParams;

    assert.equal(query.get('access_token'), 'token');
    assert.equal(query.get('timestamp'), '1710073805123');
    assert.equal(
      query.get('sign'),
      createHmac('sha256', 'SECsecret').update('1710073805123\nSECsecret').digest('base64'),
    );
  });

  test('without a secret the address stays as it is', () => {
    assert.equal(urlOf(anEvent(), null).href, URL_SETTING);
  });

  test('a message has a button, unless it is a test, which has no page', () => {
    assert.match(messageOf(anEvent()).actionCard?.singleURL ?? '', /\/cloaked\//);
    assert.equal(messageOf(anEvent({ isTest: true })).msgtype, 'markdown');
  });

  test('the title, which a phone shows, tells what is down', () => {
    assert.equal(messageOf(anEvent()).actionCard?.title, '🔴 Nightly backup is DOWN');
  });

  test('a message that is too long loses its body', () => {
    const check = aCheck({ description: '日'.repeat(5000) });
    const long = { ...anEventWithBody(`BODY ${'*日'.repeat(2000)}`), check };

    const text = messageOf(long).actionCard?.text ?? '';

    assert.ok(Buffer.byteLength(text) <= 15_000);
    assert.match(text, /Nightly backup/);
  });
});
