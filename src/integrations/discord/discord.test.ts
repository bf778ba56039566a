import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  aCheck,
  anEvent,
  anEventWithBody,
  aReply,
  bodyOf,
  SERVER,
} from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { discord } from './discord.ts';

const URL_SETTING = { url: 'https://discord.com/api/webhooks/1/token' };

interface Payload {
  readonly attachments: readonly [{ title: string; fields: readonly { title: string; value: string }[] }];
}

const fieldsOf = (event: AlertEvent) =>
  bodyOf<Payload>(discord.render(event, URL_SETTING, SERVER)).attachments[0].fields;

const urlOf = (url: string) => {
  const calls = discord.render(anEvent(), { url }, SERVER);
  assert.ok(Array.isArray(calls));
  return calls[0].url;
};

suite('Discord', () => {
  const addresses: [given: string, called: string][] = [
    ['https://discord.com/api/webhooks/1/token', 'https://discord.com/api/webhooks/1/token/slack'],
    ['https://discord.com/api/webhooks/1/token/', 'https://discord.com/api/webhooks/1/token/slack'],
    ['https://discord.com/api/webhooks/1/token/slack', 'https://discord.com/api/webhooks/1/token/slack'],
    ['https://discordapp.com/api/webhooks/1/token', 'https://discord.com/api/webhooks/1/token/slack'],
    [
      'https://discord.com/api/webhooks/1/token?thread_id=7',
      'https://discord.com/api/webhooks/1/token/slack?thread_id=7',
    ],
  ];
  for (const [given, called] of addresses) {
    test(`${given} takes messages in Slack's form at ${called}`, () => assert.equal(urlOf(given), called));
  }

  test('a schedule cannot be taken for bold text', () => {
    const cadence = { kind: 'cron', schedule: '*/5 * * * *', tz: 'UTC' } as const;

    const fields = fieldsOf(anEvent({ check: aCheck({ cadence }) }));

    assert.equal(fields.find(({ title }) => title === 'Schedule')?.value, '\\*/5 \\* \\* \\* \\*');
  });

  test('no field is longer than Discord takes', () => {
    const check = aCheck({ description: '*'.repeat(2000), tags: 'ü* '.repeat(160) });

    for (const body of ['*'.repeat(2000), '👩‍👧'.repeat(900)]) {
      for (const { value } of fieldsOf({ ...anEventWithBody(body), check })) assert.ok(value.length <= 1024);
    }
  });

  test('a webhook that is gone switches the channel off, and a limit is kept', () => {
    assert.deepEqual(discord.classify(aReply(404, { message: 'Unknown Webhook', code: 10015 })), {
      kind: 'permanent',
      error: 'Received status code 404 with a message: "Unknown Webhook"',
    });
    const limited = aReply(
      429,
      { message: 'You are being rate limited.', retry_after: 0.5 },
      { 'retry-after': '1' },
    );
    assert.deepEqual(discord.classify(limited), {
      kind: 'try_again',
      error: 'Received status code 429 with a message: "You are being rate limited."',
      afterSeconds: 1,
    });
  });
});
