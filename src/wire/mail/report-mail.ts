import type { Status } from '../../domain/check.ts';
import type { Downtime } from '../../domain/downtime.ts';
import type { ReportPeriod } from '../../domain/report.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import type { Instant } from '../../lib/instant.ts';
import { asciiTable } from '../../lib/text/ascii-table.ts';
import type { DateStyle } from '../../lib/text/date-style.ts';
import { button, COLOURS, heading, htmlFooter, htmlPage, paragraph } from '../../lib/text/html-mail.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { textFooter, textMail } from '../../lib/text/text-mail.ts';
import { homePage, type MessageSite } from '../site.ts';
import { checkLine, PROJECT_HEADING, STATUS_WORDS, statusBadge } from './html-pieces.ts';
import {
  byName,
  checkName,
  firstChecks,
  inOrder,
  leftLines,
  type MailCheck,
  type MailProject,
  type MailText,
  tagsOf,
} from './mail-text.ts';
import { downtimeCell, firstLine, periodHeading, periodsBetween, subjectOf } from './report-words.ts';

export interface Report {
  readonly period: ReportPeriod;
  readonly timeZone: string;
  /** How the account wants dates to be written. */
  readonly dates: DateStyle;
  /** The result of `reportBoundaries`: newest first. The current period comes first and is not shown. */
  readonly boundaries: readonly Instant[];
  readonly projects: readonly MailProject<ReportedCheck>[];
  readonly site: MessageSite;
  readonly unsubscribeUrl: string;
}

export interface ReportedCheck extends MailCheck {
  readonly status: Status;
  /** The result of `downtimes` for the boundaries. */
  readonly downtimes: readonly (Downtime | null)[];
}

/** The report on an account's checks in the last complete periods. Contains no UUIDs. */
export function reportMail(report: Report): MailText {
  const { period, timeZone, dates, boundaries, site, unsubscribeUrl } = report;
  const periods = periodsBetween(boundaries, timeZone);
  const headings = periods.map((days) => periodHeading(period, days, dates));
  const projects = firstChecks(inOrder(report.projects), worstFirst);
  const latest = periods.at(-1);
  const downtimes = report.projects.flatMap(({ checks }) => checks.map(latestDowntime));
  const summary = latest === undefined ? '' : firstLine(period, latest, downtimes, dates);
  const subject = subjectOf(period);
  const siteName = oneLine(site.name);
  const home = homePage(site);
  return {
    subject,
    text: textMail([
      summary,
      ...projects.map(({ name, checks, left }) =>
        [
          name,
          asciiTable(['Status', 'Name', 'Tags', ...headings], checks.map(textCells)),
          ...leftLines(left),
        ].join('\n'),
      ),
      home === null ? null : `${siteName}: ${home}`,
      textFooter(siteName, unsubscribeUrl),
    ]),
    html: htmlPage(
      subject,
      [
        heading(subject),
        paragraph(summary),
        ...projects.flatMap(({ name, checks, left }) => [
          ...htmlTable(name, headings, checks, site),
          ...leftLines(left).map(paragraph),
        ]),
        ...button(home, `Open ${siteName}`),
      ],
      htmlFooter(siteName, unsubscribeUrl),
    ),
  };
}

function worstFirst(a: ReportedCheck, b: ReportedCheck): number {
  return (latestDowntime(b)?.duration ?? 0) - (latestDowntime(a)?.duration ?? 0) || byName(a, b);
}

function latestDowntime({ downtimes }: ReportedCheck): Downtime | null {
  return downtimes[1] ?? null;
}

/** The downtimes of complete periods, oldest first. */
function shownDowntimes({ downtimes }: ReportedCheck): (Downtime | null)[] {
  return downtimes.slice(1).toReversed();
}

function textCells(check: ReportedCheck): string[] {
  return [
    STATUS_WORDS[check.status],
    checkName(check),
    tagsOf(check).join(' '),
    ...shownDowntimes(check).map(downtimeCell),
  ];
}

const CELL = `padding:8px 8px 8px 0;text-align:left;vertical-align:top;border-bottom:1px solid ${COLOURS.line}`;

/** Columns have the same width in all tables, also on narrow screens. */
function htmlTable(
  name: string,
  headings: readonly string[],
  checks: readonly ReportedCheck[],
  site: MessageSite,
): string[] {
  const head = ['Check', ...headings].map(
    (label, column) =>
      `<th scope="col" style="${CELL};width:${column === 0 ? 40 : 30}%">${headingHtml(label)}</th>`,
  );
  return [
    `<h2 style="${PROJECT_HEADING}">${escapeHtml(name)}</h2>`,
    '<table style="width:100%;table-layout:fixed;border-collapse:collapse;font-size:14px;line-height:1.5">',
    `<tr>${head.join('')}</tr>`,
    ...checks.map((check) => htmlRow(check, site)),
    '</table>',
  ];
}

/** A range breaks only between its two dates. A single date may break, because a month can fill a narrow column. */
function headingHtml(label: string): string {
  const html = escapeHtml(label);
  return html.includes(' - ') ? html.replace(/ (?=\d)/g, '&nbsp;') : html;
}

function htmlRow(check: ReportedCheck, site: MessageSite): string {
  const cells = shownDowntimes(check).map(
    (downtime) => `<td style="${CELL};font-size:13px">${downtimeHtml(downtime)}</td>`,
  );
  return `<tr><td style="${CELL};overflow-wrap:anywhere">${statusBadge(check.status)} ${checkLine(check, site)}</td>${cells.join('')}</tr>`;
}

function downtimeHtml(downtime: Downtime | null): string {
  const [first = '', second] = downtimeCell(downtime).split(', ');
  return second === undefined ? first : `<b>${first},</b><br>${second}`;
}
