import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { mailContent } from './mail-content.ts';

const MAIL = [
  'From: =?utf-8?q?Cr=C3=B6n?= <cron@example.org>',
  'To: job@ping.example.org',
  'Date: Mon, 5 Jan 2026 10:00:00 +0000',
  'Subject: =?utf-8?q?Nightly_=E2=9C=93?=',
  'Content-Type: multipart/mixed; boundary="outer"',
  '',
  '--outer',
  'Content-Type: multipart/alternative; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '4 rows =E2=9C=93',
  '--inner',
  'Content-Type: text/html',
  '',
  '<p>4 rows</p>',
  '--inner--',
  '--outer',
  'Content-Type: application/pdf; name="=?utf-8?q?r=C3=A9sum=C3=A9.pdf?="',
  'Content-Disposition: attachment',
  '',
  'JVBERi0=',
  '--outer',
  'Content-Type: text/plain',
  "Content-Disposition: attachment; filename*=utf-8''na%C3%AFve.txt",
  '',
  'not the text',
  '--outer',
  'Content-Type: image/png',
  '',
  'iVBOR',
  '--outer--',
].join('\r\n');

suite('a mail', () => {
  test('has its sender, subject, texts and the names of what is attached', () => {
    assert.deepEqual(mailContent(Buffer.from(MAIL)), {
      from: 'Crön <cron@example.org>',
      to: 'job@ping.example.org',
      date: 'Mon, 5 Jan 2026 10:00:00 +0000',
      subject: 'Nightly ✓',
      text: '4 rows ✓',
      html: '<p>4 rows</p>',
      attachments: [
        { name: 'résumé.pdf', type: 'application/pdf', size: 8 },
        { name: 'naïve.txt', type: 'text/plain', size: 12 },
        { name: '', type: 'image/png', size: 5 },
      ],
    });
  });

  test('that is none is read as a text', () => {
    const { subject, text, html, attachments } = mailContent(Buffer.from('just words'));

    assert.deepEqual(
      { subject, text, html, attachments },
      {
        ...{ subject: '', text: 'just words', html: null, attachments: [] },
      },
    );
  });
});
