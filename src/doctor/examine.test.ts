import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { FakeClock } from '../../test/fake-clock.ts';
import { FakeTimers } from '../../test/fake-timers.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { examine, MAX_ROW_MS } from './examine.ts';
import { type DoctorWorld, Installation, thisMachine } from './installation.ts';
import { ok } from './look.ts';
import type { Row } from './row.ts';
import { mailOut } from './rows/mail-out.ts';

function worldWith(environment: Record<string, string>): DoctorWorld {
  return {
    environment,
    clock: systemClock,
    random: systemRandom,
    names: { addresses: async () => ['127.0.0.1'], texts: async () => [], mailHosts: async () => [] },
    machine: thisMachine,
    mailPort: 25,
    sendTo: null,
    beforeLooking: () => undefined,
    rest: async () => undefined,
  };
}

const row = (name: string, look: Row['look']): Row => ({ name, looksAt: '', fails: null, warns: null, look });

test('a mail server that hangs after the recipient is told of, and no other row waits for it', async () => {
  const heard = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 hello\r\n');
    socket.on('data', (bytes) => {
      if (String(bytes).startsWith('RCPT')) heard.resolve();
      else socket.write('250 OK\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const environment = {
    EMAIL_HOST: 'mail.test',
    EMAIL_PORT: String(Object(server.address()).port),
    EMAIL_USE_TLS: 'False',
    DEFAULT_FROM_EMAIL: 'tocsin@mail.test',
  };
  await using installation = new Installation(worldWith(environment));
  const timers = new FakeTimers(new FakeClock(0));

  const looking = examine(installation, [mailOut, row('other', async () => ok('Well.'))], timers);
  await heard.promise;
  timers.pass(MAX_ROW_MS / 1000);

  assert.deepEqual(await looking, [
    {
      name: 'mail_out',
      verdict: 'warn',
      sentence: 'Nothing was heard within 10 s: RCPT TO:<tocsin@mail.test>.',
      advice: null,
    },
    { name: 'other', verdict: 'ok', sentence: 'Well.', advice: null },
  ]);
  server.close();
});

test('a row that cannot be looked at fails alone', async () => {
  await using installation = new Installation(worldWith({}));
  const broken = row('broken', async () => {
    throw new Error('it is broken');
  });

  const findings = await examine(
    installation,
    [broken, row('other', async () => ok('Well.'))],
    new FakeTimers(new FakeClock(0)),
  );

  assert.deepEqual(
    findings.map(({ name, verdict, sentence }) => [name, verdict, sentence]),
    [
      ['broken', 'fail', 'This could not be looked at: it is broken'],
      ['other', 'ok', 'Well.'],
    ],
  );
});
