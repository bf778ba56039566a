import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck, anEvent, aReply, bodyOf } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { googlechat } from './googlechat.ts';

const SETTINGS = { url: 'https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t' };

interface Message {
  readonly cardsV2: readonly [
    { card: { sections: readonly [{ widgets: readonly Record<string, unknown>[] }] } },
  ];
  readonly thread: { readonly threadKey: string };
}

const messageOf = (event: AlertEvent) => bodyOf<Message>(googlechat.render(event, SETTINGS, {}));
const widgetsOf = (event: AlertEvent) => messageOf(event).cardsV2[0].card.sections[0].widgets;

suite('Google Chat', () => {
  test('a card has a paragraph, facts and a button, and neither a description nor a body', () => {
    const [first, ...others] = widgetsOf(anEvent({ check: aCheck({ name: 'a <b> & c' }) }));

    assert.deepEqual(first, {
      textParagraph: {
        text: '🔴 <b>a &lt;b&gt; &amp; c</b> is <b>DOWN</b>.\nReason: success signal did not arrive on time, grace time passed.',
      },
    });
    assert.deepEqual(
      others.map(
        (widget) => (widget.decoratedText as { topLabel?: string })?.topLabel ?? Object.keys(widget)[0],
      ),
      ['textParagraph', 'Project', 'Tags', 'Period', 'Total Pings', 'Last Ping', 'buttonList'],
    );
  });

  test('a test has no button, since there is no page of it', () => {
    assert.ok(!widgetsOf(anEvent({ isTest: true })).some((widget) => 'buttonList' in widget));
  });

  test('messages about one check share a thread', () => {
    const down = anEvent();
    const calls = googlechat.render(down, SETTINGS, {});

    assert.ok(Array.isArray(calls));
    assert.equal(calls[0].url, `${SETTINGS.url}&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD`);
    assert.deepEqual(messageOf(down).thread, messageOf(anEvent({ to: 'up' })).thread);
    assert.notDeepEqual(
      messageOf(down).thread,
      messageOf(anEvent({ check: aCheck({ uniqueKey: 'x' }) })).thread,
    );
  });

  test('a space that is gone switches the channel off, any other refusal is worth another try', () => {
    const gone = { error: { code: 404, message: 'Space not found.', status: 'NOT_FOUND' } };
    assert.equal(googlechat.classify(aReply(404, gone)).kind, 'permanent');
    assert.equal(googlechat.classify(aReply(404)).kind, 'try_again');
    assert.deepEqual(
      googlechat.classify(aReply(400, { error: { message: 'Invalid JSON', status: 'INVALID_ARGUMENT' } })),
      {
        kind: 'try_again',
        error: 'Received status code 400 with a message: "Invalid JSON"',
        afterSeconds: null,
      },
    );
  });
});
