import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { jsm } from '../jsm/jsm.ts';
import { aCheck, anEvent, aReply, SERVER } from '../kind/alert-event.test-support.ts';
import { opsgenie } from './opsgenie.ts';

const KEY = anEvent().check.uniqueKey;
const UP = anEvent({ to: 'up', reason: '' });

function sent(event = anEvent(), region: 'us' | 'eu' = 'us') {
  const calls = opsgenie.render(event, { key: 'genie', region }, SERVER);
  assert.ok(Array.isArray(calls));
  const [call] = calls;
  return { url: call.url, headers: call.headers, alert: JSON.parse(String(call.body)) };
}

suite('Opsgenie', () => {
  test('an alert is created under the key of the check', () => {
    const { url, headers, alert } = sent();

    assert.equal(url, 'https://api.opsgenie.com/v2/alerts');
    assert.equal(headers.Authorization, 'GenieKey genie');
    assert.equal(alert.alias, KEY);
    assert.deepEqual(alert.tags, ['prod', 'db']);
    assert.equal(alert.description, 'Dumps the database.\nRunbook: wiki/backup');
    assert.deepEqual(Object.keys(alert.details), [
      'Project',
      'Period',
      'Total pings',
      'Last ping',
      'Full details',
    ]);
    assert.ok(Object.values(alert.details).every((value) => typeof value === 'string'));
  });

  test('and closed under the same', () => {
    const { url, alert } = sent(UP);

    assert.equal(url, `https://api.opsgenie.com/v2/alerts/${KEY}/close?identifierType=alias`);
    assert.deepEqual(alert, { alias: KEY, source: 'Tocsin' });
  });

  test('the region decides about the host', () => {
    assert.equal(new URL(sent(anEvent(), 'eu').url).host, 'api.eu.opsgenie.com');
    assert.equal(new URL(sent(UP, 'eu').url).host, 'api.eu.opsgenie.com');
  });

  test('tags keep to the limits of Opsgenie', () => {
    const tags = `${'x'.repeat(60)} ${'👩'.repeat(40)} ${'a '.repeat(30)}`;
    const { alert } = sent(anEvent({ check: aCheck({ tags }) }));

    assert.equal(alert.tags.length, 20);
    assert.ok(alert.tags.every((tag: string) => tag.length <= 50));
  });

  test('a schedule is no markup', () => {
    const cadence = { kind: 'cron', schedule: '*/5 * * * *', tz: 'UTC' } as const;

    const { alert } = sent(anEvent({ check: aCheck({ cadence }) }));

    assert.equal(alert.details.Schedule, '<code>*/5 * * * *</code>');
  });

  test('answers are told in the words of Opsgenie, and a key that does not exist switches the channel off', () => {
    assert.equal(opsgenie.classify(aReply(202, { result: 'Request will be processed' })).kind, 'delivered');
    assert.deepEqual(opsgenie.classify(aReply(403, { message: 'Your account is suspended' })), {
      kind: 'try_again',
      error: 'Received status code 403 with a message: "Your account is suspended"',
      afterSeconds: null,
    });
    for (const reply of [
      aReply(401, { message: 'Could not authenticate' }),
      aReply(422, { message: 'Key format is not valid!' }),
    ]) {
      assert.equal(opsgenie.classify(reply).kind, 'permanent');
    }
    assert.equal(
      opsgenie.classify(aReply(422, { message: 'Request body is not processable' })).kind,
      'try_again',
    );
  });

  test('nothing is sent where the operator has switched it off', () => {
    assert.deepEqual(opsgenie.render(anEvent(), { key: 'k', region: 'us' }, { OPSGENIE_ENABLED: false }), {
      kind: 'refused',
      error: 'Opsgenie notifications are not enabled.',
    });
  });

  test('Jira Service Management takes the same', () => {
    const calls = jsm.render(UP, { key: 'genie' }, {});

    assert.ok(Array.isArray(calls));
    assert.equal(
      calls[0]?.url,
      `https://api.atlassian.com/jsm/ops/integration/v2/alerts/${KEY}/close?identifierType=alias`,
    );
  });
});
