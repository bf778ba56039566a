import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { anEvent, recordingPorts } from './alert-event.test-support.ts';
import { needsBody, sendAlert, wantsAlert } from './registry.ts';

const ADDRESS = { address: 'alice@example.org', down: true, up: false };
const HOOK = { down: { method: 'GET', url: 'http://a/$STATUS', headers: {}, body: '' }, up: null };

suite('sending to a stored channel', () => {
  test('each kind goes out through its own port', async () => {
    const ports = recordingPorts();

    assert.deepEqual(await sendAlert('email', ADDRESS, anEvent(), ports), { ok: true });
    assert.deepEqual(await sendAlert('webhook', HOOK, anEvent(), ports), { ok: true });

    assert.deepEqual(
      ports.mails.map(({ to }) => to),
      ['alice@example.org'],
    );
    assert.deepEqual(
      ports.requests.map(({ url }) => url),
      ['http://a/down'],
    );
  });

  test('7: an unknown kind is never sent, and fails with a word about it', async () => {
    for (const kind of ['carrier-pigeon', 'toString', '__proto__', '']) {
      assert.deepEqual(await sendAlert(kind, {}, anEvent(), recordingPorts()), {
        ok: false,
        error: `Channels of the kind "${kind}" are not supported`,
        isPermanent: false,
        retryAfterSeconds: null,
      });
    }
  });

  const broken: [kind: string, settings: unknown, error: string][] = [
    ['email', null, 'Invalid settings: not a mapping'],
    ['email', 'alice@example.org', 'Invalid settings: not a mapping'],
    ['email', {}, 'Invalid settings: email is missing'],
    ['email', { address: 'nobody' }, 'Invalid settings: email is not a valid e-mail address'],
    ['email', { address: 'a@b\r\nBcc: c@d' }, 'Invalid settings: email is not a valid e-mail address'],
    ['webhook', { down: null, up: null }, 'Invalid settings: down and up are both missing'],
    ['webhook', { down: { url: 7 } }, 'Invalid settings: down.url is not a string'],
    ['webhook', [], 'Invalid settings: not a mapping'],
  ];
  for (const [kind, settings, error] of broken) {
    test(`${kind} settings ${JSON.stringify(settings)} fail with a word about it`, async () => {
      const ports = recordingPorts();

      const verdict = await sendAlert(kind, settings, anEvent(), ports);

      assert.deepEqual(verdict, { ok: false, error, isPermanent: false, retryAfterSeconds: null });
      assert.deepEqual([ports.mails, ports.requests], [[], []]);
    });
  }

  const thrown: [what: unknown, error: string][] = [
    [new Error('connect refused\r\nby peer'), 'Sending failed: connect refused by peer'],
    ['text', 'Sending failed: unknown error'],
    [Object.create(null), 'Sending failed: unknown error'],
    [undefined, 'Sending failed: unknown error'],
  ];
  for (const [what, error] of thrown) {
    test(`20: what a port throws is a failure: ${error}`, async () => {
      const ports = {
        ...recordingPorts(),
        http: () => {
          throw what;
        },
        mail: () => Promise.reject(what),
      };

      const expected = { ok: false, error, isPermanent: false, retryAfterSeconds: null };
      assert.deepEqual(await sendAlert('webhook', HOOK, anEvent(), ports), expected);
      assert.deepEqual(await sendAlert('email', ADDRESS, anEvent(), ports), expected);
    });
  }

  test('21: a long error is cut to 200 characters, and keeps the rest of the verdict', async () => {
    const verdict = { ok: false, error: '🔔'.repeat(300), isPermanent: true, retryAfterSeconds: 5 } as const;

    const kept = await sendAlert('webhook', HOOK, anEvent(), recordingPorts(verdict));

    assert.deepEqual(kept, { ...verdict, error: '🔔'.repeat(200) });
  });

  test('12: a channel wants what its settings say', () => {
    assert.equal(wantsAlert('email', ADDRESS, 'down'), true);
    assert.equal(wantsAlert('email', ADDRESS, 'up'), false);
    assert.equal(wantsAlert('webhook', HOOK, 'down'), true);
    assert.equal(wantsAlert('webhook', HOOK, 'up'), false);
  });

  test('a channel that cannot be understood wants everything, so that its failure is seen', () => {
    assert.equal(wantsAlert('carrier-pigeon', {}, 'up'), true);
    assert.equal(wantsAlert('email', null, 'down'), true);
  });

  test('both kinds quote bodies, and an unknown one does not', () => {
    assert.equal(needsBody('email'), true);
    assert.equal(needsBody('webhook'), true);
    assert.equal(needsBody('carrier-pigeon'), false);
  });
});
