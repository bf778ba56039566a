import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMailSink } from '../../test/mail-sink.ts';
import { createMailSender, type Mail } from './mail-sender.ts';

const MAIL: Mail = {
  id: 'one-and-the-same',
  to: 'alice@example.org',
  subject: 'DOWN | backup',
  text: 'It is down.',
  html: '<p>It is down.</p>',
  headers: { 'List-Unsubscribe': '<https://example.org/unsubscribe>' },
  attachments: [],
};

async function sent(mail: Mail) {
  await using sink = await startMailSink();
  await using sender = createMailSender({
    host: '127.0.0.1',
    port: sink.port,
    user: null,
    password: null,
    requiresTls: false,
    isSecure: false,
    from: 'Tocsin <tocsin@example.org>',
  });
  assert.equal(await sender.send(mail), null);
  return sink.mails;
}

test('mail is from the sender, in the header and on the envelope', async () => {
  const [mail, ...others] = await sent(MAIL);

  assert.deepEqual([mail?.from, mail?.to, others], ['tocsin@example.org', ['alice@example.org'], []]);
  assert.match(mail?.text ?? '', /^From: Tocsin <tocsin@example.org>$/m);
  assert.match(mail?.text ?? '', /^Message-ID: <one-and-the-same@example.org>$/m);
  assert.match(mail?.text ?? '', /^List-Unsubscribe: <https:\/\/example.org\/unsubscribe>$/m);
});

test('mail that has an address to be returned to has it on the envelope alone', async () => {
  const [mail] = await sent({ ...MAIL, returnTo: 'n.signed@bounces.example.org' });

  assert.deepEqual([mail?.from, mail?.to], ['n.signed@bounces.example.org', ['alice@example.org']]);
  assert.match(mail?.text ?? '', /^From: Tocsin <tocsin@example.org>$/m);
  assert.doesNotMatch(mail?.text ?? '', /bounces/);
});

test('a server that does not answer is told as the reason', async () => {
  await using sink = await startMailSink();
  const { port } = sink;
  await sink[Symbol.asyncDispose]();
  await using sender = createMailSender({
    host: '127.0.0.1',
    port,
    user: null,
    password: null,
    requiresTls: false,
    isSecure: false,
    from: 'tocsin@example.org',
  });

  assert.match((await sender.send(MAIL)) ?? '', /^Mail was not accepted: /);
});
