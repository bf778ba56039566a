import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { AppError } from '../../src/domain/errors.ts';
import type { PingOutcome, PingTarget, ReceivedPing } from '../../src/domain/ping/incoming-ping.ts';
import { PingWriter } from '../../src/services/ping/ping-writer.ts';
import { type SmtpOptions, startSmtpServer } from '../../src/smtp/server.ts';
import { Session } from '../../src/smtp/session.ts';
import { listening, startCli, temporaryFolder } from '../process.ts';
import { HANG_MS, until } from '../waiting.ts';
import { deliver, hold, openClient, type SmtpClient } from './dialogue.ts';
import { DOMAIN } from './smtp-app.ts';

const UUID = 'cf8ba1a6-9d2c-4f0b-8a44-000000000001';
const KEY = '0123456789abcdefghijkl';
const ADDRESS = `${UUID}@${DOMAIN}`;

/** A listener whose pings go nowhere but into a list. */
async function listen(
  options: Partial<SmtpOptions> = {},
  outcomeOf: (ping: ReceivedPing) => PingOutcome | Promise<PingOutcome> = () => 'recorded',
) {
  const pings: ReceivedPing[] = [];
  const logged: string[] = [];
  const writer = new PingWriter((batch) => {
    pings.push(...batch);
    return Promise.all(batch.map(outcomeOf));
  });
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const base = { host: '127.0.0.1', port: 0, domain: DOMAIN, bodyLimit: null, log };
  const findRecipients = async (targets: readonly PingTarget[]) =>
    targets.map(() => ({ filter: null, ownerId: 1 }));
  const server = await startSmtpServer({ pings: writer, findRecipients }, { ...base, ...options });
  return { ...server, pings, logged, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** A client that has said everything up to the message. */
async function clientAtData(port: number): Promise<SmtpClient> {
  const client = await openClient(port);
  client.send(`EHLO x\r\nMAIL FROM:<a@b>\r\nRCPT TO:<${ADDRESS}>\r\nDATA\r\n`);
  for (let answers = 0; answers < 5; answers++) await client.reply();
  return client;
}

test('a whole session in one go is answered in order, whatever its pieces', async () => {
  for (const pieceBytes of [1, 2, 7, 1000]) {
    await using server = await listen();

    await hold(
      server.port,
      `C: EHLO x
       C: MAIL FROM:<a@b>
       C: RCPT TO:<${ADDRESS}>
       C: RCPT TO:<nobody@${DOMAIN}>
       C: DATA
       C: one
       C: .
       C: mail from: a@b
       C: rcpt to: ${KEY}+nightly@${DOMAIN}
       C: DATA
       C: two
       C: .
       C: QUIT
       C: NOOP
       S: 220 ${DOMAIN} ESMTP
       S: 250-${DOMAIN}
       S: 250-PIPELINING
       S: 250-8BITMIME
       S: 250-SMTPUTF8
       S: 250 SIZE 33554432
       S: 250 OK
       S: 250 OK
       S: 550 5.1.1 Invalid mailbox
       S: 354 End data with <CR><LF>.<CR><LF>
       S: 250 OK
       S: 250 OK
       S: 250 OK
       S: 354 End data with <CR><LF>.<CR><LF>
       S: 250 OK
       S: 221 Bye`,
      pieceBytes,
    );

    assert.deepEqual(
      server.pings.map(({ body }) => String(body && Buffer.from(body))),
      ['one\r\n', 'two\r\n'],
    );
  }
});

test('commands out of order, unknown ones and those of other extensions are refused', async () => {
  await using server = await listen();

  await hold(
    server.port,
    `S: 220 ${DOMAIN} ESMTP
     C: MAIL FROM:<a@b>
     S: 503 5.5.1 Send EHLO first
     C: EHLO
     S: 501 5.5.4 Tell your name
     C: HELO x
     S: 250 ${DOMAIN}
     C: RCPT TO:<${ADDRESS}>
     S: 503 5.5.1 Send MAIL first
     C: DATA
     S: 503 5.5.1 Send RCPT first
     C: MAIL a@b
     S: 501 5.5.4 Syntax: MAIL FROM:<address>
     C: MAIL FROM:<a@b> AUTH=<>
     S: 555 5.5.4 Parameter not recognized
     C: MAIL FROM:<a@b> SIZE=33554433
     S: 552 5.3.4 Message too large
     C: MAIL FROM:<a@b> SMTPUTF8 BODY=7bit SIZE=33554432
     S: 250 OK
     C: MAIL FROM:<c@d>
     S: 503 5.5.1 There is a sender already
     C: RCPT FROM:<${ADDRESS}>
     S: 501 5.5.4 Syntax: RCPT TO:<address>
     C: RCPT TO:<${ADDRESS}> NOTIFY=NEVER
     S: 555 5.5.4 Parameter not recognized
     C: RCPT TO:<@relay.example,@other.example:${ADDRESS}>
     S: 250 OK
     C: RSET
     S: 250 OK
     C: DATA
     S: 503 5.5.1 Send RCPT first
     C: STARTTLS
     S: 500 5.5.2 Command not recognized
     C: AUTH PLAIN AGEAYg==
     S: 500 5.5.2 Command not recognized
     C: VRFY ${UUID}
     S: 252 2.1.5 Send some mail, it will be tried
     C: HELP
     S: 214 2.0.0 See RFC 5321
     C: NOOP
     S: 250 OK
     C: toString
     S: 500 5.5.2 Command not recognized
     C: QUITTER
     S: 500 5.5.2 Command not recognized
     C: QUIT
     S: 221 Bye`,
  );
  assert.deepEqual(server.pings, []);
});

test('a client that closes its side after the last word still gets its answers', async () => {
  await using server = await listen();
  using client = await openClient(server.port);

  client.socket.end(
    `HELO x\nMAIL FROM:<a@b>\nRCPT TO:<${ADDRESS}>\nDATA\nSubject: hi\r\n\r\nthere\r\n.\r\nQUIT\n`,
  );

  const heard: (string | null)[] = [];
  for (let line = await client.line(); line !== null; line = await client.line())
    heard.push(line.slice(0, 3));
  assert.deepEqual(heard, ['220', '250', '250', '250', '354', '250', '221']);
  assert.equal(server.pings.length, 1);
});

test('a message that was not finished is none', async () => {
  await using server = await listen();
  using client = await clientAtData(server.port);

  client.socket.end('Subject: hi\r\n\r\nthere\r\n.\r');
  assert.equal(await client.line(), null);

  assert.deepEqual(server.pings, []);
});

test('a line that is too long is refused, and the next one heard', async () => {
  await using server = await listen();
  using client = await openClient(server.port);
  await client.reply();

  client.send(`HELO ${'x'.repeat(100_000)}\r\nNOOP\r\n`);

  assert.equal(await client.reply(), '500 5.5.2 Line too long');
  assert.equal(await client.reply(), '250 OK');
});

test('who says too much that is no SMTP is cut off', async () => {
  await using server = await listen();
  using client = await openClient(server.port);

  client.send(`POST / HTTP/1.1\r\n${'Header: value\r\n'.repeat(30)}\r\n`);

  let last: string | null = null;
  for (let line = await client.line(); line !== null; line = await client.line()) last = line;
  assert.equal(last, '421 4.7.0 Too many errors');
});

test('who talks without end and sends nothing is cut off, whether or not it listens', async () => {
  await using server = await listen();
  using client = await openClient(server.port);

  client.send(Buffer.alloc(6 * 100_000, 'NOOP\r\n'));

  const heard: string[] = [];
  for (let line = await client.line(); line !== null; line = await client.line()) heard.push(line);
  assert.equal(heard.length, 1 + 1000 + 1);
  assert.equal(heard.at(-1), '421 4.7.0 Too many commands');
});

test('the hundred and first recipient is put off', async () => {
  await using server = await listen();
  const to = Array.from({ length: 101 }, (_, n) => `${KEY}+job-${n}@${DOMAIN}`);

  const replies = await deliver(server.port, { to, raw: 'hi' });

  assert.deepEqual(new Set(replies.slice(0, 100)), new Set(['250 OK']));
  assert.deepEqual(replies.slice(100), ['452 4.5.3 Too many recipients', '250 OK']);
  assert.deepEqual(
    server.pings.map(({ target }) => 'slug' in target && target.slug),
    Array.from({ length: 100 }, (_, n) => `job-${n}`),
  );
});

test('a message of 33 MiB is refused, and the next one is not', async () => {
  await using server = await listen();
  using client = await clientAtData(server.port);
  const block = Buffer.alloc(1024 * 1024, `${'x'.repeat(1022)}\r\n`);

  for (let sent = 0; sent < 33; sent++) client.send(block);
  client.send('.\r\n');
  assert.equal(await client.reply(), '552 5.3.4 Message too large');

  client.send(`MAIL FROM:<a@b>\r\nRCPT TO:<${ADDRESS}>\r\nDATA\r\nshort\r\n.\r\n`);
  for (const code of ['250', '250', '354', '250']) assert.equal((await client.reply())?.slice(0, 3), code);
  assert.equal(server.pings.length, 1);
});

test('a message that does not end is cut off', async () => {
  await using server = await listen({ maxMessageBytes: 10_000 });
  using client = await clientAtData(server.port);

  client.send('x'.repeat(50_000));

  assert.equal(await client.reply(), '552 5.3.4 Message too large');
  assert.equal(await client.reply(), null);
});

test('a message for which there is no room now is put off, and the room is given back', async () => {
  await using server = await listen({ maxBufferedBytes: 20_000 });
  const raw = 'x'.repeat(20_000);

  assert.deepEqual(await deliver(server.port, { to: [ADDRESS], raw }), [
    '250 OK',
    '452 4.3.1 Too much mail at once, try again later',
  ]);
  for (let turn = 0; turn < 3; turn++) {
    assert.deepEqual(await deliver(server.port, { to: [ADDRESS], raw: raw.slice(0, 15_000) }), [
      '250 OK',
      '250 OK',
    ]);
  }
  using cut = await clientAtData(server.port);
  cut.send('x'.repeat(15_000));
  cut.socket.destroy();
  await until('the room is given back', async () => {
    const replies = await deliver(server.port, { to: [ADDRESS], raw: raw.slice(0, 15_000) });
    return replies.at(-1) === '250 OK';
  });
});

test('one client too many is sent away, and its place is free again when another leaves', async () => {
  await using server = await listen({ maxConnections: 2 });
  using one = await openClient(server.port);
  using two = await openClient(server.port);
  assert.match((await one.reply()) ?? '', /^220/);
  assert.match((await two.reply()) ?? '', /^220/);
  using three = await openClient(server.port);
  assert.equal(await three.reply(), '421 4.3.2 Too many connections, try again later');
  assert.equal(await three.reply(), null);

  one.socket.destroy();

  await until('there is a place', async () => {
    using four = await openClient(server.port);
    return (await four.reply())?.startsWith('220') ?? false;
  });
});

test('one address cannot take all places, and the log does not repeat itself', async () => {
  await using server = await listen({ maxConnectionsPerAddress: 2 });
  using one = await openClient(server.port);
  using two = await openClient(server.port);
  for (const client of [one, two]) assert.match((await client.reply()) ?? '', /^220/);

  for (let refused = 0; refused < 3; refused++) {
    using three = await openClient(server.port);
    assert.equal(await three.reply(), '421 4.7.0 Too many connections from your address, try again later');
    assert.equal(await three.reply(), null);
  }
  using other = await openClient(server.port, '127.0.0.2');

  assert.match((await other.reply()) ?? '', /^220/);
  assert.equal(server.logged.filter((line) => line.includes('smtp.refused')).length, 1);
});

test('the messages of one address cannot take all memory', async () => {
  await using server = await listen({ maxBufferedBytes: 40_000, maxBufferedBytesPerAddress: 20_000 });
  using greedy = await clientAtData(server.port);
  greedy.send('x'.repeat(15_000));
  const raw = 'x'.repeat(15_000);

  await until('its share is used up', async () => {
    const replies = await deliver(server.port, { to: [ADDRESS], raw });
    return replies.at(-1) === '452 4.3.1 Too much mail at once, try again later';
  });
  const replies = await deliver(server.port, { to: [ADDRESS], raw, localAddress: '127.0.0.2' });

  assert.equal(replies.at(-1), '250 OK');
});

test('a client that does not read its answers is cut off', async () => {
  await using server = await listen({ writeTimeoutMs: 50, maxConnections: 1 });
  using deaf = await openClient(server.port);
  // More answers than all buffers on the way hold; the limit of commands begins anew with each message.
  const message = `MAIL FROM:<a@b>\r\nRCPT TO:<${ADDRESS}>\r\nDATA\r\n.\r\n`;
  deaf.send(`${'EHLO x\r\n'.repeat(900)}${message}`.repeat(100));

  await until('its place is free', async () => {
    using client = await openClient(server.port);
    return (await client.reply())?.startsWith('220') ?? false;
  });
});

test('the place of a client that vanishes in the middle of its commands is free again', async () => {
  await using server = await listen({ maxConnections: 1 });
  using client = await openClient(server.port);
  client.send(Buffer.alloc(60_000, 'NOOP\r\n'));
  client.socket.resetAndDestroy();

  await until('its place is free', async () => {
    using next = await openClient(server.port);
    return (await next.reply())?.startsWith('220') ?? false;
  });
});

test('who names one wrong recipient after the other is cut off', async () => {
  await using server = await listen();
  using client = await openClient(server.port);

  client.send(`EHLO x\r\nMAIL FROM:<a@b>\r\n${`RCPT TO:<nobody@${DOMAIN}>\r\n`.repeat(200)}`);

  const heard: string[] = [];
  for (let line = await client.line(); line !== null; line = await client.line()) heard.push(line);
  assert.equal(heard.filter((line) => line === '550 5.1.1 Invalid mailbox').length, 100);
  assert.equal(heard.at(-1), '421 4.7.0 Too many rejected recipients');
});

test('after a thousand messages a client has to come back', async () => {
  const session = new Session({ domain: DOMAIN, maxMessageBytes: 1_000 });
  session.command('EHLO x');

  for (let sent = 0; sent < 1_000; sent++) {
    assert.equal(session.command('MAIL FROM:<a@b>').reply, '250 OK');
    session.takeEnvelope();
  }

  assert.deepEqual(session.command('MAIL FROM:<a@b>'), {
    reply: '421 4.7.0 Too many messages',
    next: 'hang_up',
  });
});

test('a silent client is sent away, and one that dribbles, too', async () => {
  await using strict = await listen({ idleTimeoutMs: 100 });
  await using brief = await listen({ idleTimeoutMs: HANG_MS, sessionTimeoutMs: 400 });
  using silent = await openClient(strict.port);
  using dribbling = await openClient(brief.port);
  dribbling.send(`EHLO x\r\nMAIL FROM:<a@b>\r\nRCPT TO:<${ADDRESS}>\r\nDATA\r\n`);
  const dribble = setInterval(() => dribbling.send('x'), 20);

  assert.match((await silent.reply()) ?? '', /^220/);
  assert.equal(await silent.reply(), '421 4.4.2 Timed out');
  assert.equal(await silent.reply(), null);
  const heard: string[] = [];
  for (let line = await dribbling.line(); line !== null; line = await dribbling.line()) heard.push(line);
  assert.equal(heard.at(-1), '421 4.4.2 Timed out');
  clearInterval(dribble);
});

test('a database that fails has the sender try again', async () => {
  const failures: (PingOutcome | Error)[] = [
    new AppError('storage_unavailable'),
    new AppError('overloaded'),
    new Error('a bug'),
    { failure: new Error('a bug in one check') },
  ];
  for (const failure of failures) {
    await using server = await listen({}, () => {
      if (failure instanceof Error) throw failure;
      return failure;
    });

    assert.deepEqual(await deliver(server.port, { to: [ADDRESS], raw: 'hi' }), [
      '250 OK',
      '451 4.3.0 Try again later',
    ]);
  }
});

test('recipients of one message are recorded together, and an outage has the sender try again', async () => {
  await using server = await listen({}, ({ target }) => {
    if ('slug' in target && target.slug === 'two') return { failure: new AppError('storage_unavailable') };
    return 'recorded';
  });
  const to = ['one', 'two', 'three'].map((slug) => `${KEY}+${slug}@${DOMAIN}`);

  const replies = await deliver(server.port, { to, raw: 'hi' });

  assert.equal(replies.at(-1), '451 4.3.0 Try again later');
  assert.deepEqual(
    server.pings.map(({ target }) => 'slug' in target && target.slug),
    ['one', 'two', 'three'],
  );
});

test('a check that cannot be pinged does not have the others pinged again', async () => {
  await using server = await listen({}, ({ target }) =>
    'slug' in target && target.slug === 'one' ? { failure: new Error('a bug') } : 'recorded',
  );
  const to = ['one', 'two'].map((slug) => `${KEY}+${slug}@${DOMAIN}`);

  assert.deepEqual(await deliver(server.port, { to, raw: 'hi' }), ['250 OK', '250 OK', '250 OK']);
});

test('a stop tells the idle goodbye, and finishes what is under way', async () => {
  const { promise: recorded, resolve: record } = Promise.withResolvers<PingOutcome>();
  const server = await listen({}, () => recorded);
  using idle = await openClient(server.port);
  await idle.reply();
  using sending = await clientAtData(server.port);
  using waiting = await clientAtData(server.port);
  waiting.send('one\r\n.\r\n');
  await until('the message is being recorded', () => server.pings.length === 1);

  const stopped = server[Symbol.asyncDispose]();

  assert.equal(await idle.reply(), '421 4.3.2 Shutting down');
  assert.equal(await idle.reply(), null);
  sending.send('two\r\n.\r\n');
  record('recorded');
  for (const client of [waiting, sending]) {
    assert.equal(await client.reply(), '250 OK');
    assert.equal(await client.reply(), '421 4.3.2 Shutting down');
    assert.equal(await client.reply(), null);
    client.socket.end();
  }
  idle.socket.end();
  await stopped;
  assert.equal(server.pings.length, 2);
});

test('a stop that takes too long can be cut short', async () => {
  const server = await listen();
  using sending = await clientAtData(server.port);

  const stopped = server[Symbol.asyncDispose]();
  server.abandonConnections();

  await stopped;
  assert.equal(await sending.reply(), null);
});

test('the log names no address and no content', async () => {
  await using server = await listen({}, ({ target }) => ('uuid' in target ? 'recorded' : 'ambiguous'));

  const to = [ADDRESS, `${KEY}+nightly@${DOMAIN}`, `${UUID}@elsewhere.example`];
  await deliver(server.port, { from: 'alice@example.org', to, raw: 'Subject: a secret' });

  const log = server.logged.join('');
  assert.match(log, /"event":"mail.received","bytes":19,"recorded":1,"unknown":0,"ambiguous":1,"failed":0/);
  for (const secret of [UUID, KEY, 'nightly', 'alice', 'a secret']) assert.ok(!log.includes(secret), secret);
});

test('a port that is taken is told of', async () => {
  await using server = await listen();

  await assert.rejects(listen({ port: server.port }), { code: 'EADDRINUSE' });
});

test('the service receives mail where it is told to, and elsewhere not', async () => {
  await using folder = await temporaryFolder();
  await using service = startCli(['serve'], {
    cwd: folder.path,
    env: { SMTPD_PORT: '0', PING_EMAIL_DOMAIN: DOMAIN },
  });
  await listening(service);
  const [, port] = await service.output(/"event":"smtp.listening","host":"127.0.0.1","port":(\d+)/);
  await service.output(new RegExp(`, mail on 127\\.0\\.0\\.1:${port} for ${DOMAIN}$`, 'm'));

  assert.deepEqual(await deliver(Number(port), { to: [ADDRESS], raw: 'hi' }), ['250 OK', '250 OK']);

  using idle = await openClient(Number(port));
  await idle.reply();
  service.signal('SIGTERM');
  assert.equal(await idle.reply(), '421 4.3.2 Shutting down');
  idle.socket.end();
  assert.equal((await service.exit()).code, 0);
});
