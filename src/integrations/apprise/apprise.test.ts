import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { anEvent, aReply } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { apprise } from './apprise.ts';

const SETTINGS = { url: 'json://user:password@example.org/path' };

suite('Apprise', () => {
  const sent = (event: AlertEvent, server: string | null = 'http://apprise:8000/') => {
    const calls = apprise.render(event, SETTINGS, { APPRISE_API_URL: server });
    assert.ok(Array.isArray(calls));
    return { url: calls[0]?.url, isOperators: calls[0]?.isOperators, ...JSON.parse(String(calls[0]?.body)) };
  };

  test('gets the URL, the title and a type that follows the direction', () => {
    const down = sent(anEvent({ reason: 'fail' }));
    const up = sent(anEvent({ to: 'up', reason: '' }));

    assert.deepEqual([down.url, down.isOperators], ['http://apprise:8000/notify/', true]);
    assert.deepEqual([down.urls, down.title, down.type], [SETTINGS.url, 'Nightly backup is DOWN', 'failure']);
    assert.match(down.body, /^Reason: received a failure signal\./);
    assert.equal(up.type, 'success');
  });

  test('is told with its hosts, so that private ones can be refused', () => {
    const [call] = [apprise.render(anEvent(), SETTINGS, { APPRISE_API_URL: 'http://apprise' })].flat();
    assert.ok(call !== undefined && 'passedOnTo' in call);
    assert.deepEqual(call.passedOnTo, ['example.org']);
  });

  test('that is not there is told as such', () => {
    assert.deepEqual(apprise.render(anEvent(), SETTINGS, { APPRISE_API_URL: null }), {
      kind: 'refused',
      error: 'Apprise is disabled and/or not installed',
    });
  });

  test('that fails says so, without the words of the server, which may repeat the URL', () => {
    assert.deepEqual(apprise.classify(aReply(424, { error: SETTINGS.url })), {
      kind: 'try_again',
      error: 'Failed',
      afterSeconds: null,
    });
    assert.equal(apprise.classify(aReply(200)).kind, 'delivered');
  });

  test('shows of a URL nothing but its scheme', () => {
    assert.equal(apprise.target(SETTINGS), 'json');
    assert.equal(apprise.settings.url.shown?.(SETTINGS.url), 'json://••••••••');
  });
});
