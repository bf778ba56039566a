import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { seconds } from '../../lib/instant.ts';
import { aCheck, anEvent, aReply } from '../kind/alert-event.test-support.ts';
import { readSettings } from '../registry.ts';
import { alertmanager } from './alertmanager.ts';

const KEY = anEvent().check.uniqueKey;
const SERVER_AT = {
  url: 'https://alerts.example/am',
  user: '',
  password: null,
  severity: 'page',
  labels: 'team=platform, env = prod',
  hours: 24,
};

function sent(event = anEvent(), settings: Parameters<typeof alertmanager.render>[1] = SERVER_AT) {
  const calls = alertmanager.render(event, settings, {});
  assert.ok(Array.isArray(calls));
  const [call] = calls;
  const [alert, ...others] = JSON.parse(String(call.body));
  assert.deepEqual(others, []);
  return { url: call.url, headers: call.headers, alert };
}

suite('Alertmanager', () => {
  test('an alert is known by labels that stay the same until its end', () => {
    const renamed = anEvent({
      to: 'up',
      reason: '',
      downFor: seconds(600),
      check: aCheck({ name: 'Another name', tags: 'other' }),
      projectName: 'Other',
    });
    const [down, up] = [sent(), sent(renamed)];

    assert.equal(down.url, 'https://alerts.example/am/api/v2/alerts');
    assert.deepEqual(down.alert.labels, {
      alertname: 'CheckDown',
      check: KEY,
      severity: 'page',
      team: 'platform',
      env: 'prod',
    });
    assert.deepEqual(up.alert.labels, down.alert.labels);
  });

  test('it lasts until the check comes up, or until the time is over that the settings say', () => {
    const down = anEvent();
    const up = anEvent({ to: 'up', reason: '', at: down.at + seconds(600), downFor: seconds(600) });

    assert.equal(sent(down).alert.startsAt, '2024-03-10T12:30:05.123456+00:00');
    assert.equal(sent(down).alert.endsAt, '2024-03-11T12:30:05.123456+00:00');
    assert.equal(sent(up).alert.startsAt, '2024-03-10T12:30:05.123456+00:00');
    assert.equal(sent(up).alert.endsAt, '2024-03-10T12:40:05.123456+00:00');
  });

  test('an end without a known beginning does not begin after it', () => {
    const { alert } = sent(anEvent({ to: 'up', reason: '' }));

    assert.equal(alert.startsAt, alert.endsAt);
  });

  test('a password is sent with a user, and alone as a bearer token', () => {
    const authorization = (user: string, password: string | null) =>
      sent(anEvent(), { ...SERVER_AT, user, password }).headers.Authorization;

    assert.equal(authorization('', null), undefined);
    assert.equal(authorization('', 'token'), 'Bearer token');
    assert.equal(authorization('me', 'pass'), `Basic ${Buffer.from('me:pass').toString('base64')}`);
  });

  for (const labels of ['team', '1a=b', 'a=', 'alertname=x', '__name=x', 'a=b=c', 'a b=c']) {
    test(`"${labels}" are no labels`, () => {
      const values = readSettings('alertmanager', { url: 'https://a.example', labels });

      assert.ok(values instanceof Fault && values.reason === 'labels is not a valid list of labels');
    });
  }

  test('a refusal is told in the words of the server', () => {
    const reply = aReply(400, '"start time must be before end time"');

    assert.deepEqual(alertmanager.classify(reply), {
      kind: 'try_again',
      error: 'Received status code 400 with a message: "start time must be before end time"',
      afterSeconds: null,
    });
    assert.equal(alertmanager.classify(aReply(502, '<html>')).kind, 'try_again');
  });
});
