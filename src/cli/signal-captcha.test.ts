import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { CommandIo } from './command.ts';
import { signalCaptcha } from './signal-captcha.ts';

/** Runs the command against a signal-cli that answers like this. */
async function run(args: readonly string[], answer: object): Promise<{ received: string; output: string }> {
  let received = '';
  const server = net.createServer((socket) => {
    socket.on('data', (bytes) => {
      received += bytes.toString();
      const { id } = JSON.parse(received);
      socket.end(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as net.AddressInfo;
  const stdout = new PassThrough();
  const io = {
    stdout,
    environment: () => ({ SIGNAL_CLI_SOCKET: `127.0.0.1:${port}` }),
  } as unknown as CommandIo;
  try {
    await signalCaptcha.run(args, io);
    return { received, output: String(stdout.read()) };
  } finally {
    server.close();
  }
}

test('a solved captcha reaches Signal without its prefix', async () => {
  const { received, output } = await run(['challenge-1', 'signalcaptcha://solved'], { result: {} });

  const { method, params } = JSON.parse(received);
  assert.deepEqual(
    [method, params],
    ['submitRateLimitChallenge', { challenge: 'challenge-1', captcha: 'solved' }],
  );
  assert.equal(output, 'Signal has taken the captcha.\n');
});

test('what Signal refuses is told in its words', async () => {
  await assert.rejects(run(['challenge-1', 'wrong'], { error: { code: -1, message: 'Captcha rejected' } }), {
    name: 'CommandFailure',
    message: 'Signal did not take the captcha: Captcha rejected',
  });
});

test('the challenge and the captcha are both needed, and a signal-cli', async () => {
  await assert.rejects(run(['challenge-1'], {}), { name: 'UsageError' });
  const io = { environment: () => ({}) } as unknown as CommandIo;
  await assert.rejects(signalCaptcha.run(['a', 'b'], io), { message: 'SIGNAL_CLI_SOCKET is not set' });
});
