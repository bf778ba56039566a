import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { htmlToText } from './html-text.ts';
import { mailText } from './mail-text.ts';
import { createTextReader } from './mail-text-thread.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 23;

const SAMPLE = [
  'Received: from mail.example.org by mx.example.org; Mon, 5 Jan 2026 10:00:00 +0000',
  'Subject: =?utf-8?q?Nightly_=E2=9C=93?= =?iso-8859-1?B?4Q==?=',
  'Content-Type: multipart/mixed; boundary="outer"',
  '',
  '--outer',
  'Content-Type: multipart/related; start="<root>"; boundary=inner',
  '',
  '--inner',
  'Content-ID: <image>',
  'Content-Type: image/png',
  'Content-Transfer-Encoding: base64',
  '',
  'iVBORw0KGgo=',
  '--inner',
  'Content-ID: <root>',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<style>p { }</style><p title=3D"a > b">All =',
  '&amp; well &#x2713;</p><!-- end -->',
  '--inner--',
  '--outer',
  'Content-Disposition: attachment; filename*0="a"; filename*1="b"',
  '',
  'attached',
  '--outer--',
].join('\r\n');

/** Bytes with which structures of mail begin and end; anything made of them is nearly mail. */
const MORSELS = [
  ...['\r\n', '\n', '\r', '--', '--b', '--b--', ';', ':', '"', "'", '=', '=?', '?=', '?q?', '?b?', '_', '\0'],
  ...['boundary=b', 'charset=utf-7', 'Subject:', 'Content-Type: ', 'multipart/mixed;', 'multipart/related;'],
  ...['text/html', 'text/plain', 'Content-Transfer-Encoding: ', 'base64', 'quoted-printable', 'QUJD', ' '],
  ...[
    '<',
    '>',
    '</',
    '<script>',
    '</script>',
    '<!--',
    '-->',
    '<![CDATA[',
    '&',
    '&amp',
    '&#x',
    ';',
    'ü',
    '\u{1f514}',
  ],
];

const nearlyMail = fc
  .array(fc.oneof(fc.constantFrom(...MORSELS), fc.string({ maxLength: 4 })), { maxLength: 60 })
  .map((morsels) => Buffer.from(morsels.join('')));

test('any bytes have an answer', () => {
  const bytes = fc.uint8Array({ maxLength: 500 });
  const anything = fc.oneof(
    bytes.map((array) => Buffer.from(array)),
    nearlyMail,
  );
  fc.assert(
    fc.property(anything, (raw) => {
      const { subject, text } = mailText(raw);
      assert.equal(typeof subject, 'string');
      assert.equal(typeof text, 'string');
    }),
    { seed: SEED, numRuns: 2000 },
  );
});

test('a message that was damaged anywhere has an answer', () => {
  assert.deepEqual(mailText(Buffer.from(SAMPLE)), { subject: 'Nightly ✓á', text: 'All & well ✓' });
  const damage = fc.array(
    fc.record({
      at: fc.nat(SAMPLE.length),
      removed: fc.nat(30),
      added: fc.oneof(fc.constantFrom(...MORSELS), fc.string({ maxLength: 3 })),
    }),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(damage, (wounds) => {
      const damaged = wounds.reduce(
        (text, { at, removed, added }) => text.slice(0, at) + added + text.slice(at + removed),
        SAMPLE,
      );
      assert.equal(typeof mailText(Buffer.from(damaged, 'latin1')).text, 'string');
    }),
    { seed: SEED, numRuns: 1000 },
  );
});

test('plain text without anything special is found as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const raw = Buffer.from(`Subject: a\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nx${text}`);
      assert.equal(mailText(raw).text, `x${text}`.toWellFormed());
    }),
    { seed: SEED },
  );
});

test('where a long HTML document is divided for reading makes no difference', () => {
  const html = fc
    .array(fc.constantFrom(...MORSELS, 'a', '<b title="x">'), { maxLength: 40 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(html, fc.integer({ min: 65_400, max: 65_540 }), (tail, length) => {
      const start = 'a'.repeat(length);
      assert.equal(htmlToText(start + tail), start + htmlToText(`.${tail}`).slice(1));
    }),
    { seed: SEED, numRuns: 300 },
  );
});

test('time grows with length, not with its square', () => {
  const html = 'Content-Type: text/html\r\n\r\n';
  const mixed = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';
  const printable = 'Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n';
  const floods: [string, string][] = [
    ...['<b></i>', '<', '&', '<!--', '<a b="', '<script></scrip', ' \t'].map((unit): [string, string] => [
      html,
      unit,
    ]),
    ...['--b\n', '--bx\n', '--b  '].map((unit): [string, string] => [mixed, unit]),
    [mixed, '--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n'],
    [`Content-Type: multipart/mixed; boundary=x${'-'.repeat(9_000)}\r\n\r\n`, '-'],
    ...['=', '= ', '=E2'].map((unit): [string, string] => [printable, unit]),
    ...['=?', '=?u?q?', '=?u?q?a?= ', '=?u*'].map((unit): [string, string] => ['Subject: ', unit]),
    ...[';a=', ';a="', '\\"'].map((unit): [string, string] => ['Content-Type: text/plain', unit]),
    ['', 'a:\n'],
  ];

  for (const [head, unit] of floods) {
    const raw = Buffer.concat([Buffer.from(head), Buffer.alloc(2_000_000, unit)]);
    const start = performance.now();
    mailText(raw);
    // At the pace of the slowest of them, some hundred milliseconds; squared it would be hours.
    assert.ok(performance.now() - start < 5_000, JSON.stringify(head.slice(-60) + unit));
  }
});

test('multiparts within multiparts are followed to a depth that no mail program reaches', () => {
  const nested = (depth: number) => {
    const heads = Array.from(
      { length: depth },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    );
    return mailText(Buffer.from(`${heads.join('')}Content-Type: text/plain\r\n\r\nsaid`)).text;
  };

  assert.equal(nested(20), 'said');
  assert.equal(nested(21), '');
  assert.equal(nested(100_000), '');
});

test('a long message is read in a thread, with the same result', async () => {
  const readText = createTextReader();
  const raw = Buffer.from(`Subject: =?utf-8?q?=E2=9C=93?=\r\n\r\n${'all is well\r\n'.repeat(40_000)}`);

  const texts = await Promise.all([readText(raw), readText(raw)]);

  assert.deepEqual(texts, [mailText(raw), mailText(raw)]);
});
