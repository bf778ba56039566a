import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mailScanBudget } from '../lib/mime/mail-content.ts';
import { ScanBudget } from '../lib/mime/scan-budget.ts';
import { htmlToText } from './html-text.ts';
import { mailText } from './mail-text.ts';

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

const HTML = 'Content-Type: text/html\r\n\r\n';
const MIXED = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';
const PRINTABLE = 'Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n';
const NESTED = Array.from(
  { length: 20 },
  (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
).join('');

const FLOODS: readonly (readonly [head: string, unit: string])[] = [
  ...['<b></i>', '<', '&', '<!--', '<a b="', '<script></scrip', ' \t', 'a '].map(
    (unit) => [HTML, unit] as const,
  ),
  ...['--b\n', '--bx\n', '--b  ', '--\n', '--'].map((unit) => [MIXED, unit] as const),
  ...['--\n', '--\r\n', '\n', 'text\n', '--b\n'].map((unit) => [NESTED, unit] as const),
  [MIXED, '--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n'],
  [MIXED, '--b\r\nContent-Type: multipart/related; start=x; boundary=c\r\n\r\n--c\r\n'],
  [`Content-Type: multipart/mixed; boundary=x${'-'.repeat(9_000)}\r\n\r\n`, '-'],
  ...['=', '= ', '=E2'].map((unit) => [PRINTABLE, unit] as const),
  ...['=?', '=?u?q?', '=?u?q?a?= ', '=?u*', '=?x1?q??= =?x2?q??= '].map(
    (unit) => ['Subject: ', unit] as const,
  ),
  ...[';a=', ';a="', '\\"'].map((unit) => ['Content-Type: text/plain', unit] as const),
  ['', 'a:\n'],
  ['', 'to:\n'],
];

/** The number of bytes looked at to read such a message of this length. */
function workFor(head: string, unit: string, bytes: number): number {
  const raw = Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, unit)]);
  const scan = mailScanBudget(raw.length);
  mailText(raw, scan);
  return scan.spent;
}

test('whatever floods a message, twice its length takes twice the work at the most', () => {
  for (const [head, unit] of FLOODS) {
    const [once, twice] = [workFor(head, unit, 200_000), workFor(head, unit, 400_000)];
    assert.ok(twice <= 2 * once, `${once} and ${twice}: ${JSON.stringify(head.slice(-60) + unit)}`);
  }
});

test('no message takes more work than its length allows', () => {
  for (const [head, unit] of FLOODS) {
    assert.ok(workFor(head, unit, 200_000) <= 65_536 + 10 * (head.length + 200_000));
  }
  // Each of twenty levels would have to be read to the end to find its delimiter.
  assert.equal(workFor(NESTED, '--\n', 200_000), 65_536 + 10 * (NESTED.length + 200_000));
});

test('once there was too much work, what was found until then is the answer', () => {
  const found = 'Subject: said\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nfirst\n--b\n';
  const raw = Buffer.concat([Buffer.from(found + NESTED), Buffer.alloc(1_000_000, '--\n')]);

  assert.deepEqual(mailText(raw), { subject: 'said', text: 'first' });
  assert.deepEqual(mailText(Buffer.from(found), new ScanBudget(100)), { subject: 'said', text: '' });
  assert.deepEqual(mailText(Buffer.from(found), new ScanBudget(0)), { subject: '', text: '' });
});

test('of a subject a thousand encoded words are decoded, and the others stay as they are', () => {
  const words = Array.from({ length: 1_001 }, (_, n) => `=?x-${n}?q?a?=`).join(' ');

  const { subject } = mailText(Buffer.from(`Subject: ${words}\n\n`));

  assert.equal(subject, `${'a'.repeat(1_000)} =?x-1000?q?a?=`);
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
