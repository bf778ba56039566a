import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { aCheck, anEvent, aReply, SERVER } from '../kind/alert-event.test-support.ts';
import { pushbullet } from './pushbullet.ts';

function noteOf(event = anEvent()) {
  const calls = pushbullet.render(event, { token: 'o.token' }, SERVER);
  assert.ok(Array.isArray(calls));
  return { headers: calls[0]?.headers, ...JSON.parse(String(calls[0]?.body)) };
}

suite('Pushbullet', () => {
  test('a note has the token in its header, and plain text', () => {
    const note = noteOf(anEvent({ check: aCheck({ name: 'R&D "nightly"' }) }));

    assert.equal(note.headers['Access-Token'], 'o.token');
    assert.equal(note.type, 'note');
    assert.equal(note.title, 'Tocsin');
    assert.match(note.body, /^R&D "nightly" is DOWN \(/);
  });

  test('an end tells how long the check was down', () => {
    const note = noteOf(anEvent({ to: 'up', reason: '', downFor: seconds(5400) }));

    assert.match(
      note.body,
      /^Nightly backup is UP \(was down for 1 h 30 min\)\.\nThe downtime lasted 1 hour, 30 minutes\.\n/,
    );
  });

  test('a token that was revoked switches the channel off', () => {
    const error = { code: 'invalid_access_token', message: 'Access token is missing or invalid.' };

    assert.deepEqual(pushbullet.classify(aReply(401, { error })), {
      kind: 'permanent',
      error: 'Received status code 401 with a message: "Access token is missing or invalid."',
    });
    for (const body of ['', 'no JSON', { error: 'x' }, { error: null }]) {
      assert.equal(pushbullet.classify(aReply(400, body)).kind, 'try_again');
    }
  });

  test('a limit is kept until it ends, as the answer says', () => {
    const headers = { date: 'Sun, 24 May 2015 06:00:00 GMT', 'x-ratelimit-reset': '1432447270' };

    assert.deepEqual(pushbullet.classify(aReply(429, '', headers)), {
      kind: 'try_again',
      error: 'Received status code 429',
      afterSeconds: 70,
    });
    assert.deepEqual(pushbullet.classify(aReply(429, '', { 'x-ratelimit-reset': 'soon' })), {
      kind: 'try_again',
      error: 'Received status code 429',
      afterSeconds: null,
    });
  });
});
