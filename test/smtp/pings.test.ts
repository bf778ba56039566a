import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTransport } from 'nodemailer';
import type { Check } from '../../src/domain/check/check.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertUntouched, flipsOf, lastBody, lastPing, signalsOf, stored } from '../ping/answers.ts';
import { deliver, hold } from './dialogue.ts';
import { DOMAIN, givenMailKey, sharedSmtp } from './smtp-app.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const RAW = 'From: alice@example.org\r\nSubject: done\r\n\r\nAll is well.\r\n';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);
  const port = sharedSmtp(app);

  async function givenCheck(overrides: Partial<Check> = {}): Promise<Check> {
    const { project } = await app().givenProject();
    return app().givenCheck(project, overrides);
  }

  async function givenSlug(slug = 'nightly'): Promise<{ project: Project; key: string; check: Check }> {
    const { project } = await app().givenProject();
    const key = await givenMailKey(app(), project);
    return { project, key, check: await app().givenCheck(project, { slug }) };
  }

  function mail(check: Check, raw: string | Uint8Array): Promise<(string | null)[]> {
    return deliver(port(), { to: [`${check.uuid}@${DOMAIN}`], raw });
  }

  /** The signal of a message for a check. */
  async function signalFor(overrides: Partial<Check>, raw: string | Uint8Array): Promise<string | undefined> {
    const check = await givenCheck(overrides);
    assert.deepEqual(await mail(check, raw), ['250 OK', '250 OK']);
    return (await signalsOf(app(), check)).at(-1);
  }

  test('a mail to a check is a success, and is kept as it came', async () => {
    const check = await givenCheck();

    await hold(
      port(),
      `S: 220 ${DOMAIN} ESMTP
       C: EHLO mail.example.org
       S: 250-${DOMAIN}
       S: 250-PIPELINING
       S: 250-8BITMIME
       S: 250-SMTPUTF8
       S: 250 SIZE 33554432
       C: MAIL FROM:<alice@example.org> SIZE=100 BODY=8BITMIME
       S: 250 OK
       C: RCPT TO:<${check.uuid}@${DOMAIN}>
       S: 250 OK
       C: DATA
       S: 354 End data with <CR><LF>.<CR><LF>
       C: Subject: FAIL ✗
       C:
       C: ..dots
       C: ...
       C: .
       S: 250 OK
       C: QUIT
       S: 221 Bye`,
      3,
    );

    const { createdAt, n, ...ping } = await lastPing(app(), check);
    assert.equal(ping.signal, 'success');
    assert.equal(ping.scheme, 'email');
    assert.equal(ping.method, '');
    assert.equal(ping.userAgent, 'Email from alice@example.org');
    assert.equal(ping.remoteAddr, '127.0.0.1');
    assert.deepEqual([ping.rid, ping.exitStatus], [null, null]);
    assert.equal(String(await lastBody(app(), check)), 'Subject: FAIL ✗\r\n\r\n.dots\r\n..\r\n');
    assert.deepEqual(await flipsOf(app(), check), ['new→up']);
  });

  test('a UUID in upper case is accepted, and the domain in any case', async () => {
    const check = await givenCheck();

    const replies = await deliver(port(), { to: [`${check.uuid.toUpperCase()}@PING.Example.ORG`], raw: RAW });

    assert.deepEqual(replies, ['250 OK', '250 OK']);
    assert.deepEqual(await signalsOf(app(), check), ['success']);
  });

  test('a mail to a ping key and a slug reaches the check', async () => {
    const { key, check } = await givenSlug('nightly_back-up');

    const replies = await deliver(port(), { to: [`${key}+nightly_back-up@${DOMAIN}`], raw: RAW });

    assert.deepEqual(replies, ['250 OK', '250 OK']);
    assert.deepEqual(await signalsOf(app(), check), ['success']);
  });

  test('a ping key that people bring along has 16 to 128 characters', async () => {
    for (const length of [16, 128]) {
      const { project } = await app().givenProject();
      const key = await givenMailKey(app(), project, length);
      const check = await app().givenCheck(project, { slug: 'nightly' });

      assert.deepEqual(await deliver(port(), { to: [`${key}+nightly@${DOMAIN}`], raw: RAW }), [
        '250 OK',
        '250 OK',
      ]);
      assert.deepEqual(await signalsOf(app(), check), ['success']);
    }
  });

  test('the case of a ping key is told apart, and nothing is created', async () => {
    const { project, key, check } = await givenSlug();

    await deliver(port(), {
      to: [`${key.toLowerCase()}+nightly@${DOMAIN}`, `${key}+new@${DOMAIN}`],
      raw: RAW,
    });

    await assertUntouched(app(), check);
    assert.equal((await app().deps.store.checks.ofProject(project.id)).length, 1);
  });

  test('a recipient of another domain is rejected', async () => {
    const check = await givenCheck();

    for (const domain of ['example.org', `sub.${DOMAIN}`, `${DOMAIN}.`, '[127.0.0.1]']) {
      const replies = await deliver(port(), { to: [`${check.uuid}@${domain}`], raw: RAW });
      assert.deepEqual(replies, ['550 5.1.1 Recipient rejected'], domain);
    }
    assert.deepEqual(await deliver(port(), { to: [check.uuid, ''], raw: RAW }), [
      '550 5.1.1 Recipient rejected',
      '550 5.1.1 Recipient rejected',
    ]);

    await assertUntouched(app(), check);
  });

  test('a mailbox of no known form is rejected', async () => {
    const { key, check } = await givenSlug();

    const mailboxes = [
      ...['foo', '', 'postmaster', `${key}+x.y.z`, `${key}+Nightly`, `${key}+`, key, `${key}-nightly`],
      ...[
        `${key.slice(0, 8)}+nightly`,
        `${key.padEnd(129, 'x')}+nightly`,
        `"${check.uuid}"`,
        ` ${check.uuid}`,
      ],
      ...[check.uuid.replaceAll('-', ''), `${check.uuid}+fail`, '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
      '00000000-0000-4000-c000-000000000000',
    ];
    const replies = await deliver(port(), {
      to: mailboxes.map((mailbox) => `${mailbox}@${DOMAIN}`),
      raw: RAW,
    });

    // A blank before an address is no part of it.
    assert.deepEqual(
      replies.map((reply, index) => [mailboxes[index] ?? 'message', reply]),
      [...mailboxes, 'message'].map((mailbox) => [
        mailbox,
        mailbox === 'message' || mailbox.startsWith(' ') ? '250 OK' : '550 5.1.1 Invalid mailbox',
      ]),
    );
    assert.deepEqual(await signalsOf(app(), check), ['success']);
  });

  test('mail to an unknown check is accepted, and pings nothing', async () => {
    const { key, check } = await givenSlug();

    const to = [`${UNKNOWN}@${DOMAIN}`, `${key}+unknown@${DOMAIN}`, `${'x'.repeat(22)}+nightly@${DOMAIN}`];
    assert.deepEqual(await deliver(port(), { to, raw: RAW }), ['250 OK', '250 OK', '250 OK', '250 OK']);

    await assertUntouched(app(), check);
  });

  test('mail to an ambiguous slug is accepted, and pings nothing', async () => {
    const { project, key, check } = await givenSlug();
    const other = await app().givenCheck(project, { slug: 'nightly' });

    assert.deepEqual(await deliver(port(), { to: [`${key}+nightly@${DOMAIN}`], raw: RAW }), [
      '250 OK',
      '250 OK',
    ]);

    await assertUntouched(app(), check, other);
  });

  test('a recipient after an unknown one is pinged', async () => {
    const check = await givenCheck();

    const replies = await deliver(port(), {
      to: [`${UNKNOWN}@${DOMAIN}`, `${check.uuid}@${DOMAIN}`],
      raw: RAW,
    });

    assert.deepEqual(replies, ['250 OK', '250 OK', '250 OK']);
    assert.deepEqual(await signalsOf(app(), check), ['success']);
  });

  test('a check that is named twice, by UUID and by slug, is pinged twice', async () => {
    const { key, check } = await givenSlug();

    await deliver(port(), { to: [`${check.uuid}@${DOMAIN}`, `${key}+nightly@${DOMAIN}`], raw: RAW });

    assert.deepEqual(await signalsOf(app(), check), ['success', 'success']);
  });

  test('a keyword in the subject is a success, and without one the default holds', async () => {
    const filter = { filterSubject: true, successKeywords: 'DONE, SUCCESS' };

    assert.equal(await signalFor(filter, 'Subject: [SUCCESS] nightly\r\n\r\nx'), 'success');
    assert.equal(await signalFor(filter, 'Subject: success\r\n\r\nx'), 'ign');
    assert.equal(await signalFor({ ...filter, filterDefaultFail: true }, 'Subject: hm\r\n\r\nx'), 'fail');
  });

  test('failure wins over success', async () => {
    const filter = { filterSubject: true, successKeywords: 'SUCCESS', failureKeywords: 'FAIL' };

    assert.equal(await signalFor(filter, 'Subject: SUCCESS 9, FAIL 1\r\n\r\nx'), 'fail');
  });

  test('a keyword in the subject can start a run', async () => {
    const check = await givenCheck({ filterSubject: true, startKeywords: 'START' });

    await mail(check, 'Subject: STARTING\r\n\r\nx');

    assert.deepEqual(await signalsOf(app(), check), ['start']);
    assert.equal((await stored(app(), check)).lastStartAt, app().clock.now());
  });

  test('encoded subjects are decoded before keywords are looked for', async () => {
    const filter = { filterSubject: true, successKeywords: 'Erfolg für alle ✓' };
    const subjects = [
      '=?utf-8?B?RXJmb2xnIGbDvHIgYWxsZSDinJM=?=',
      '=?UTF-8?Q?Erfolg_f=C3=BCr_alle_=E2=9C=93?=',
      '=?utf-8?q?Erfolg_f=C3?=\r\n =?utf-8?q?=BCr_alle_=E2=9C=93?=',
      'Re: Erfolg für alle ✓ (nightly)',
    ];

    for (const subject of subjects) {
      assert.equal(await signalFor(filter, `Subject: ${subject}\r\n\r\nx`), 'success', subject);
    }
  });

  test('a keyword is found in plain text, in HTML, and across tags', async () => {
    const filter = { filterBody: true, successKeywords: 'SUCCESS' };
    const transport = createTransport({ host: '127.0.0.1', port: port(), ignoreTLS: true });
    const contents = [
      { text: 'It was a SUCCESS.' },
      { text: 'hm', html: '<p>It was a SUCCESS.</p>' },
      { html: '<b>S</b>UCCESS' },
      {
        text: 'SUCCESS',
        html: '<p>hm</p>',
        attachments: [{ filename: 'a.bin', content: Buffer.alloc(50_000) }],
      },
    ];

    for (const content of contents) {
      const check = await givenCheck(filter);
      await transport.sendMail({
        from: 'nas@example.org',
        to: `${check.uuid}@${DOMAIN}`,
        subject: 'nightly',
        ...content,
      });
      assert.deepEqual(await signalsOf(app(), check), ['success'], JSON.stringify(content).slice(0, 80));
    }
    transport.close();
  });

  test('a keyword in a script, a style, a comment or an attribute is not found', async () => {
    const filter = { filterBody: true, successKeywords: 'SUCCESS' };
    const html = [
      '<script>SUCCESS</script>',
      '<style>.SUCCESS {}</style>',
      '<!-- SUCCESS -->',
      '<img alt="SUCCESS">',
      '<SUCCESS>',
    ];

    for (const text of html) {
      assert.equal(await signalFor(filter, `Content-Type: text/html\r\n\r\n<p>hm</p>${text}`), 'ign', text);
    }
  });

  test('a keyword in an attachment or in a second text is not found', async () => {
    const filter = { filterBody: true, successKeywords: 'SUCCESS' };
    const withSecond = (header: string) =>
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhm\r\n--b\r\nContent-Type: text/plain\r\n${header}\r\nSUCCESS\r\n--b--\r\n`;

    assert.equal(await signalFor(filter, withSecond('')), 'ign');
    assert.equal(await signalFor(filter, withSecond('Content-Disposition: attachment\r\n')), 'ign');
  });

  test('each filter looks at its own part of the message', async () => {
    const keywords = { successKeywords: 'SUCCESS' };
    const inSubject = 'Subject: SUCCESS\r\n\r\nhm';
    const inBody = 'Subject: hm\r\n\r\nSUCCESS';

    assert.equal(await signalFor({ ...keywords, filterBody: true }, inSubject), 'ign');
    assert.equal(await signalFor({ ...keywords, filterSubject: true }, inBody), 'ign');
    assert.equal(
      await signalFor({ ...keywords, filterBody: true, filterSubject: true }, inSubject),
      'success',
    );
    assert.equal(await signalFor({ ...keywords, filterBody: true, filterSubject: true }, inBody), 'success');
  });

  test('a keyword that is not ASCII is found in HTML of eight bits', async () => {
    const raw =
      'Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n<p>Успех</p>';

    assert.equal(await signalFor({ filterBody: true, successKeywords: 'Успех' }, raw), 'success');
  });

  test('iso-8859-1 in quoted-printable is decoded before keywords are looked for', async () => {
    const raw =
      'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe';

    assert.equal(await signalFor({ filterBody: true, successKeywords: 'Grüße' }, raw), 'success');
  });

  for (const charset of ['latin-1', 'Latin_1', 'iso8859_1', 'ISO_8859-1', 'cp_1252']) {
    test(`so is ${charset}, as some programs call it`, async () => {
      const raw = `Content-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe`;

      assert.equal(await signalFor({ filterBody: true, successKeywords: 'Grüße' }, raw), 'success');
    });
  }

  test('an unknown character set costs no ping', async () => {
    const raw = 'Content-Type: text/plain; charset=x-klingon\r\n\r\nSUCCESS \xff';

    assert.equal(await signalFor({ filterBody: true, successKeywords: 'SUCCESS' }, raw), 'success');
    assert.equal(await signalFor({ filterBody: true, successKeywords: 'DONE' }, raw), 'ign');
  });

  test('a part without a header is searched', async () => {
    const raw = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSUCCESS\r\n--b--\r\n';

    assert.equal(await signalFor({ filterBody: true, successKeywords: 'SUCCESS' }, raw), 'success');
  });

  test('the filter of HTTP bodies does not apply', async () => {
    assert.equal(
      await signalFor({ filterHttpBody: true, failureKeywords: 'FAIL' }, 'Subject: FAIL\r\n\r\nFAIL'),
      'success',
    );
  });

  test('where only POST counts, mail counts, too', async () => {
    assert.equal(await signalFor({ methods: 'POST' }, RAW), 'success');
  });

  test('a check that was paused for good ignores mail', async () => {
    const check = await givenCheck({ status: 'paused', manualResume: true });

    assert.deepEqual(await mail(check, RAW), ['250 OK', '250 OK']);

    assert.deepEqual(await signalsOf(app(), check), ['ign']);
    assert.equal((await stored(app(), check)).status, 'paused');
  });

  test('the null sender is accepted', async () => {
    const check = await givenCheck();

    assert.deepEqual(await deliver(port(), { from: '', to: [`${check.uuid}@${DOMAIN}`], raw: RAW }), [
      '250 OK',
      '250 OK',
    ]);

    assert.equal((await lastPing(app(), check)).userAgent, 'Email from <>');
  });

  test('whatever a sender is called, the ping is kept, and the name cut', async () => {
    const names: [string, string][] = [
      ['nas', 'Email from nas'],
      ['ünï@dömain.example', 'Email from ünï@dömain.example'],
      ['a\0b\x07@x', 'Email from a\u{fffd}b\u{fffd}@x'],
      ['x'.repeat(500), `Email from ${'x'.repeat(189)}`],
      [`${'x'.repeat(188)}\u{1f514}`, `Email from ${'x'.repeat(188)}\u{fffd}`],
    ];

    for (const [from, userAgent] of names) {
      const check = await givenCheck();
      await deliver(port(), { from, to: [`${check.uuid}@${DOMAIN}`], raw: RAW });
      assert.equal((await lastPing(app(), check)).userAgent, userAgent);
    }
  });

  test('of a mail of 2 MiB the first part is kept, and all of it searched', async () => {
    const check = await givenCheck({ filterBody: true, successKeywords: 'SUCCESS' });
    const raw = `Subject: long\r\n\r\n${'all work and no play\r\n'.repeat(100_000)}SUCCESS\r\n`;

    assert.deepEqual(await mail(check, raw), ['250 OK', '250 OK']);

    assert.deepEqual(await signalsOf(app(), check), ['success']);
    const body = await lastBody(app(), check);
    assert.equal(body?.length, 1_048_576);
    assert.equal(body?.toString(), raw.slice(0, 1_048_576));
  });

  test('without a subject, a filter of subjects finds nothing', async () => {
    const filter = { filterSubject: true, successKeywords: 'SUCCESS' };

    assert.equal(await signalFor(filter, 'From: a@example.org\r\n\r\nSUCCESS'), 'ign');
    assert.equal(
      await signalFor({ ...filter, filterDefaultFail: true }, 'From: a@example.org\r\n\r\nx'),
      'fail',
    );
  });

  test('a message of any bytes is kept byte by byte', async () => {
    const check = await givenCheck({ filterBody: true });
    const raw = Buffer.from(Array.from({ length: 1024 }, (_, index) => (index * 7) % 256));

    assert.deepEqual(await mail(check, raw), ['250 OK', '250 OK']);

    assert.deepEqual(await lastBody(app(), check), Buffer.concat([raw, Buffer.from('\r\n')]));
  });
});
