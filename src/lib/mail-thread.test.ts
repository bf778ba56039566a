import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { startMailSink } from '../../test/mail-sink.ts';
import type { Mail, MailServer } from './mail-sender.ts';
import { MailThread } from './mail-thread.ts';

const MAIL: Mail = {
  id: 'one-and-the-same',
  to: 'alice@example.org',
  subject: 'DOWN | backup',
  text: 'It is down.',
  html: '<p>It is down.</p>',
  headers: {},
  attachments: [{ filename: 'log.txt', contentType: 'text/plain', content: Buffer.from('the log') }],
};

function serverOn(port: number): MailServer {
  return {
    host: '127.0.0.1',
    port,
    user: null,
    password: null,
    requiresTls: false,
    isSecure: false,
    from: 'Tocsin <tocsin@example.org>',
    clientNames: [],
  };
}

test('mails are sent by another thread, as they are by this one', async () => {
  await using sink = await startMailSink();
  await using sender = new MailThread(serverOn(sink.port));

  assert.deepEqual(await Promise.all([1, 2, 3].map(() => sender.send(MAIL))), [null, null, null]);

  const [mail, ...others] = sink.mails;
  assert.equal(others.length, 2);
  assert.deepEqual([mail?.from, mail?.to], ['tocsin@example.org', ['alice@example.org']]);
  assert.match(mail?.text ?? '', /Message-ID: <one-and-the-same@example\.org>/);
  assert.match(mail?.text ?? '', /dGhlIGxvZw==/);
});

test('a server that cannot be reached is told as the reason', async () => {
  await using sender = new MailThread(serverOn(1));

  assert.match((await sender.send(MAIL)) ?? '', /^Mail was not accepted: .*ECONNREFUSED/);
});

test('a thread that ends takes its mails with it, and the next mail starts another', async () => {
  await using sink = await startMailSink();
  let started = 0;
  await using sender = new MailThread(serverOn(sink.port), () => {
    started++;
    return new Worker('require("node:worker_threads").parentPort.once("message", () => process.exit())', {
      eval: true,
    });
  });
  const ended = 'Mail was not accepted: the thread that sends mail has ended';

  assert.deepEqual(await Promise.all([sender.send(MAIL), sender.send(MAIL)]), [ended, ended]);
  assert.equal(await sender.send(MAIL), ended);
  assert.equal(started, 2);
});

test('what is being sent when the sender is closed counts as not accepted', async () => {
  const sender = new MailThread(serverOn(1), () => new Worker('setInterval(() => {}, 1000)', { eval: true }));
  const sending = sender.send(MAIL);

  await sender[Symbol.asyncDispose]();

  assert.match((await sending) ?? '', /has ended$/);
  assert.match((await sender.send(MAIL)) ?? '', /has ended$/);
});
