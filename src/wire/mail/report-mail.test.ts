import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type ReportPeriod, reportBoundaries } from '../../domain/people/report.ts';
import { seconds } from '../../lib/instant.ts';
import { aReport, aReportedCheck, down, GOOD, LINK_MAILS, MAILS, UUID } from './mails.test-support.ts';
import { type ReportedCheck, type ReportedProject, reportMail } from './report-mail.ts';

function project(checks: readonly ReportedCheck[], name = 'Acme', id = 1): ReportedProject {
  return { id, name, owner: 'alice@example.org', checks };
}

/** The text in one line. */
function flat(text: string): string {
  return text.replace(/\s+/g, ' ');
}

suite('a report', () => {
  const rows: [period: ReportPeriod, subject: string, head: string, columns: string][] = [
    ['monthly', 'December: nothing was down', 'MONTHLY REPORT  1 to 31 December 2019', 'December  November'],
    [
      'weekly',
      '6 to 12 January: nothing was down',
      'WEEKLY REPORT  6 to 12 January 2020',
      'From 6 Jan  From 30 Dec',
    ],
    ['daily', '14 January: nothing was down', 'DAILY REPORT  14 January 2020', '14 Jan  13 Jan'],
  ];
  for (const [period, subject, head, columns] of rows) {
    test(`a ${period} one names its period in the subject, and the one before beside it`, () => {
      const bad = [project([aReportedCheck('a', [down(seconds(60)), GOOD])])];

      const mail = reportMail(aReport(period));

      assert.equal(mail.subject, subject);
      assert.ok(
        mail.text.startsWith(`${head}\n\nNothing was down.\n\n1 of 1 check never missed.`),
        mail.text,
      );
      assert.match(reportMail(aReport(period, { projects: bad })).text, new RegExp(columns));
    });
  }

  test('sums up the latest complete period, and tells the one before and the longest outage', () => {
    const checks = [
      aReportedCheck('a', [down(seconds(120), 2), GOOD]),
      aReportedCheck('b', [down(seconds(4320)), down(seconds(60), 7)]),
      aReportedCheck('c'),
      aReportedCheck('fresh', [null, null]),
    ];

    const { subject, text, html } = reportMail(aReport('monthly', { projects: [project(checks)] }));

    assert.equal(subject, 'December: 3 times down, 1 h 14 min in all');
    assert.match(
      flat(text),
      /1 of 3 checks never missed\. b was down longest: 1 h 12 min on 16 Dec\. November: 7 times, 1 min\./,
    );
    assert.match(html, /1 of 3 checks never missed\. Longest: b, 1 h 12 min\. Nothing is down right now\./);
  });

  test('shows only checks that were down, the worst first, and the rest in a line', () => {
    const checks = [
      aReportedCheck('short', [down(seconds(10), 5), GOOD]),
      aReportedCheck('good', [GOOD, down(seconds(9999))]),
      aReportedCheck('quiet', [GOOD, GOOD], { status: 'paused' }),
      aReportedCheck('new', [null, null], { status: 'new' }),
      aReportedCheck('long', [down(seconds(26_784)), null]),
    ];

    const { text } = reportMail(aReport('monthly', { projects: [project(checks)] }));

    assert.match(
      text,
      /^Acme: 5 checks, owner alice@example\.org\n.*Down.*\n {2}long +1 time +7 h 26 min +99\.00 %\s*\n {2}short +5 times +10 s +99\.99 % +100 %\n {2}3 others: 100 %\. 2 of them are paused or new\.$/m,
    );
    assert.match(text, /^Right now\n3 are fine, 1 paused, 1 waiting for a run\.$/m);
  });

  test('sorts projects by name, and tells of those without an outage in one line', () => {
    const bad = aReportedCheck('a', [down(seconds(60)), GOOD]);
    const projects = [
      project([bad], 'Beta', 3),
      project([bad], 'Alpha 10', 2),
      project([bad], 'Alpha 9', 9),
      project([aReportedCheck('b')], 'Zoo', 5),
      project([aReportedCheck('b'), aReportedCheck('c')], 'Good', 4),
      project([], 'Empty', 1),
    ];

    const { text, html } = reportMail(aReport('monthly', { projects }));

    assert.deepEqual(
      [...text.matchAll(/^(\w+ ?\d*): 1 check,/gm)].map(([, name]) => name),
      ['Alpha 9', 'Alpha 10', 'Beta'],
    );
    assert.match(text, /^Without an outage\nGood \(2 checks\) and Zoo \(1 check\)\.$/m);
    assert.ok(!text.includes('Empty') && !html.includes('Empty'));
  });

  test('of very many outages shows the worst, whatever their project, and stays below 60 kB', () => {
    const many = Array.from({ length: 5_000 }, (_, n) =>
      aReportedCheck(`Job ${n} ${'x'.repeat(200)}`, [down(seconds(n + 1)), GOOD]),
    );
    const worst = aReportedCheck('Worst', [down(seconds(90_000)), GOOD]);
    const others = Array.from({ length: 40 }, (_, n) =>
      project([aReportedCheck('one', [down(1), GOOD])], `P ${n}`, n),
    );
    const projects = [project(many, 'Alpha'), project([worst, aReportedCheck('Good')], 'Beta'), ...others];

    const { text, html } = reportMail(aReport('monthly', { projects }));

    assert.match(text, /^ {2}Worst {2}/m);
    assert.match(flat(text), /4971 more were down\./);
    assert.ok(Buffer.byteLength(html) < 60_000, `${Buffer.byteLength(html)} bytes`);
  });

  test('names days of the zone', () => {
    // Still the 14th in New York, already the 15th in Riga.
    const now = Date.UTC(2020, 0, 15, 1) * 1000;
    const subject = (timeZone: string) =>
      reportMail(aReport('daily', { timeZone, boundaries: reportBoundaries('daily', timeZone, now) }))
        .subject;

    assert.equal(subject('Europe/Riga'), '14 January: nothing was down');
    assert.equal(subject('America/New_York'), '13 January: nothing was down');
  });

  test('tells to whom and when it is sent', () => {
    const why = (period: ReportPeriod) => flat(reportMail(aReport(period)).text);

    assert.match(
      why('monthly'),
      /Sent to alice@example\.org on the 1st of each month, times in Europe\/Riga\./,
    );
    assert.match(why('weekly'), /every Monday,/);
    assert.match(why('daily'), /every day,/);
  });
});

suite('mails to accounts', () => {
  for (const [name, { subject, text, html }] of Object.entries({ ...MAILS, ...LINK_MAILS })) {
    test(`${name}: a subject of one line, no UUID, and nothing of the input as markup`, () => {
      assert.doesNotMatch(subject, /\p{Cc}/u);
      for (const part of [subject, text, html]) {
        assert.ok(!part.includes(UUID));
        assert.doesNotMatch(part, /[\u202a-\u202e\u2066-\u2069]/);
      }
      assert.doesNotMatch(html, /<[bi]>/);
      assert.doesNotMatch(`${text}${html}`, /[\p{Cc}--\n]/v);
    });

    test(`${name}: lines of at most 72 columns, unless a word is longer, and less than 60 kB`, () => {
      for (const line of text.split('\n'))
        assert.ok([...line].length <= 72 || /[^\s]{50}|^>|^ {2}\S+$/.test(line), line);
      assert.ok(Buffer.byteLength(html) < 60_000);
    });
  }
});
