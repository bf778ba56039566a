import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailText } from './mail-text.ts';

/** A message as it travels: lines end in CR LF. */
function message(...lines: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\r\n')]));
}

function textOf(...lines: readonly (string | Buffer)[]): string {
  return mailText(message(...lines)).text;
}

function subjectOf(...lines: readonly (string | Buffer)[]): string {
  return mailText(message(...lines, '', 'body')).subject;
}

function htmlText(html: string): string {
  return textOf('Content-Type: text/html; charset=utf-8', '', html);
}

/** A multipart with the given parts, each a list of lines. */
function multipart(type: string, boundary: string, ...parts: readonly (readonly string[])[]): string[] {
  return [
    `Content-Type: multipart/${type}; boundary="${boundary}"`,
    '',
    'This is a message with multiple parts in MIME format.',
    ...parts.flatMap((part) => [`--${boundary}`, ...part]),
    `--${boundary}--`,
    'An epilogue nobody reads.',
  ];
}

test('a simple message has a subject and a text', () => {
  const mail = mailText(
    message('From: cron@example.org', 'Subject: Backup done', '', 'All 17 files.', 'Bye'),
  );

  assert.deepEqual(mail, { subject: 'Backup done', text: 'All 17 files.\r\nBye\r\n' });
});

test('a folded subject is unfolded, and of several the first counts', () => {
  assert.equal(subjectOf('Subject: one', '\ttwo', '  three', 'Subject: other'), 'one\ttwo  three');
  assert.equal(subjectOf('SUBJECT:no blank'), 'no blank');
  assert.equal(subjectOf('X-Subject: other'), '');
  assert.equal(subjectOf('Subject:', ' on the next line'), 'on the next line');
});

test('encoded words of a subject are decoded', () => {
  const cases: [string, string][] = [
    ['=?utf-8?B?4pyTIFNVQ0NFU1M=?=', '✓ SUCCESS'],
    ['=?UTF-8?Q?Sicherung_fertig_=E2=9C=93?=', 'Sicherung fertig ✓'],
    ['=?iso-8859-1?q?Gr=FC=DFe?= an alle', 'Grüße an alle'],
    ['Re: =?utf-8?q?a?= =?utf-8?q?b?=   =?iso-8859-1?q?=E9?=', 'Re: abé'],
    ['=?utf-8?q?a?= and =?utf-8?q?b?=', 'a and b'],
    ['=?utf-8*de?q?stra=C3=9Fe?=', 'straße'],
    ['=?x-nobody-knows?q?=E2=9C=93?=', '✓'],
    ['=?utf-8?q?what_now??=', 'what now?'],
    ['=?utf-8?q??=', ''],
    ['=?utf-8?x?abc?=', '=?utf-8?x?abc?='],
    ['=?utf-8?q?never closed', '=?utf-8?q?never closed'],
    ['=?iso-2022-jp?B?GyRCQC44eRsoQg==?=', '成功'],
    ['1 =? 2 ?= 3', '1 =? 2 ?= 3'],
  ];

  for (const [encoded, decoded] of cases) assert.equal(subjectOf(`Subject: ${encoded}`), decoded, encoded);
});

test('a character may begin in one encoded word and end in the next, on another line', () => {
  assert.equal(subjectOf('Subject: =?utf-8?q?ok_=E2?=', ' =?UTF-8?Q?=9C=93?='), 'ok ✓');
  assert.equal(subjectOf('Subject: =?utf-8?B?U1VD?=', ' =?utf-8?B?Q0VTUw==?='), 'SUCCESS');
});

test('a raw subject is read as UTF-8', () => {
  assert.equal(subjectOf('Subject: Größe ✓'), 'Größe ✓');
  assert.equal(subjectOf(Buffer.from('Subject: Gr\xf6\xdfe', 'latin1')), 'Gr��e');
});

test('quoted-printable is decoded, with soft line breaks and mistakes', () => {
  const header = [
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: Quoted-Printable',
    '',
  ];

  assert.equal(textOf(...header, 'SUC=', 'CESS =E2=9C=93 1=3D1'), 'SUCCESS ✓ 1=1\r\n');
  assert.equal(textOf(...header, 'SUC= \t', 'CESS'), 'SUCCESS\r\n');
  assert.equal(textOf(...header, 'a=zz b= c=4', 'd=4'), 'a=zz b= c=4\r\nd=4\r\n');
  assert.equal(mailText(Buffer.from(`${header.join('\n')}\nSUC=\nCESS=`)).text, 'SUCCESS');
});

test('iso-8859-1 in quoted-printable is decoded', () => {
  const text = textOf(
    'Content-Type: text/plain; charset="ISO-8859-1"',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Gr=FC=DFe, erledigt f=FCr 5 =80?',
  );

  // Browsers and mail programs take 0x80 of this set for the euro.
  assert.equal(text, 'Grüße, erledigt für 5 €?\r\n');
});

test('base64 is decoded, and what is none is left as it is', () => {
  const header = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64', ''];

  assert.equal(textOf(...header, 'U1VD', 'Q0VT', 'UyDinJM='), 'SUCCESS ✓');
  assert.equal(textOf(...header, 'U1VDQ0VTUw'), 'SUCCESS', 'without padding');
  assert.equal(textOf(...header, 'U1VDQ0VTUw==', '______', 'A footer!'), 'SUCCESS', 'with a footer');
  assert.equal(textOf(...header, 'SUCCESS, it says.'), 'SUCCESS, it says.\r\n', 'no letters of base64');
  assert.equal(textOf(...header, 'DONE1'), 'DONE1\r\n', 'no possible length');
  assert.equal(textOf(...header), '');
});

test('character sets are honoured, and unknown ones are read as UTF-8', () => {
  const decoded = (charset: string, bytes: Buffer) =>
    textOf(`Content-Type: text/plain; ${charset}`, '', bytes);

  assert.equal(decoded('charset=windows-1251', Buffer.from([0xd3, 0xf1, 0xef, 0xe5, 0xf5])), 'Успех\r\n');
  assert.equal(decoded('charset=shift_jis', Buffer.from([0x90, 0xac, 0x8c, 0xf7])), '成功\r\n');
  assert.equal(decoded('charset=ks_c_5601-1987', Buffer.from([0xbc, 0xba, 0xb0, 0xf8])), '성공\r\n');
  assert.equal(decoded('charset=x-unknown', Buffer.from('✓')), '✓\r\n');
  assert.equal(decoded('charset=us-ascii', Buffer.from('✓')), '✓\r\n');
  assert.equal(decoded('charset=""', Buffer.from('✓')), '✓\r\n');
  assert.equal(decoded('format=flowed', Buffer.from([0x41, 0xff, 0x42])), 'A\u{fffd}B\r\n');
  assert.equal(decoded("charset*=us-ascii'en'iso-8859-1", Buffer.from([0xfc])), 'ü\r\n');
});

test('plain and HTML text of an alternative are both searched, in this order', () => {
  const text = textOf(
    'Subject: weekly',
    ...multipart(
      'alternative',
      '=_b1',
      ['Content-Type: text/html', '', '<p>rich</p>'],
      ['Content-Type: text/plain', '', 'poor  text'],
    ),
  );

  assert.equal(text, 'poor  text\nrich');
});

test('of several texts only the first of each kind is searched, however deep', () => {
  const inner = multipart(
    'alternative',
    'in',
    ['Content-Type: text/plain', '', 'first'],
    ['Content-Type: text/html', '', 'rich'],
  );
  const text = textOf(
    ...multipart(
      'mixed',
      'out',
      multipart('signed', 'mid', inner, ['Content-Type: application/pgp-signature', '', 'abc']),
      ['Content-Type: text/plain', '', 'second'],
      ['Content-Type: text/html', '', 'third'],
    ),
  );

  assert.equal(text, 'first\nrich');
});

test('attachments are not searched, nor what is forwarded as one', () => {
  const text = textOf(
    ...multipart(
      'mixed',
      'b',
      [
        'Content-Type: text/plain; name=log.txt',
        'Content-Disposition: Attachment; filename=log.txt',
        '',
        'LOG',
      ],
      ['Content-Type: message/rfc822', '', 'Subject: forwarded', '', 'INNER'],
      multipart('mixed', 'c', ['', 'kept']).toSpliced(1, 0, 'Content-Disposition: attachment'),
      ['Content-Type: text/plain', 'Content-Disposition: inline', '', 'said'],
    ),
  );

  assert.equal(text, 'said');
});

test('a message forwarded inline is text like any other', () => {
  const text = textOf(
    'Subject: Fwd: nightly',
    'Content-Type: text/plain',
    '',
    'See below.',
    '',
    '-------- Forwarded Message --------',
    'Subject: nightly',
    '',
    'SUCCESS',
  );

  assert.match(text, /SUCCESS/);
});

test('an invitation is searched by its text, not by its calendar', () => {
  const text = textOf(
    ...multipart(
      'alternative',
      'cal',
      ['Content-Type: text/plain; charset=utf-8', '', 'You are invited'],
      [
        'Content-Type: text/calendar; method=REQUEST',
        '',
        'BEGIN:VCALENDAR',
        'SUMMARY:SECRET',
        'END:VCALENDAR',
      ],
    ),
  );

  assert.equal(text, 'You are invited');
});

test('of related parts only the root is searched', () => {
  const parts = [
    ['Content-Type: text/plain', 'Content-ID: <one@x>', '', 'first'],
    ['Content-Type: text/html', 'Content-ID: <two@x>', '', '<i>second</i>'],
  ];
  const related = (start: string) =>
    textOf(...multipart(`related; start="${start}"; x=y`, 'r', ...parts)).replace(/\s+/g, ' ');

  assert.equal(textOf(...multipart('related', 'r', ...parts)), 'first');
  assert.equal(related('<two@x>'), 'second');
  assert.equal(related('two@x'), 'second');
  assert.equal(related('<three@x>'), 'first');
});

test('a part without any header is plain text, with or without the empty line', () => {
  assert.equal(textOf(...multipart('mixed', 'b', ['', 'no header'])), 'no header');
  assert.equal(textOf(...multipart('mixed', 'b', ['no empty line, either'])), 'no empty line, either');
  assert.equal(textOf(...multipart('mixed', 'b', ['Content-Type: text/html', ''], ['', 'next'])), 'next\n');
});

test('without a line between header and body the whole thing is body', () => {
  assert.equal(mailText(Buffer.from('SUCCESS\nall is well')).text, 'SUCCESS\nall is well');
  assert.equal(mailText(Buffer.from('Backup: SUCCESS')).text, 'Backup: SUCCESS');
  assert.deepEqual(mailText(Buffer.from('Subject: hi\r\nno field\r\nmore')), {
    subject: 'hi',
    text: 'Subject: hi\r\nno field\r\nmore',
  });
  assert.deepEqual(mailText(Buffer.alloc(0)), { subject: '', text: '' });
});

test('boundaries are lines of their own, and may be missing at the end', () => {
  const header = ['Content-Type: multipart/mixed; boundary=b', ''];
  const part = ['Content-Type: text/plain', ''];

  assert.equal(textOf(...header, '--b', ...part, 'x --b y', '--bb', '--b', ...part, 'z'), 'x --b y\r\n--bb');
  assert.equal(textOf(...header, '--b \t', ...part, 'cut off'), 'cut off\r\n');
  assert.equal(textOf(...header, '--b', ...part, 'said', '--b--', '--b', ...part, 'late'), 'said');
  const pieces = 'Content-Type: multipart/mixed; boundary*0="ab"; boundary*1="cd"';
  assert.equal(textOf(pieces, '', '--abcd', ...part, 'said', '--abcd--'), 'said');
});

test('a multipart without parts is read as plain text', () => {
  assert.equal(textOf('Content-Type: multipart/mixed', '', 'SUCCESS'), 'SUCCESS\r\n');
  assert.equal(textOf('Content-Type: multipart/mixed; boundary=b', '', 'SUCCESS'), 'SUCCESS\r\n');
});

test('other types have no text, and a type that says nothing means plain text', () => {
  assert.equal(textOf('Content-Type: application/json', '', '{"ok": true}'), '');
  assert.equal(textOf('Content-Type: text/csv', '', 'a,b'), '');
  assert.equal(textOf('Content-Type: text', '', 'said'), 'said\r\n');
  assert.equal(textOf('Content-Type: TEXT/PLAIN (a comment); charset=utf-8', '', 'said'), 'said\r\n');
});

test('HTML is reduced to its text', () => {
  const cases: [string, string][] = [
    ['<b>S</b>UCCESS', 'SUCCESS'],
    ['foo<br>bar<p>baz</p>', 'foobarbaz'],
    ['  a \r\n\t b&nbsp;&nbsp;c  ', 'a b c'],
    ['&lt;ok&gt; &amp; &#x2713;&#10003; &check; &Uuml;&eacute &hellip;', '<ok> & ✓✓ ✓ Üé …'],
    ['&#0; &#xD800; &#x110000; &nosuch; &', '\u{fffd} \u{fffd} \u{fffd} &nosuch; &'],
    ['a<script>if (1 < 2) "SUCCESS"</script>b', 'ab'],
    ['a<STYLE type="text/css">.SUCCESS { }</STYLE >b', 'ab'],
    ['a<script>"<style>"</script>b<style></script></style>c', 'abc'],
    ['a<!-- SUCCESS --><![CDATA[ SUCCESS ]]><?php SUCCESS ?><!DOCTYPE SUCCESS>b', 'ab'],
    ['<img alt="SUCCESS" title=SUCCESS src=\'SUCCESS\'>', ''],
    ['<a title="1 > 2">text</a>', 'text'],
    ['<title>Report</title><p>1 < 2</p>', 'Report1 < 2'],
    ['a<script>never closed SUCCESS', 'a'],
    ['<!--[if mso]>Word only<![endif]--><![if !mso]>all others<![endif]>', 'all others'],
    ['<p>cut off <span cla', 'cut off'],
    ['✓ ünïcödé', '✓ ünïcödé'],
  ];

  for (const [html, text] of cases) assert.equal(htmlText(html), text, html);
});

test('an HTML message as Outlook writes it is reduced to what it says', () => {
  const html = `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns="http://www.w3.org/TR/REC-html40">
<head><meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<!--[if !mso]><style>v\\:* {behavior:url(#default#VML);}</style><![endif]-->
<style><!-- @font-face {font-family:Calibri;} p.MsoNormal {margin:0cm;} --></style>
<!--[if gte mso 9]><xml><o:shapedefaults v:ext="edit" spidmax="1026"/></xml><![endif]--></head>
<body lang="DE" link="#0563C1"><div class="WordSection1">
<p class="MsoNormal">Die Sicherung war <b><span style='color:green'>ERFOLG</span></b>REICH.<o:p></o:p></p>
<p class="MsoNormal"><o:p>&nbsp;</o:p></p></div></body></html>`;

  assert.equal(htmlText(html), 'Die Sicherung war ERFOLGREICH.');
});

test('a message from a Unix mailbox keeps its envelope line to itself', () => {
  const mail = mailText(message('From root Mon Jan  5 10:00:00 2026', 'Subject: done', '', 'text'));

  assert.deepEqual(mail, { subject: 'done', text: 'text\r\n' });
});
