import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck, anEvent, aReply, bodyOf } from '../kind/alert-event.test-support.ts';
import { mattermost } from './mattermost.ts';

const SETTINGS = { url: 'https://chat.example.org/hooks/secret' };

interface Payload {
  readonly attachments: readonly [{ title: string; fields: readonly { title: string; value: string }[] }];
}

suite('Mattermost', () => {
  test('the name stays plain in the title, and text in fields is no Markdown and calls nobody', () => {
    const check = aCheck({ name: '*job*', description: '**now** @all' });

    const { attachments } = bodyOf<Payload>(
      mattermost.render(anEvent({ check }), SETTINGS, { MATTERMOST_ENABLED: true }),
    );

    assert.equal(attachments[0].title, '“*job*” is DOWN.');
    assert.equal(attachments[0].fields[1]?.value, '\\*\\*now\\*\\* @\u034fall');
  });

  const schedules = [
    ['cron', 'cannot be taken for bold text', '*/5 * * * *', '\u034f*/5 \u034f* \u034f* \u034f* \u034f*'],
    ['oncalendar', 'is written as it is', 'Mon *-*-* 04:*', 'Mon *-*-* 04:*'],
  ] as const;
  for (const [kind, how, schedule, written] of schedules) {
    test(`a schedule of the kind ${kind} ${how}`, () => {
      const cadence = { kind, schedule, tz: 'UTC' };

      const { attachments } = bodyOf<Payload>(
        mattermost.render(anEvent({ check: aCheck({ cadence }) }), SETTINGS, { MATTERMOST_ENABLED: true }),
      );

      assert.equal(attachments[0].fields.find(({ title }) => title === 'Schedule')?.value, written);
    });
  }

  test('no refusal switches the channel off, and the words of the server are repeated', () => {
    assert.deepEqual(mattermost.classify(aReply(404, { message: 'Invalid webhook.' })), {
      kind: 'try_again',
      error: 'Received status code 404 with a message: "Invalid webhook."',
      afterSeconds: null,
    });
  });

  test('nothing is sent where the operator has switched it off', () => {
    assert.deepEqual(mattermost.render(anEvent(), SETTINGS, { MATTERMOST_ENABLED: false }), {
      kind: 'refused',
      error: 'Mattermost notifications are not enabled.',
    });
  });
});
