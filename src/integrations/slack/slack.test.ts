import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck, anEvent, anEventWithBody, aReply, SERVER } from '../kind/alert-event.test-support.ts';
import { slackPayload } from './payload.ts';
import { slack } from './slack.ts';

const URL_SETTING = { url: 'https://hooks.example.org/services/T/B/secret' };

interface Payload {
  readonly attachments: readonly [
    {
      readonly text: string | null;
      readonly fields: readonly { title: string; value: string; short?: true }[];
    },
  ];
}

const attachmentOf = (event = anEvent()) => (slackPayload(event) as Payload).attachments[0];

suite('Slack', () => {
  test('fields come in a fixed order, and only the long ones take a line of their own', () => {
    const { fields } = attachmentOf();

    assert.deepEqual(
      fields.map(({ title, short = false }) => [title, short]),
      [
        ['Answer', false],
        ['Description', false],
        ['Project', true],
        ['Tags', true],
        ['Period', true],
        ['Total Pings', true],
        ['Last Ping', true],
        ['Last Ping Body', false],
      ],
    );
  });

  test('without a reason and a downtime there is no sentence', () => {
    assert.equal(attachmentOf(anEvent({ to: 'up', reason: '' })).text, null);
  });

  const schedules = [
    ['cron', 'cannot be taken for bold text', '*/5 * * * *', '\u034f*/5 \u034f* \u034f* \u034f* \u034f*'],
    ['oncalendar', 'is written as it is', 'Mon *-*-* 04:*', 'Mon *-*-* 04:*'],
  ] as const;
  for (const [kind, how, schedule, written] of schedules) {
    test(`a schedule of the kind ${kind} ${how}`, () => {
      const cadence = { kind, schedule, tz: 'UTC' };

      const { fields } = attachmentOf(anEvent({ check: aCheck({ cadence }) }));

      assert.equal(fields.find(({ title }) => title === 'Schedule')?.value, written);
    });
  }

  test('a body cannot end its own quotation', () => {
    const { fields } = attachmentOf(anEventWithBody('a ``` b'));

    const { value = '' } = fields.find(({ title }) => title === 'Last Ping Body') ?? {};
    assert.equal(value.replaceAll('\u034f', ''), '```\na ``` b\n```');
    assert.equal(value.split('```').length, 3);
  });

  test('a webhook that is gone switches the channel off, any other refusal is worth another try', () => {
    for (const reply of [aReply(404), aReply(400, 'invalid_token')]) {
      assert.equal(slack.classify(reply).kind, 'permanent');
    }
    for (const reply of [aReply(400, 'invalid_payload'), aReply(500), aReply(203)]) {
      assert.equal(slack.classify(reply).kind, 'try_again');
    }
    assert.equal(slack.classify(aReply(200, 'ok')).kind, 'delivered');
  });

  test('nothing is sent where the operator has switched it off', () => {
    assert.deepEqual(slack.render(anEvent(), URL_SETTING, { ...SERVER, SLACK_ENABLED: false }), {
      kind: 'refused',
      error: 'Slack notifications are not enabled.',
    });
  });
});
