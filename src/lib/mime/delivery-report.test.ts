import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { MAX_RECIPIENT_SCAN, MAX_REPORT_SCAN, readDeliveryReport, readRecipient } from './delivery-report.ts';
import { ScanBudget } from './scan-budget.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 78;

/** In the form of Postfix. */
const BOUNCE = [
  'Return-Path: <>',
  'From: MAILER-DAEMON@mx.example.org (Mail Delivery System)',
  'To: <someone@bounces.example.org>',
  'Subject: Undelivered Mail Returned to Sender',
  'Content-Type: multipart/report; report-type=delivery-status;',
  '\tboundary="outer/mx.example.org"',
  '',
  'This is a MIME-encapsulated message.',
  '',
  '--outer/mx.example.org',
  'Content-Type: text/plain; charset=us-ascii',
  '',
  'Status: 4.0.0',
  'Action: these lines are text',
  '',
  '--outer/mx.example.org',
  'Content-Description: Delivery report',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mx.example.org',
  'Arrival-Date: Mon,  5 Jan 2026 10:00:00 +0000 (UTC)',
  '',
  'Final-Recipient: rfc822; alice@example.org',
  'Action: failed',
  'Status: 5.1.1',
  'Diagnostic-Code: smtp; 550 5.1.1 <alice@example.org>: Recipient address',
  '    rejected: User unknown',
  '',
  '--outer/mx.example.org',
  'Content-Type: message/rfc822',
  '',
  'From: tocsin@example.org',
  'Status: 4.0.0',
  'Action: none',
  '',
  'the message',
  '--outer/mx.example.org--',
  '',
].join('\r\n');

suite('a report on a delivery', () => {
  test('is found behind its explanation, and its folded lines are joined', () => {
    assert.equal(readRecipient(Buffer.from(BOUNCE)), '<someone@bounces.example.org>');
    assert.deepEqual(readDeliveryReport(Buffer.from(BOUNCE)), {
      status: '5.1.1',
      diagnostic: 'smtp; 550 5.1.1 <alice@example.org>: Recipient address    rejected: User unknown',
    });
  });

  test('may be in the header of the message itself, of a part, or deep inside', () => {
    const fields = 'Status: 5.0.0\nAction: failed\n\n';
    const within = (type: string, content: string) =>
      `Content-Type: ${type}; boundary=${type.length}\n\n--${type.length}\n${content}\n--${type.length}--\n`;
    const status = 'Content-Type: message/delivery-status\n\n';
    const encoded = Buffer.from(`Reporting-MTA: x\n\n${fields}`).toString('base64');

    for (const message of [
      `To: a\n${fields}`,
      within('multipart/mixed', fields),
      within('multipart/mixed', within('multipart/report', `${status}${fields}`)),
      `${status}Reporting-MTA: x\n\n\n\n${fields}`,
      `Content-Type: message/global-delivery-status\nContent-Transfer-Encoding: base64\n\n${encoded}`,
    ]) {
      assert.deepEqual(
        readDeliveryReport(Buffer.from(message)),
        { status: '5.0.0', diagnostic: '' },
        message,
      );
    }
  });

  test('needs a status and an action, in one group of fields', () => {
    for (const message of [
      '',
      'To: a@example.org',
      'Status: 5.0.0\n\n',
      'Action: failed\n\n',
      'To: a\n\nStatus: 5.0.0\nAction: failed\n\n',
      'Content-Type: message/delivery-status\n\nStatus: 5.0.0\n\nAction: failed\n\n',
    ]) {
      assert.equal(readDeliveryReport(Buffer.from(message)), null, message);
    }
  });

  test('is not looked for in the message that was returned, which may quote another', () => {
    const report = BOUNCE.replace('Content-Type: message/delivery-status', 'Content-Type: text/plain');

    assert.equal(readDeliveryReport(Buffer.from(report)), null);
  });

  test('of whatever bytes there are is read without harm', () => {
    const damage = fc.array(
      fc.record({
        at: fc.nat(BOUNCE.length),
        removed: fc.nat(60),
        added: fc.oneof(
          fc.constantFrom('\r\n', '\n', '--', ':', 'Status: 5', 'Action: x', '\0', 'ü', '"', ';', '\r\n\r\n'),
          fc.string({ maxLength: 3 }),
        ),
      }),
      { minLength: 1, maxLength: 6 },
    );
    const damaged = damage.map((wounds) =>
      wounds.reduce(
        (text, { at, removed, added }) => text.slice(0, at) + added + text.slice(at + removed),
        BOUNCE,
      ),
    );
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 500 }),
      damaged.map((text) => new Uint8Array(Buffer.from(text, 'latin1'))),
    );
    fc.assert(
      fc.property(anything, (raw) => {
        assert.equal(typeof readRecipient(raw), 'string');
        const report = readDeliveryReport(raw);
        if (report !== null) assert.doesNotMatch(report.status + report.diagnostic, /[\r\n]/);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  test('is searched for among no more parts than any mail server sends', () => {
    const type = 'Content-Type: multipart/mixed; boundary=b\n\n';
    const found = '--b\nStatus: 5.0.0\nAction: failed\n\n';

    assert.notEqual(readDeliveryReport(Buffer.from(`${type}${'--b\n\n'.repeat(900)}${found}`)), null);
    assert.equal(readDeliveryReport(Buffer.from(`${type}${'--b\n\n'.repeat(1000)}${found}`)), null);
  });

  test('is searched for with a bounded amount of work, whatever the message is made of', () => {
    const type = 'Content-Type: multipart/mixed; boundary=b\n\n';
    const report = 'Content-Type: message/delivery-status\n\n';
    const floods = [`--b\n${type}`, '--b\n', '--\n', 'a:\n', 'to:\n', '\n', report];
    for (const head of [type, report, '', `${type}--b\n`.repeat(10)]) {
      for (const flood of floods) {
        const raw = Buffer.concat([Buffer.from(head), Buffer.alloc(1_000_000, flood)]);
        const [recipientScan, reportScan] = [
          new ScanBudget(MAX_RECIPIENT_SCAN),
          new ScanBudget(MAX_REPORT_SCAN),
        ];

        readRecipient(raw, recipientScan);
        assert.equal(readDeliveryReport(raw, reportScan), null);

        assert.ok(recipientScan.spent <= MAX_RECIPIENT_SCAN && reportScan.spent <= MAX_REPORT_SCAN);
      }
    }
  });

  test('is found behind an explanation of usual length, and not behind more than is read', () => {
    const explained = (bytes: number) => BOUNCE.replace('Action: these lines', 'word '.repeat(bytes / 5));

    assert.notEqual(readDeliveryReport(Buffer.from(explained(60_000))), null);
    assert.equal(readDeliveryReport(Buffer.from(explained(200_000))), null);
  });
});
