import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import { DEFAULT_DATE_STYLE } from '../../lib/text/date-style.ts';
import {
  aCheck,
  anEvent,
  anEventWithBody,
  aPing,
  aRecovery,
  aStory,
  aZonedStory,
  OTHERS,
  recordingPorts,
  SCENARIOS,
  UUID,
} from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { OutboundMail } from '../kind/kind.ts';
import { readSettings } from '../registry.ts';
import { email } from './email.ts';
import { alertMail } from './message.ts';

async function mailOf(event: AlertEvent): Promise<OutboundMail> {
  const ports = recordingPorts();
  await email.deliver(event, { email: 'alice@example.org' }, ports, {});
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
    const mail = await mailOf(anEvent({ story: aStory(), others: OTHERS }));

    assert.equal(mail.to, 'alice@example.org');
    assert.equal(mail.subject, 'Down: Nightly backup – no ping for 25 h');
    assertInOrder(mail, [
      'Nightly backup',
      'Down since 12:30',
      'no ping for 25 h',
      'Expected',
      'Last ping',
      'OK after 6 min 41 s',
      'Told now',
      'Note',
      'Open Nightly backup',
      'The last 20 runs: 18 OK, 1 late, the newest one missed.',
      'Last output',
      'when it still worked',
      'line 2 <ok> & "done"',
      'Also down',
      'nightly-etl',
      'Sent because alice@example.org is an integration of the project Acme.',
      'Stop mails to this address',
    ]);
    assert.match(
      mail.html,
      />Expected 11:30, the grace ended 12:30\. Last ping Sat 11:30\. Also down: nightly-etl\. &/,
    );
  });

  test('a mail about a check that came up tells how it came back, and answers the one before', async () => {
    const event = SCENARIOS['up-with-downtime'] ?? assert.fail();

    const mail = await mailOf(event);

    assert.equal(mail.subject, 'Up again: Nightly backup – was down for 1 h 30 min');
    assert.equal(mail.answers, event.answers?.deliveryId);
    assertInOrder(mail, [
      'was down for 1 h 30 min',
      'one run missed',
      'Came back by',
      'Was down',
      'Told now',
      'Next run',
      'Still down',
    ]);
  });

  test('a mail names the person who gave the all-clear', async () => {
    const story = aRecovery();
    const sentBy = 'alice@example.org';
    const lastPing = { ...(story.lastPing ?? assert.fail()), sentBy };

    const { text } = await mailOf({
      ...(SCENARIOS['up-with-downtime'] ?? assert.fail()),
      story: { ...story, lastPing },
    });

    assert.match(text, /Came back by\s+Ping #43 .*sent by alice@example\.org\s+from the dashboard/);
  });

  test('facts that are not known are left out with their labels', async () => {
    const story = aStory({ lastPing: null, dueAt: null, told: [], output: null, runs: [] });
    const about = { ...story.about, description: '' };

    const { text, html } = await mailOf(anEvent({ story: { ...story, about }, ping: null, body: null }));

    for (const part of [text, html])
      assert.doesNotMatch(part, /Expected|Last ping|Told now|Note|runs|output|Also down/);
  });

  test('an alert is sent even if its story could not be read', async () => {
    const mail = await mailOf(anEvent({ story: null }));

    assert.equal(mail.subject, 'Down: Nightly backup');
    assertInOrder(mail, ['Nightly backup', 'Open Nightly backup']);
  });

  test('a test says so', async () => {
    const mail = await mailOf(SCENARIOS['test-send'] ?? assert.fail());

    assertInOrder(mail, ['TEST', 'This is a test message: nothing has happened to your checks.']);
    assert.doesNotMatch(mail.html, /Open TEST/);
  });

  test('times are in the zone of the reader, and of the check where nobody is known', async () => {
    const cadence = { kind: 'cron', schedule: '0 14 * * *', tz: 'Europe/Riga' } as const;
    const story = aZonedStory('every day at 13:30', 'Europe/Riga');
    const event = anEvent({ check: aCheck({ cadence }), story });
    const reader = { ...DEFAULT_DATE_STYLE, timeZone: 'America/New_York' };

    const unknown = alertMail(event, 'alice@example.org', 'https://example.org/stop');
    const known = alertMail(event, 'alice@example.org', 'https://example.org/stop', reader);

    assert.match(unknown.text, /Down since 14:30 [\s\S]*Sun, 10 Mar 2024, 14:30:05 EET · 12:30:05 UTC/);
    assert.match(unknown.text, /Down since 14:30 · no ping for 25 h \(expected every day at 13:30, Riga\)\./);
    assert.match(known.text, /Down since 08:30 · no ping for 25 h \(expected 07:30\)\./);
    assert.doesNotMatch(known.text, /Riga|13:30/);
    assert.match(known.html, />Sun 10 Mar, 08:30 EDT</);
  });

  test('a schedule without a known due time keeps the name of its zone for a reader elsewhere', () => {
    const story = { ...aZonedStory('every day at 13:30', 'Europe/Riga'), dueAt: null };
    const reader = { ...DEFAULT_DATE_STYLE, timeZone: 'America/New_York' };

    const { text } = alertMail(anEvent({ story }), 'alice@example.org', 'https://example.org/stop', reader);

    assert.match(text, /\(expected every day at 13:30, Riga\)\./);
  });

  test('a zone by another of its names is the same zone', () => {
    const story = aZonedStory('every day at 07:30', 'US/Eastern');
    const reader = { ...DEFAULT_DATE_STYLE, timeZone: 'America/New_York' };

    const { text } = alertMail(anEvent({ story }), 'alice@example.org', 'https://example.org/stop', reader);

    assert.match(text, /Down since 08:30 · no ping for 25 h \(expected every day at 07:30,\s+Eastern\)\./);
  });

  test('a long name gives way to the cause in the subject', async () => {
    const story = aStory({ about: { ...aStory().about, name: 'x'.repeat(200) } });

    const { subject } = await mailOf(anEvent({ story }));

    assert.equal([...subject].length, 78);
    assert.match(subject, /^Down: x+… – no ping for 25 h$/);
  });

  test('nothing of a ping is markup or a link', async () => {
    const { html } = await mailOf(SCENARIOS['hostile-characters'] ?? assert.fail());

    assert.doesNotMatch(html, /<svg|<b>|https:\/\/evil|www\.evil|root@evil/);
    assert.match(html, /https&zwnj;:\/\/evil&zwnj;\.example/);
  });

  test('an ampersand in the name is escaped in HTML alone', async () => {
    const mail = await mailOf(anEvent({ check: aCheck({ name: 'Backup & <Restore>' }) }));

    assert.equal(mail.subject, 'Down: Backup & <Restore>');
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

  test('the message of a mail ping is attached, not quoted, and its subject is shown', async () => {
    const event = anEventWithBody(MAIL, { scheme: 'email', method: '' });

    const mail = await mailOf({ ...event, story: aStory({ output: null }) });

    assertInOrder(mail, ['Last output', 'Backup für alle', 'See the attachment last-ping.eml.']);
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
  });

  for (const [name, event] of Object.entries(SCENARIOS)) {
    test(`${name}: no line of more than 72 columns but output and long words, and less than 60 kB`, async () => {
      const { text, html } = await mailOf(event);

      for (const line of text.split('\n')) assert.ok([...line].length <= 72 || /\S{50}|^>/.test(line), line);
      assert.ok(Buffer.byteLength(html) < 60_000);
    });
  }

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

    assert.equal(subject, 'Down: a Bcc: x@evil.example b');
  });

  test('nothing is loaded from anywhere', async () => {
    for (const event of Object.values(SCENARIOS)) {
      const { html } = await mailOf(event);

      assert.doesNotMatch(html, /<(?:img|link|script|iframe|video|object)\b|\bsrc=|url\(/i);
    }
  });

  test('a message that is sent later says the same', async () => {
    const later = anEvent({ story: aStory(), now: anEvent().now + 3_600_000_000 });

    assert.deepEqual(await mailOf(later), await mailOf(anEvent({ story: aStory() })));
  });

  test('settings are read again as they were stored', () => {
    const settings = readSettings('email', { email: 'alice@example.org', events: ['up', 'down_fail'] });

    assert.deepEqual(settings, { email: 'alice@example.org', events: ['down_fail', 'up'] });
    assert.deepEqual(readSettings('email', settings), settings);
  });

  test('an address that is told of nothing is refused', () => {
    const fault = readSettings('email', { email: 'alice@example.org', events: [] });

    assert.ok(fault instanceof Fault);
    assert.equal(fault.reason, 'events is empty');
  });
});
