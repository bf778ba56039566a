import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { suite, test } from 'node:test';
import { AT, aCheck, anEvent, anEventWithBody, bodyOf } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { lark } from './lark.ts';

const URL_SETTING = 'https://open.feishu.cn/open-apis/bot/v2/hook/token';

interface Message {
  readonly timestamp?: string;
  readonly sign?: string;
  readonly msg_type: string;
  readonly card: {
    readonly header: { template: string; title: { content: string } };
    readonly elements: readonly {
      tag: string;
      text?: { tag: string; content: string };
      fields?: readonly { is_short: boolean; text: { content: string } }[];
      actions?: readonly { url: string }[];
    }[];
  };
}

const messageOf = (event: AlertEvent, secret: string | null = null) =>
  bodyOf<Message>(lark.render(event, { url: URL_SETTING, secret }, {}));

suite('Lark', () => {
  test('a message is signed with the secret and the time of the attempt in seconds', () => {
    const { timestamp, sign } = messageOf(anEvent({ now: AT + 2_000_000 }), 'secret');

    assert.equal(timestamp, '1710073807');
    assert.equal(sign, createHmac('sha256', '1710073807\nsecret').digest('base64'));
  });

  test('without a secret nothing is signed', () => {
    const message = messageOf(anEvent());

    assert.ok(!('timestamp' in message) && !('sign' in message));
  });

  test('the color of the title tells the state, and a button leads to the check', () => {
    const down = messageOf(anEvent()).card;
    const up = messageOf(anEvent({ to: 'up', reason: '' })).card;

    assert.deepEqual([down.header.template, up.header.template], ['red', 'green']);
    assert.equal(down.header.title.content, '“Nightly backup” is DOWN.');
    assert.match(down.elements.at(-1)?.actions?.[0]?.url ?? '', /\/cloaked\//);
  });

  test('text in fields is no Markdown, and calls nobody', () => {
    const { elements } = messageOf(
      anEvent({ check: aCheck({ description: '**a** <at id=all></at>' }) }),
    ).card;

    const fields = elements.find((element) => 'fields' in element)?.fields ?? [];
    assert.equal(
      fields[0]?.text.content,
      '**Description**\n&#42;&#42;a&#42;&#42; &#60;at id=all&#62;&#60;/at&#62;',
    );
  });

  test('a body is plain text', () => {
    const { elements } = messageOf(anEventWithBody('**a** <b>')).card;

    assert.ok(elements.some(({ text }) => text?.tag === 'plain_text' && text.content === '**a** <b>'));
  });

  test('the longest message is below the 20 kB that Lark takes', () => {
    const check = aCheck({ name: '日'.repeat(100), description: '*'.repeat(5000), tags: '日 '.repeat(250) });
    const event = { ...anEventWithBody('日'.repeat(5000)), check };

    assert.ok(Buffer.byteLength(JSON.stringify(messageOf(event, 'secret'))) < 20_000);
  });
});
