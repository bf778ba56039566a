import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../lib/fields.ts';
import { anEvent, aReply, recordingPorts, SERVER } from './alert-event.test-support.ts';
import type { Direction } from './alert-event.ts';
import {
  CHANNEL_KINDS,
  isChannelKind,
  kindOf,
  openChannel,
  readSettings,
  SERVER_SETTINGS,
} from './registry.ts';

const ADDRESS = { address: 'alice@example.org', down: true, up: false };
const HOOK = { down: { method: 'GET', url: 'http://a/$STATUS', headers: {}, body: '' }, up: null };

const opened = (kind: string, settings: unknown) => openChannel({ kind, settings }, SERVER);
const send = (kind: string, settings: unknown, ports = recordingPorts()) =>
  opened(kind, settings).send(anEvent(), ports);

suite('sending to a stored channel', () => {
  test('each kind goes out through its own port', async () => {
    const ports = recordingPorts();

    assert.deepEqual(await send('email', ADDRESS, ports), { kind: 'delivered' });
    assert.deepEqual(await send('webhook', HOOK, ports), { kind: 'delivered' });

    assert.deepEqual(
      ports.mails.map(({ to }) => to),
      ['alice@example.org'],
    );
    assert.deepEqual(
      ports.requests.map(({ url }) => url),
      ['http://a/down'],
    );
  });

  test('an unknown kind is never sent, and fails with a word about it', async () => {
    for (const kind of ['carrier-pigeon', 'toString', '__proto__', '']) {
      assert.deepEqual(await send(kind, {}), {
        kind: 'try_again',
        error: `Channels of the kind "${kind}" are not supported`,
        afterSeconds: null,
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

      const outcome = await send(kind, settings, ports);

      assert.deepEqual(outcome, { kind: 'try_again', error, afterSeconds: null });
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
    test(`what a port throws is a failure: ${error}`, async () => {
      const ports = {
        ...recordingPorts(),
        http: () => {
          throw what;
        },
        mail: () => Promise.reject(what),
      };

      const expected = { kind: 'try_again', error, afterSeconds: null };
      assert.deepEqual(await send('webhook', HOOK, ports), expected);
      assert.deepEqual(await send('email', ADDRESS, ports), expected);
    });
  }

  test('a request that gets no answer is worth another try', async () => {
    const outcome = await send('webhook', HOOK, recordingPorts({ error: 'Connection timed out' }));

    assert.deepEqual(outcome, { kind: 'try_again', error: 'Connection timed out', afterSeconds: null });
  });

  test('a long error is cut to 200 characters', async () => {
    const reply = aReply(400, { description: '🔔'.repeat(300) });

    const outcome = await send('telegram', { id: 1 }, recordingPorts(reply));

    assert.ok('error' in outcome);
    assert.equal([...outcome.error].length, 200);
  });

  test('a channel wants what its settings say', () => {
    assert.equal(opened('email', ADDRESS).wants('down'), true);
    assert.equal(opened('email', ADDRESS).wants('up'), false);
    assert.equal(opened('webhook', HOOK).wants('down'), true);
    assert.equal(opened('webhook', HOOK).wants('up'), false);
  });

  test('a channel that cannot be understood wants everything, so that its failure is seen', () => {
    for (const to of ['up', 'down'] satisfies Direction[]) {
      assert.equal(opened('carrier-pigeon', {}).wants(to), true);
      assert.equal(opened('email', null).wants(to), true);
    }
  });

  test('kinds that quote bodies say so, and an unknown one does not', () => {
    assert.equal(opened('email', ADDRESS).needsBody, true);
    assert.equal(opened('webhook', HOOK).needsBody, true);
    assert.equal(opened('carrier-pigeon', {}).needsBody, false);
  });
});

suite('the list of kinds', () => {
  for (const name of CHANNEL_KINDS) {
    test(`${name} is complete: no setting is without a label, no secret of the server can be shown`, () => {
      const kind = kindOf(name);
      assert.ok(kind !== null);
      for (const setting of Object.values(kind.settings)) assert.notEqual(setting.label, '');
      for (const variable of Object.keys(kind.server)) assert.ok(variable in SERVER_SETTINGS, variable);
      for (const [variable, { secret }] of Object.entries(kind.server)) {
        if (/TOKEN|SECRET|KEY/.test(variable)) assert.equal(secret, true, variable);
      }
    });
  }

  test('settings of a kind are read by its table, and only by it', () => {
    assert.ok(isChannelKind('slack'));
    assert.deepEqual(readSettings('slack', { url: 'hooks.example.org/a' }), {
      url: 'https://hooks.example.org/a',
    });
    assert.ok(readSettings('slack', {}) instanceof Fault);
  });
});
