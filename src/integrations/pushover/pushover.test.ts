import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { aCheck, anEvent, aReply, recordingPorts, SERVER, VAULT } from '../kind/alert-event.test-support.ts';
import { openChannel, readSettings } from '../registry.ts';
import { pushoverMessage } from './message.ts';
import { pushover } from './pushover.ts';

const USER = { user_key: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG', priority_down: 2, priority_up: 0 };
const UP = anEvent({ to: 'up', reason: '' });

const formsOf = (event = anEvent(), settings = USER) => {
  const calls = pushover.render(event, settings, SERVER);
  assert.ok(Array.isArray(calls));
  return calls.map(({ url, body, isOptional = false }) => ({
    url,
    isOptional,
    form: Object.fromEntries(new URLSearchParams(String(body))),
  }));
};

suite('Pushover', () => {
  test('an emergency says how often and for how long it is repeated', () => {
    const [message] = formsOf();

    assert.equal(message?.form.priority, '2');
    assert.equal(message?.form.retry, '300');
    assert.equal(message?.form.expire, '10800');
    const server = {
      ...SERVER,
      PUSHOVER_EMERGENCY_RETRY_DELAY: 60,
      PUSHOVER_EMERGENCY_EXPIRATION: 7200,
    };
    const calls = pushover.render(anEvent(), USER, server);
    assert.ok(Array.isArray(calls));
    const form = new URLSearchParams(String(calls[0]?.body));
    assert.deepEqual([form.get('retry'), form.get('expire')], ['60', '7200']);
  });

  test('priorities are numbers from -3 to 2', () => {
    for (const priority of [-4, 3, 0.5, '1']) {
      const fault = readSettings('po', { ...USER, priority_down: priority });
      assert.ok(fault instanceof Fault && fault.reason.startsWith('priority_down'), String(priority));
    }
    for (const priority of [-3, 2])
      assert.ok(!(readSettings('po', { ...USER, priority_up: priority }) instanceof Fault));
  });

  test('when a check comes up its emergency is called off first', () => {
    const [cancel, message, ...others] = formsOf(UP);

    assert.match(cancel?.url ?? '', /\/receipts\/cancel_by_tag\/[0-9a-f]{40}\.json$/);
    assert.equal(cancel?.isOptional, true);
    assert.equal(message?.form.priority, '0');
    assert.equal(message?.form.retry, undefined);
    assert.deepEqual(others, []);
  });

  test('there is nothing to call off where going down is no emergency', () => {
    assert.equal(formsOf(UP, { ...USER, priority_down: 1 }).length, 1);
  });

  test('an emergency that cannot be called off does not keep the news back', async () => {
    const ports = recordingPorts();
    const answers = [aReply(500), aReply(200)];
    const http = async (request: Parameters<typeof ports.http>[0]) => {
      await ports.http(request);
      return answers.shift() ?? assert.fail();
    };

    const outcome = await openChannel(
      { kind: 'po', settings: { open: USER, sealed: null } },
      SERVER,
      VAULT,
    ).send(UP, { ...ports, http });

    assert.deepEqual(outcome, { kind: 'delivered' });
    assert.equal(ports.requests.length, 2);
  });

  test('each direction can be switched off', () => {
    assert.equal(pushover.wants({ ...USER, priority_down: -3 }, 'down'), false);
    assert.equal(pushover.wants({ ...USER, priority_down: -3 }, 'up'), true);
    assert.equal(pushover.wants({ ...USER, priority_up: -3 }, 'up'), false);
  });

  test('a user who is gone switches the channel off, another refusal is worth another try', () => {
    assert.deepEqual(pushover.classify(aReply(400, { user: 'invalid', status: 0 })), {
      kind: 'permanent',
      error: 'Received status code 400 (invalid user)',
    });
    assert.equal(pushover.classify(aReply(400, { token: 'invalid' })).kind, 'try_again');
    assert.equal(pushover.classify(aReply(200, { status: 1 })).kind, 'delivered');
  });

  test('without an application nothing is sent', () => {
    assert.deepEqual(pushover.render(anEvent(), USER, { ...SERVER, PUSHOVER_API_TOKEN: null }), {
      kind: 'refused',
      error: 'Pushover notifications are not enabled.',
    });
  });

  test("a message keeps to Pushover's lengths", () => {
    const { title = '', message = '' } = pushoverMessage(
      anEvent({ check: aCheck({ name: '"'.repeat(100), tags: 'x'.repeat(500) }) }),
    );

    assert.ok([...title].length <= 250);
    assert.ok(message.length <= 1_024, `${message.length}`);
  });
});
