import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck, anEvent, aPing, aReply, bodyOf } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { rocketchat } from './rocketchat.ts';

const SETTINGS = { url: 'https://chat.example.org/hooks/1/secret' };

interface Payload {
  readonly alias: string;
  readonly text: string;
  readonly attachments: readonly [{ color: string; fields: readonly { title: string; value: string }[] }];
}

const payloadOf = (event: AlertEvent) =>
  bodyOf<Payload>(rocketchat.render(event, SETTINGS, { ROCKETCHAT_ENABLED: true }));
const bodyField = (event: AlertEvent) =>
  payloadOf(event).attachments[0].fields.find(({ title }) => title === 'Last Ping Body')?.value;

suite('Rocket.Chat', () => {
  test('the color tells the state, and the message bears the name of the service', () => {
    const down = payloadOf(anEvent());
    const up = payloadOf(anEvent({ to: 'up', reason: '' }));

    assert.deepEqual([down.attachments[0].color, up.attachments[0].color], ['#d9534f', '#5cb85c']);
    assert.equal(down.alias, 'Tocsin');
  });

  test('the name is a link, and no Markdown', () => {
    const { text } = payloadOf(anEvent({ check: aCheck({ name: 'a_b*' }) }));

    assert.match(text, /^\[a\\_b\\\*\]\(https:\/\/tocsin\.example\.org\/cloaked\/\w+\/\) is \*\*DOWN\*\* \(/);
  });

  test('a body is told by its size, with a link to the ping', () => {
    assert.match(
      bodyField(anEvent({ ping: aPing({ bodySize: 1 }) })) ?? '',
      /^1 byte, \[show body\]\(.*#ping-42\)$/,
    );
    assert.match(bodyField(anEvent({ ping: aPing({ bodySize: 2 }) })) ?? '', /^2 bytes, /);
    assert.equal(bodyField(anEvent({ ping: aPing({ bodySize: 0 }) })), undefined);
    assert.equal(bodyField(anEvent({ ping: null })), undefined);
    assert.equal(
      bodyField(anEvent({ isTest: true, ping: aPing({ bodySize: 1 }) })),
      '1 byte',
      'a test has no page',
    );
  });

  test('a workspace that is not found is tried again, and so is a message that its script refuses', () => {
    assert.equal(rocketchat.classify(aReply(404)).kind, 'try_again');
    assert.deepEqual(rocketchat.classify(aReply(200, { success: false, error: 'no channel' })), {
      kind: 'try_again',
      error: 'Received status code 200 with a message: "no channel"',
      afterSeconds: null,
    });
    assert.equal(rocketchat.classify(aReply(200, { success: true })).kind, 'delivered');
  });

  test('nothing is sent where the operator has switched it off', () => {
    assert.deepEqual(rocketchat.render(anEvent(), SETTINGS, { ROCKETCHAT_ENABLED: false }), {
      kind: 'refused',
      error: 'Rocket.Chat notifications are not enabled.',
    });
  });
});
