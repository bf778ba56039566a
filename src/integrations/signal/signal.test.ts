import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { Outcome } from '../../domain/alert/delivery.ts';
import { Fault } from '../../lib/fields.ts';
import { seconds } from '../../lib/instant.ts';
import { SocketClient } from '../../lib/socket-client.ts';
import { aCheck, anEvent, recordingPorts } from '../kind/alert-event.test-support.ts';
import type { Ports } from '../kind/kind.ts';
import { signalMessage } from './message.ts';
import { signalTarget } from './rpc.ts';
import { signal } from './signal.ts';
import { bold, monospace, styledText } from './styled-text.ts';

const RECIPIENT = { recipient: '+15551234567' };
const EVENT = anEvent();

/** An attempt at a signal-cli that writes these lines. */
async function answeredWith(
  lines: string | ((id: string) => string),
  overrides: Partial<Ports> = {},
): Promise<Outcome> {
  const text = typeof lines === 'string' ? lines : lines(EVENT.deliveryId);
  const pieces = text.match(/[\s\S]{1,7}/g) ?? [];
  const ports: Ports = {
    ...recordingPorts(),
    converse: (_target, talk) =>
      talk({
        write: () => undefined,
        end: () => undefined,
        read: async () => {
          const piece = pieces.shift();
          return piece === undefined ? null : new TextEncoder().encode(piece);
        },
      }),
    ...overrides,
  };
  return signal.deliver(EVENT, RECIPIENT, ports, { SIGNAL_CLI_SOCKET: '/run/signal' });
}

const failure =
  (type: string, extra: object = {}) =>
  (id: string) =>
    `${JSON.stringify({ jsonrpc: '2.0', error: { code: -5, data: { response: { results: [{ type, ...extra }] } } }, id })}\n`;

const again = (error: string): Outcome => ({ kind: 'try_again', error, afterSeconds: null });

suite('what signal-cli answers', () => {
  test('no error is a success, among answers to others', async () => {
    const others =
      '{"jsonrpc":"2.0","method":"receive","params":{}}\n{"jsonrpc":"2.0","error":{"code":1},"id":"another"}\n';

    assert.deepEqual(await answeredWith((id) => `${others}{"result":{},"id":"${id}"}\n`), {
      kind: 'delivered',
    });
    assert.deepEqual(await answeredWith((id) => `{"result":{},"id":"${id}"}`), { kind: 'delivered' });
  });

  test('a recipient who is not on Signal switches the integration off', async () => {
    assert.deepEqual(await answeredWith(failure('UNREGISTERED_FAILURE')), {
      kind: 'permanent',
      error: 'Recipient not found',
    });
  });

  test('a captcha is asked of the administrators, and the message is not tried again', async () => {
    const asked: unknown[] = [];
    const askForCaptcha: Ports['askForCaptcha'] = async (...captcha) => void asked.push(captcha);

    const outcome = await answeredWith(failure('RATE_LIMIT_FAILURE', { token: 'the-challenge' }), {
      askForCaptcha,
    });

    assert.deepEqual(outcome, { kind: 'refused', error: 'CAPTCHA proof required' });
    assert.deepEqual(asked, [
      ['the-challenge', { recipient: '+15551234567', text: signalMessage(EVENT).message }],
    ]);
  });

  test('everything else is tried again', async () => {
    assert.deepEqual(await answeredWith(failure('NETWORK_FAILURE')), again('signal-cli call failed (-5)'));
    assert.deepEqual(await answeredWith(failure('RATE_LIMIT_FAILURE')), again('signal-cli call failed (-5)'));
    assert.deepEqual(
      await answeredWith((id) => `{"error":{"code":-32600,"data":null},"id":"${id}"}\n`),
      again('signal-cli call failed (-32600)'),
    );
    const unexpected = again('signal-cli call failed (unexpected response)');
    for (const garbage of ['hello\n', '', '{"id":"another"}\n', '7\n']) {
      assert.deepEqual(await answeredWith(garbage), unexpected, garbage);
    }
    const failing = (error: 'Connection failed' | 'Connection timed out') => ({
      converse: async () => ({ error }),
    });
    assert.deepEqual(
      await answeredWith('', failing('Connection failed')),
      again('signal-cli call failed (Connection failed)'),
    );
    assert.deepEqual(
      await answeredWith('', failing('Connection timed out')),
      again('signal-cli call timed out'),
    );
  });
});

suite('a Signal message', () => {
  test('has styles that begin where their words are, also after an emoji', () => {
    const { message, textStyle } = signalMessage(
      anEvent({ check: aCheck({ name: '👩‍👧 <b>Backup</b> &amp;' }), reason: 'fail' }),
    );

    assert.match(message, /^🔴 👩‍👧 <b>Backup<\/b> &amp; is DOWN \(received a failure signal\)\.\n/);
    const styled = textStyle.map((range) => {
      const [start = 0, length = 0] = range.split(':').map(Number);
      return message.slice(start, start + length);
    });
    assert.deepEqual(styled.slice(0, 3), ['👩‍👧 <b>Backup</b> &amp;', 'DOWN', 'Project:']);
  });

  test('marks schedules, and leaves out what is empty', () => {
    assert.deepEqual(styledText([['a ', bold('b')], [], [monospace('*/5'), bold('')]]), {
      message: 'a b\n\n*/5',
      textStyle: ['2:1:BOLD', '5:3:MONOSPACE'],
    });
  });

  test('tells how long the check was down', () => {
    const { message } = signalMessage(anEvent({ to: 'up', reason: '', downFor: seconds(61) }));

    assert.match(message, /^🟢 Nightly backup is UP\.\nThe downtime lasted 1 minute, 1 second\.\n/);
  });

  test('goes to a phone number, or to a username', async () => {
    const sent = async (recipient: string) => {
      const ports = recordingPorts(undefined, signal);
      await signal.deliver(EVENT, { recipient }, ports, { SIGNAL_CLI_SOCKET: 'signal:7583' });
      const [{ to, bytes } = assert.fail()] = ports.written;
      return { to, ...JSON.parse(new TextDecoder().decode(bytes)) };
    };

    const { to, jsonrpc, method, params, id } = await sent('+15551234567');
    assert.deepEqual([to, jsonrpc, method, id], ['signal:7583', '2.0', 'send', EVENT.deliveryId]);
    assert.deepEqual(params.recipient, ['+15551234567']);
    assert.deepEqual((await sent('alice.42')).params.recipient, ['u:alice.42']);
  });

  test('is not sent where the operator has no signal-cli', async () => {
    assert.deepEqual(await signal.deliver(EVENT, RECIPIENT, recordingPorts(), { SIGNAL_CLI_SOCKET: null }), {
      kind: 'refused',
      error: 'Signal notifications are not enabled',
    });
  });

  test('six a minute go to one recipient', () => {
    assert.deepEqual(signal.limit?.(RECIPIENT), { key: 'signal +15551234567', messages: 6, perSeconds: 60 });
  });
});

test('a recipient is a phone number or a username', () => {
  const { field } = signal.settings.recipient;

  assert.equal(field.read(' +1 555-123 4567', 'recipient'), '+15551234567');
  assert.equal(field.read('alice.42', 'recipient'), 'alice.42');
  for (const wrong of ['alice', '1234567', 'al.42', 'alice.4', '.42', '+1234']) {
    assert.ok(field.read(wrong, 'recipient') instanceof Fault, wrong);
  }
});

test('signal-cli is reached by the path of its socket, and by host and port', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signal-'));
  const path = join(folder, 's');
  const byPath = net.createServer(answerRpc).listen(path);
  const byPort = net.createServer(answerRpc).listen(0, '127.0.0.1');
  await Promise.all([byPath, byPort].map((server) => once(server, 'listening')));
  const { port } = byPort.address() as net.AddressInfo;
  await using client = new SocketClient({ allowPrivateAddresses: true });
  const ports: Ports = {
    ...recordingPorts(),
    converse: ({ timeoutMs, isOperators, ...target }, talk) => {
      assert.equal(isOperators, true);
      return client.converse(target, timeoutMs, talk);
    },
  };

  for (const socket of [path, `127.0.0.1:${port}`]) {
    const server = { SIGNAL_CLI_SOCKET: socket };
    assert.deepEqual(await signal.deliver(EVENT, RECIPIENT, ports, server), { kind: 'delivered' });
  }
  assert.deepEqual(signalTarget('[::1]:7583'), {
    ...{ host: '::1', port: 7583, isSecure: false },
    ...{ timeoutMs: 60_000, isOperators: true },
  });
  for (const server of [byPath, byPort]) server.close();
  await rm(folder, { recursive: true });
});

/** Answers as signal-cli does: after the line, and after messages for others. */
function answerRpc(socket: net.Socket): void {
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString();
    if (!received.endsWith('\n')) return;
    const { id, method } = JSON.parse(received);
    socket.write('{"jsonrpc":"2.0","method":"receive","params":{"envelope":{}}}\n');
    socket.end(`${JSON.stringify({ jsonrpc: '2.0', result: { method, timestamp: 1 }, id })}\n`);
  });
}
