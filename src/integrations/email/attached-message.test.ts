import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { secretsMask } from '../../wire/secrets-mask.ts';
import { UUID } from '../kind/alert-event.test-support.ts';
import { attachableMessage, subjectOf } from './attached-message.ts';

const MASKED = 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';

function cleaned(lines: readonly string[]): string[] {
  const bytes = Buffer.from(lines.join('\r\n'), 'utf8');
  return Buffer.from(attachableMessage(bytes, secretsMask(UUID)))
    .toString('latin1')
    .split('\r\n');
}

/** The rules for any message that is attached without an encoding. */
function assertLegal(message: Uint8Array): void {
  const text = Buffer.from(message).toString('latin1');
  assert.doesNotMatch(text, /\P{ASCII}/u);
  assert.ok(!text.includes('\0'));
  assert.doesNotMatch(text.replaceAll('\r\n', ''), /[\r\n]/);
  for (const line of text.split('\r\n')) assert.ok(line.length <= 998, line);
}

/** The subject that a mail program shows for the attached message. */
function shownSubject(lines: readonly string[]): string {
  return subjectOf(Buffer.from(cleaned(lines).join('\r\n'), 'latin1'));
}

suite('the message of a mail ping, to be attached', () => {
  test('a header that is encoded anew keeps its blanks', () => {
    assert.equal(
      shownSubject(['Subject: Grüße für Österreich, aus Köln', '']),
      'Grüße für Österreich, aus Köln',
    );
  });

  test('a masked header that looks encoded is shown as it was written', () => {
    const subject = (id: string) => `${id} says =?utf-8?q?Hello?=`;
    const encoded = Buffer.from(subject(UUID)).toString('base64');

    assert.equal(shownSubject([`Subject: =?utf-8?B?${encoded}?=`, '']), subject(MASKED));
  });

  test('a legal message stays as it came', () => {
    const lines = [
      'From: a@example.org',
      'Subject: a',
      '\tfolded one',
      'Content-Type: text/plain',
      '',
      'Hi',
      '',
    ];

    assert.deepEqual(cleaned(lines), lines);
  });

  test('a part that is not ASCII is encoded', () => {
    const lines = cleaned([
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
      '',
      'für',
      '',
    ]);

    assert.deepEqual(lines, [
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('für\r\n').toString('base64'),
      '',
    ]);
  });

  test('a part with too long a line is encoded', () => {
    const lines = cleaned(['Content-Type: text/plain', '', 'ü'.repeat(2_000)]);

    assert.equal(lines[1], 'Content-Transfer-Encoding: base64');
    assert.equal(Buffer.from(lines.slice(3).join(''), 'base64').toString(), 'ü'.repeat(2_000));
    assert.ok(lines.every((line) => line.length <= 76));
  });

  test('headers that are not ASCII become encoded words, and addresses stay addresses', () => {
    const [to, subject, rest] = cleaned([
      'To: Jürgen <j@example.org>',
      `Subject: ${'ü'.repeat(30)}`,
      '',
      'x',
    ]);

    assert.equal(to, 'To: =?utf-8?B?SsO8cmdlbg==?= <j@example.org>');
    assert.match(subject ?? '', /^Subject: =\?utf-8\?B\?[\w+/=]+\?=$/);
    assert.match(rest ?? '', /^ =\?utf-8\?B\?[\w+/=]+\?=$/);
  });

  test('messages inside of the message are left out', () => {
    const lines = cleaned([
      'Content-Type: multipart/mixed; boundary="b 1"',
      '',
      'preamble',
      '--b 1',
      'Content-Type: text/plain',
      '',
      'kept',
      '--b 1',
      'Content-Type: message/rfc822',
      '',
      'Subject: inner',
      '',
      'dropped',
      '--b 1--',
      'epilogue',
    ]);

    assert.deepEqual(lines, [
      'Content-Type: multipart/mixed; boundary="b 1"',
      '',
      '--b 1',
      'Content-Type: text/plain',
      '',
      'kept',
      '--b 1--',
      '',
    ]);
  });

  test('parts of a digest are messages, and a multipart keeps at least one part', () => {
    const lines = cleaned([
      'Content-Type: multipart/digest; boundary=b',
      '',
      '--b',
      '',
      'Subject: x',
      '',
      'y',
      '--b--',
    ]);

    assert.deepEqual(lines.slice(2), ['--b', 'Content-Type: text/plain', '', '', '--b--', '']);
  });

  test('a message that was cut off gets its end', () => {
    const lines = cleaned(['Content-Type: multipart/alternative; boundary=b', '', '--b', '', 'half of']);

    assert.deepEqual(lines.slice(-4), ['', 'half of', '--b--', '']);
  });

  test('a multipart without a boundary is just bytes', () => {
    const lines = cleaned(['Content-Type: multipart/mixed', '', 'für']);

    assert.deepEqual(lines.slice(0, 2), [
      'Content-Type: application/octet-stream',
      'Content-Transfer-Encoding: base64',
    ]);
  });

  test('a message that is nothing but a message keeps its headers', () => {
    assert.deepEqual(cleaned(['Subject: x', 'Content-Type: message/rfc822', '', 'Subject: y', '', 'z']), [
      'Subject: x',
      '',
      '',
    ]);
  });

  test('a text without headers is a body', () => {
    assert.deepEqual(cleaned(['just text']), ['', 'just text']);
  });

  test('the UUID is masked in headers, and in text however it is encoded', () => {
    const url = `https://example.org/${UUID}`;
    const lines = cleaned([
      `To: <${UUID}@example.org>`,
      `Subject: =?utf-8?B?${Buffer.from(UUID).toString('base64')}?=`,
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      url,
      '--b',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(url).toString('base64'),
      '--b',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      `${url.slice(0, 30)}=`,
      url.slice(30),
      '--b--',
    ]);

    const encoded = Buffer.from(`https://example.org/${MASKED}`).toString('base64');
    assert.equal(lines[0], `To: <${MASKED}@example.org>`);
    assert.equal(lines[1], `Subject: ${MASKED}`);
    assert.ok(lines.includes(`https://example.org/${MASKED}`));
    assert.equal(lines.filter((line) => line === encoded).length, 2);
  });

  test('a ping key in an address is masked', () => {
    const [to] = cleaned(['To: abcdefghijklmnopqrstu_+nightly-backup@example.org', '', 'x']);

    assert.equal(to, 'To: xxxxxxxxxxxxxxxxxxxxxx+nightly-backup@example.org');
    for (const length of [16, 40])
      assert.deepEqual(cleaned([`To: ${'k'.repeat(length)}+nightly@example.org`, '', 'x']).slice(0, 1), [
        `To: ${'x'.repeat(length)}+nightly@example.org`,
      ]);
  });

  test('too deep a nesting is cut', () => {
    const lines = Array.from({ length: 50 }, (_, n) => [
      `Content-Type: multipart/mixed; boundary=b${n}`,
      '',
      `--b${n}`,
    ]).flat();

    assertLegal(Buffer.from(cleaned([...lines, '', 'x']).join('\r\n')));
    assert.ok(cleaned([...lines, '', 'x']).length < 60);
  });

  test('any message becomes a legal one, and stays so', () => {
    const line = fc.oneof(
      fc.constantFrom(
        'Content-Type: multipart/mixed; boundary=b',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Type: message/delivery-status',
        'Content-Transfer-Encoding: base64',
        'Content-Transfer-Encoding: quoted-printable',
        `To: Ü <${UUID}@x>`,
        '--b',
        '--b--',
        '',
        '',
        ' =?utf-8?Q?=FC?=',
        'y'.repeat(3_000),
      ),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\r\n', '\n', '\r'), (lines, lineBreak) => {
        const mask = secretsMask(UUID);
        const once = attachableMessage(Buffer.from(lines.join(lineBreak)), mask);

        assertLegal(once);
        assert.doesNotMatch(Buffer.from(once).toString(), new RegExp(UUID));
        assert.deepEqual(Buffer.from(attachableMessage(once, mask)), Buffer.from(once));
      }),
      { seed: 20240310, numRuns: 200 },
    );
  });
});

suite('the subject of a message', () => {
  const rows: [header: string, subject: string][] = [
    ['Subject: plain', 'plain'],
    ['SUBJECT: folded\r\n here', 'folded here'],
    ['Subject: =?iso-8859-1?q?f=FCr_alle?=', 'für alle'],
    ['Subject: =?utf-8?B?ZsO8cg==?=\r\n =?utf-8?Q?_alle?=', 'für alle'],
    ['Subject: für', 'für'],
    ['Subject: =?no-such?Q?x?=', 'x'],
    ['Subject:', ''],
    ['X-Other: 1', ''],
  ];
  for (const [header, subject] of rows) {
    test(`of ${JSON.stringify(header)} is "${subject}"`, () => {
      assert.equal(subjectOf(Buffer.from(`${header}\r\n\r\nSubject: not this`)), subject);
    });
  }
});
