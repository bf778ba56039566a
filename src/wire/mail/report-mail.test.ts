import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type ReportPeriod, reportBoundaries } from '../../domain/report.ts';
import { seconds } from '../../lib/instant.ts';
import { aReport, aReportedCheck, down, GOOD, MAILS, UUID } from './mails.test-support.ts';
import { type ReportedCheck, reportMail } from './report-mail.ts';

function project(checks: readonly ReportedCheck[], name = 'Acme', id = 1) {
  return { id, name, checks };
}

/** The cells of the text version, by rows, with the head. */
function cells(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

function firstLineOf(text: string): string | undefined {
  return text.split('\n')[0];
}

suite('a report', () => {
  const rows: [period: ReportPeriod, subject: string, when: string, headings: string[]][] = [
    ['monthly', 'Monthly Report', 'In December', ['Nov. 2019', 'Dec. 2019']],
    ['weekly', 'Weekly Report', 'Last week (January 6 to January 12)', ['Dec 30 - Jan 5', 'Jan 6 - Jan 12']],
    ['daily', 'Daily Report', 'Yesterday (January 14)', ['January 13', 'January 14']],
  ];
  for (const [period, subject, when, headings] of rows) {
    test(`a ${period} one names its two periods, oldest first`, () => {
      const mail = reportMail(aReport(period));

      assert.equal(mail.subject, subject);
      assert.equal(firstLineOf(mail.text), `${when}, no checks had downtimes. Nice!`);
      assert.deepEqual(cells(mail.text)[0], ['Status', 'Name', 'Tags', ...headings]);
    });
  }

  test('headings break between two dates, and a lone date breaks within: on a phone a month is all that fits', () => {
    const headings = (period: ReportPeriod) =>
      [...reportMail(aReport(period)).html.matchAll(/<th [^>]*>([^<]*)/g)].map(([, heading]) => heading);

    assert.deepEqual(headings('weekly'), ['Check', 'Dec&nbsp;30 - Jan&nbsp;5', 'Jan&nbsp;6 - Jan&nbsp;12']);
    assert.deepEqual(headings('daily'), ['Check', 'January 13', 'January 14']);
  });

  test('counts checks and events of the latest complete period alone', () => {
    const once = aReportedCheck('a', [down(seconds(60)), GOOD]);
    const twice = aReportedCheck('b', [down(seconds(60), 2), GOOD]);
    const before = aReportedCheck('c', [GOOD, down(seconds(60), 7)]);
    const summary = (...checks: ReportedCheck[]) =>
      firstLineOf(reportMail(aReport('monthly', { projects: [project(checks)] })).text);

    assert.equal(summary(once, before), 'In December, 1 check had 1 downtime event.');
    assert.equal(summary(twice), 'In December, 1 check had 2 downtime events.');
    assert.equal(summary(once, twice), 'In December, 2 checks had 3 downtime events.');
    assert.equal(summary(before), 'In December, no checks had downtimes. Nice!');
  });

  test('cells are blank for periods before the check existed', () => {
    const checks = [
      aReportedCheck('old', [down(seconds(303)), down(seconds(7200), 2)]),
      aReportedCheck('recent', [GOOD, null]),
      aReportedCheck('fresh', [null, null]),
    ];

    const [, ...lines] = cells(reportMail(aReport('monthly', { projects: [project(checks)] })).text);

    assert.deepEqual(lines, [
      ['UP', 'old', '', '2 downtimes, 2 h 0 min total', '1 downtime, 5 min 3 sec total'],
      ['UP', 'fresh', '', '', ''],
      ['UP', 'recent', '', '', 'All good!'],
    ]);
  });

  test('sorts checks by downtime of the latest period, then by name as people do', () => {
    const checks = [
      aReportedCheck('job 10'),
      aReportedCheck('Job 9', [GOOD, down(seconds(9999))]),
      aReportedCheck('new', [null, null]),
      aReportedCheck('short', [down(seconds(10), 5), GOOD]),
      aReportedCheck('long', [down(seconds(20)), GOOD]),
    ];

    const [, ...lines] = cells(reportMail(aReport('monthly', { projects: [project(checks)] })).text);

    assert.deepEqual(
      lines.map(([, name]) => name),
      ['long', 'short', 'Job 9', 'job 10', 'new'],
    );
  });

  test('sorts projects by name, then by their age, and leaves out those without checks', () => {
    const projects = [
      project([aReportedCheck('c')], 'Beta', 3),
      project([aReportedCheck('b')], 'Beta', 2),
      project([aReportedCheck('a')], 'Alpha', 9),
      project([], 'Empty', 1),
    ];

    const mail = reportMail(aReport('monthly', { projects }));

    assert.deepEqual(
      cells(mail.text).flatMap(([, name = '']) => (name === 'Name' ? [] : [name])),
      ['a', 'b', 'c'],
    );
    assert.ok(!mail.text.includes('Empty') && !mail.html.includes('Empty'));
  });

  test('of more checks than anybody reads shows the worst, whatever their project, and counts the others', () => {
    const good = Array.from({ length: 10_000 }, (_, n) => aReportedCheck(`Job ${n} ${'x'.repeat(100)}`));
    const bad = aReportedCheck('Bad', [down(seconds(60)), GOOD]);
    const projects = [project(good, 'Alpha', 1), project([aReportedCheck('Good'), bad], 'Beta', 2)];

    const { text, html } = reportMail(aReport('monthly', { projects }));

    const names = cells(text).map(([, name = '']) => name);
    assert.equal(names.filter((name) => name !== 'Name').length, 1000);
    assert.ok(names.includes('Bad'));
    assert.match(text, /^And \d{4} more checks\.$/m);
    assert.match(html, />And \d{4} more checks\.</);
    // What a mail server takes unless it is told otherwise: 10 MB, a third of which encoding may need.
    assert.ok(Buffer.byteLength(text) + Buffer.byteLength(html) < 5_000_000);
  });

  test('names days of the zone', () => {
    // Still the 14th in New York, already the 15th in Riga.
    const now = Date.UTC(2020, 0, 15, 1) * 1000;
    const headings = (timeZone: string) => {
      const boundaries = reportBoundaries('daily', timeZone, now);
      return cells(reportMail(aReport('daily', { timeZone, boundaries })).text)[0]?.slice(3);
    };

    assert.deepEqual(headings('Europe/Riga'), ['January 13', 'January 14']);
    assert.deepEqual(headings('America/New_York'), ['January 12', 'January 13']);
  });
});

suite('mails to accounts', () => {
  for (const [name, { subject, text, html }] of Object.entries(MAILS)) {
    test(`${name}: a subject of one line, no UUID, and nothing of the input as markup`, () => {
      assert.doesNotMatch(subject, /\p{Cc}/u);
      for (const part of [subject, text, html]) {
        assert.ok(!part.includes(UUID));
        assert.doesNotMatch(part, /[\u202a-\u202e\u2066-\u2069]/);
      }
      assert.doesNotMatch(html, /<[bi]>(?!\d+ downtimes?,<\/b>)/);
      assert.doesNotMatch(`${text}${html}`, /[\p{Cc}--\n]/v);
    });
  }
});
