import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMailSink } from '../../test/mail-sink.ts';
import { createMailSender, type Mail, type MailServer } from './mail-sender.ts';
import { decodeWords } from './mime/encoded-words.ts';

const MAIL: Mail = {
  id: 'one-and-the-same',
  to: 'alice@example.org',
  subject: 'DOWN | backup',
  text: 'It is down.',
  html: '<p>It is down.</p>',
  headers: { 'List-Unsubscribe': '<https://example.org/unsubscribe>' },
  attachments: [],
};

function serverOn(port: number, overrides: Partial<MailServer> = {}): MailServer {
  return {
    host: '127.0.0.1',
    port,
    user: null,
    password: null,
    requiresTls: false,
    isSecure: false,
    from: 'Tocsin <tocsin@example.org>',
    clientNames: [],
    ...overrides,
  };
}

async function sent(mail: Mail) {
  await using sink = await startMailSink();
  await using sender = createMailSender(serverOn(sink.port));
  assert.equal(await sender.send(mail), null);
  return sink.mails;
}

async function greeting(overrides: Partial<MailServer>): Promise<string | undefined> {
  await using sink = await startMailSink();
  await using sender = createMailSender(serverOn(sink.port, overrides));
  assert.equal(await sender.send(MAIL), null);
  return sink.greetings[0];
}

/** The lines of the header, unfolded (RFC 5322, section 2.2.3). */
function headerLines(mail: { readonly text: string } | undefined): string[] {
  const [head = ''] = (mail?.text ?? '').split('\n\n');
  return head.replace(/\n(?=[ \t])/g, '').split('\n');
}

function headerOf(mail: { readonly text: string } | undefined, name: string): string | undefined {
  return headerLines(mail)
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);
}

test('mail is from the sender, in the header and on the envelope', async () => {
  const [mail, ...others] = await sent(MAIL);

  assert.deepEqual([mail?.from, mail?.to, others], ['tocsin@example.org', ['alice@example.org'], []]);
  assert.match(mail?.text ?? '', /^From: Tocsin <tocsin@example.org>$/m);
  assert.match(mail?.text ?? '', /^Message-ID: <one-and-the-same@example.org>$/m);
  assert.match(mail?.text ?? '', /^List-Unsubscribe: <https:\/\/example.org\/unsubscribe>$/m);
});

test('mail that answers another one is shown with it', async () => {
  const [alone] = await sent(MAIL);
  const [mail] = await sent({ ...MAIL, answers: 'the-one-before' });

  assert.equal(headerOf(mail, 'In-Reply-To'), '<the-one-before@example.org>');
  assert.equal(headerOf(mail, 'References'), '<the-one-before@example.org>');
  assert.equal(headerOf(alone, 'In-Reply-To'), undefined);
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
  await using sender = createMailSender(serverOn(port));

  assert.match((await sender.send(MAIL)) ?? '', /^Mail was not accepted: /);
});

test('every mail says that no person wrote it, whatever other headers it has', async () => {
  const [mail] = await sent({ ...MAIL, headers: { ...MAIL.headers, 'Auto-Submitted': 'no' } });

  assert.deepEqual(
    headerLines(mail).filter((line) => /^auto-submitted:/i.test(line)),
    ['Auto-Submitted: auto-generated'],
  );
});

test('the greeting is the first full name that this machine is known by', async () => {
  const rows: [clientNames: string[], from: string, expected: string][] = [
    [['mx1.example.net', 'tocsin.example.com'], 'tocsin@example.org', 'mx1.example.net'],
    [['mx1', 'tocsin.example.com'], 'tocsin@example.org', 'tocsin.example.com'],
    [['mx1', 'localhost'], 'Tocsin <tocsin@example.org>', 'example.org'],
    [['mx1', '192.0.2.7'], 'tocsin@example.org', 'example.org'],
    [['mx1', '[2001:db8::1]'], 'tocsin@example.org', 'example.org'],
    [['a name.example.org', 'under_score.example.org'], 'tocsin@bücher.example', 'xn--bcher-kva.example'],
  ];
  for (const [clientNames, from, expected] of rows)
    assert.equal(await greeting({ clientNames, from }), expected, clientNames.join());
});

test('the greeting of a machine without any full name is an address', async () => {
  assert.match((await greeting({ clientNames: ['mx1'], from: 'tocsin@localhost' })) ?? '', /^\[[\d.]+\]$/);
});

test('a subject is shown as it was written, even where it looks encoded', async () => {
  const subjects = [
    'DOWN | =?utf-8?q?Hello?=',
    'DOWN | =?utf-8?B?SGVsbG8=?= =?utf-8?B?SGVsbG8=?=',
    'DOWN | "=?utf-8?q?Hello?=" & more',
    'DOWN | Grüße =?utf-8?q?Hello?=',
    `DOWN | ${'日本 👩‍👧 =?utf-8?q?Hello?= '.repeat(20).trim()}`,
    'DOWN | a=?b',
    'DOWN | plain',
  ];
  for (const subject of subjects) {
    const [mail] = await sent({ ...MAIL, subject });

    assert.equal(decodeWords(headerOf(mail, 'Subject') ?? ''), subject);
    for (const line of mail?.text.split('\n') ?? []) assert.ok(line.length <= 76, line);
  }
});

test('a subject of plain words goes out as it is', async () => {
  const [mail] = await sent(MAIL);

  assert.equal(headerOf(mail, 'Subject'), 'DOWN | backup');
});
