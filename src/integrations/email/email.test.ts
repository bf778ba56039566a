import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { escapeHtml } from '../../lib/html-escape.ts';
import { seconds } from '../../lib/instant.ts';
import {
  AT,
  aCheck,
  anEvent,
  anEventWithBody,
  aPing,
  recordingPorts,
  SCENARIOS,
  UUID,
} from '../alert-event.test-support.ts';
import type { AlertEvent } from '../alert-event.ts';
import type { OutboundMail } from '../kind.ts';
import { readSettings } from '../registry.ts';
import { email } from './email.ts';

async function mailOf(event: AlertEvent): Promise<OutboundMail> {
  const ports = recordingPorts();
  await email.deliver(event, { email: 'alice@example.org', down: true, up: true }, ports, {});
  assert.equal(ports.mails.length, 1);
  return ports.mails[0] as OutboundMail;
}

/** Each of the texts, in this order, in both parts. */
function assertInOrder(mail: OutboundMail, texts: readonly string[]): void {
  for (const [part, escaped] of [
    [mail.text, texts],
    [mail.html, texts.map(escapeHtml)],
  ] as const) {
    let from = 0;
    for (const text of escaped) {
      const at = part.indexOf(text, from);
      assert.notEqual(at, -1, `${text} comes next in:\n${part}`);
      from = at + text.length;
    }
  }
}

const MAIL = [
  'From: cron@example.org',
  `To: <${UUID}@hc.example.org>`,
  'Subject: =?utf-8?Q?Backup_f=C3=BCr?= =?utf-8?B?IGFsbGU=?=',
  '',
  'The quick brown fox',
].join('\r\n');

suite('an alert by e-mail', () => {
  test('a mail about a check that went down says everything, in order, in both parts', async () => {
    const mail = await mailOf(anEvent());

    assert.equal(mail.to, 'alice@example.org');
    assert.equal(mail.subject, 'DOWN | Nightly backup');
    assertInOrder(mail, [
      'DOWN',
      'success signal did not arrive on time, grace time passed',
      `https://tocsin.example.org/cloaked/${anEvent().check.uniqueKey}/`,
      'Runbook: wiki/backup',
      'Acme',
      'prod db',
      '1 day',
      '42 (since 2 Jan 2024)',
      'an hour ago from 192.0.2.7',
      'Success',
      'Sun, 10 Mar 2024 12:30:05 +0000',
      'line 1\nline 2 <ok> & "done"',
      'https://tocsin.example.org/integrations/unsubscribe/abc?a=1&b=2',
    ]);
  });

  test('a mail about a check that came up tells the downtime and no reason', async () => {
    const mail = await mailOf(anEvent({ to: 'up', reason: '', downFor: seconds(90_000) }));

    assert.equal(mail.subject, 'UP | Nightly backup');
    assertInOrder(mail, ['UP', 'It was down for 1 day, 1 hour.', 'Acme']);
    assert.doesNotMatch(mail.text, /Reason/);
  });

  test('a mail about a check that came up tells no downtime that nobody knows', async () => {
    const mail = await mailOf(anEvent({ to: 'up', reason: '', downFor: null }));

    assert.doesNotMatch(`${mail.text}${mail.html}`, /down for/);
  });

  test('a test of an up message shows neither downtime nor reason', async () => {
    const mail = await mailOf({ ...anEvent({ isTest: true, to: 'up', reason: '' }), ping: null, body: null });

    assert.doesNotMatch(mail.text, /Reason|down for/);
    assertInOrder(mail, ['This is a test message', 'Total Pings', '0 (since', 'Never']);
  });

  test('a check with a schedule shows it with its zone, and the time there', async () => {
    const cadence = { kind: 'oncalendar', schedule: 'Mon 10:00\nFri 12:00', tz: 'Europe/Riga' } as const;

    const mail = await mailOf(anEvent({ check: aCheck({ cadence }) }));

    assertInOrder(mail, ['Mon 10:00', 'Fri 12:00', 'Europe/Riga', 'Sun, 10 Mar 2024 14:30:05 +0200']);
    assert.doesNotMatch(mail.text, /Period/);
  });

  test('an ampersand in the name is escaped in HTML alone', async () => {
    const mail = await mailOf(anEvent({ check: aCheck({ name: 'Backup & <Restore>' }) }));

    assert.equal(mail.subject, 'DOWN | Backup & <Restore>');
    assert.match(mail.text, /Backup & <Restore>/);
    assert.match(mail.html, /Backup &amp; &lt;Restore&gt;/);
    assert.doesNotMatch(mail.html, /<Restore>/);
  });

  test('the mail can be unsubscribed from by one click, and has no other header', async () => {
    assert.deepEqual((await mailOf(anEvent())).headers, {
      'List-Unsubscribe': '<https://tocsin.example.org/integrations/unsubscribe/abc?a=1&b=2>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
  });

  test('of a long body the last 10000 characters are shown, with a note', async () => {
    const mail = await mailOf(anEventWithBody(`BEGINNING${'x'.repeat(9_996)}THE_END`));

    assertInOrder(mail, [
      'Showing the last 10000 bytes of 10012 bytes total.',
      `${'x'.repeat(9_993)}THE_END`,
    ]);
    assert.doesNotMatch(mail.text, /BEGINNING|INNING/);
    assert.doesNotMatch(mail.html, /BEGINNING|INNING/);
  });

  test('a body of 10000 characters is shown as a whole, without a note', async () => {
    const mail = await mailOf(anEventWithBody('é'.repeat(10_000)));

    assertInOrder(mail, ['é'.repeat(10_000)]);
    assert.doesNotMatch(mail.text, /Showing/);
  });

  test('long lines of a body are wrapped in the text part, at blanks alone', async () => {
    const mail = await mailOf(anEventWithBody(`${'word '.repeat(30)}${'y'.repeat(90)} z`));

    assert.ok(mail.text.includes(`\n${'word '.repeat(16).trim()}\n`));
    assert.ok(mail.text.includes(`\n${'y'.repeat(90)}\nz\n`));
    assert.ok(mail.html.includes(`${'word '.repeat(30)}${'y'.repeat(90)} z`));
  });

  test('a body that cannot be had is said to be missing', async () => {
    assertInOrder(await mailOf(anEvent({ body: null })), ['The body of the last ping could not be read']);
  });

  test('a ping without a body has no place for one', async () => {
    const mail = await mailOf(anEvent({ ping: aPing({ bodySize: 0 }), body: null }));

    assert.doesNotMatch(mail.text, /Last Ping Body/);
    assert.doesNotMatch(mail.html, /Last Ping Body/);
  });

  test('the message of a mail ping is attached, not quoted, and its subject is shown', async () => {
    const mail = await mailOf(anEventWithBody(MAIL, { scheme: 'email', method: '' }));

    assertInOrder(mail, ['Last Ping Subject', 'Backup für alle', 'See the attachment last-ping.eml.']);
    assert.doesNotMatch(mail.text, /quick brown/);
    assert.doesNotMatch(mail.html, /quick brown/);
    assert.equal(mail.attachments.length, 1);
    assert.equal(mail.attachments[0]?.filename, 'last-ping.eml');
    assert.equal(mail.attachments[0]?.contentType, 'message/rfc822');
    assert.match(Buffer.from(mail.attachments[0]?.content ?? []).toString(), /The quick brown fox/);
  });

  test('a mail ping whose message cannot be had has no attachment', async () => {
    const mail = await mailOf(anEvent({ ping: aPing({ scheme: 'email' }), body: null }));

    assert.deepEqual(mail.attachments, []);
    assertInOrder(mail, ['The body of the last ping could not be read']);
  });

  test('the toggles decide what is wanted', () => {
    const settings = { email: 'alice@example.org', down: false, up: true };

    assert.equal(email.wants(settings, 'down'), false);
    assert.equal(email.wants(settings, 'up'), true);
  });

  test('the UUID is in no mail, whatever it comes from', async () => {
    const leaky = `curl https://hc.example.org/${UUID} ${UUID.toUpperCase()} ${UUID.replaceAll('-', '')}`;
    const events = [
      ...Object.values(SCENARIOS),
      anEventWithBody(leaky),
      anEventWithBody(MAIL, { scheme: 'email' }),
      anEvent({ check: aCheck({ name: UUID, tags: UUID, description: leaky }), projectName: UUID }),
    ];
    for (const event of events) {
      const { attachments, ...mail } = await mailOf(event);
      const everything = [
        JSON.stringify(mail),
        ...attachments.map(({ content }) => Buffer.from(content).toString('latin1')),
      ].join('\n');

      assert.doesNotMatch(everything.toLowerCase().replaceAll('-', ''), new RegExp(UUID.replaceAll('-', '')));
    }
  });

  test('no name can add a header', async () => {
    const { subject } = await mailOf(
      anEvent({ check: aCheck({ name: 'a\r\nBcc: x@evil.example\n\u2028b' }) }),
    );

    assert.equal(subject, 'DOWN | a Bcc: x@evil.example b');
  });

  test('nothing is loaded from anywhere', async () => {
    for (const event of Object.values(SCENARIOS)) {
      const { html } = await mailOf(event);

      assert.doesNotMatch(html, /<(?:img|link|script|iframe|video|object)\b|\bsrc=|url\(/i);
    }
  });

  test('a message that is sent later counts the time from now', async () => {
    const mail = await mailOf(anEvent({ now: AT + seconds(3600) }));

    assertInOrder(mail, ['2 hours ago from 192.0.2.7', 'Sun, 10 Mar 2024 12:30:05 +0000']);
  });

  test('an address that was stored under its earlier name is known by its present one', () => {
    const stored = { address: 'alice@example.org', down: true, up: false };

    assert.deepEqual(email.upgrade?.(stored), { email: 'alice@example.org', down: true, up: false });
  });

  test('settings are read again as they were stored', () => {
    const settings = readSettings('email', { email: 'alice@example.org', up: false });

    assert.deepEqual(settings, { email: 'alice@example.org', down: true, up: false });
    assert.deepEqual(readSettings('email', settings), settings);
  });
});
