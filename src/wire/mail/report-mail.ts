import type { Status } from '../../domain/check/check.ts';
import type { Downtime, Outage } from '../../domain/history/downtime.ts';
import type { ReportPeriod } from '../../domain/people/report.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Block, Column, MailText, Phrase } from '../../lib/mail-document/document.ts';
import { writeMail } from '../../lib/mail-document/write.ts';
import { spanText } from '../../lib/text/ages.ts';
import { type DateStyle, dayOfMonth } from '../../lib/text/date-style.ts';
import { count } from '../../lib/text/durations.ts';
import { shortened } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { percentText } from '../../lib/text/percent.ts';
import { inZone } from '../../lib/zone.ts';
import type { MessageSite } from '../site.ts';
import { byName, checkName, inOrder, MAX_PREVIEW, namesText, projectName, rightNow } from './mail-text.ts';
import {
  earlierText,
  type PeriodDays,
  periodColumn,
  periodDates,
  periodName,
  periodsBetween,
  reportName,
  reportRhythm,
  total,
  totalText,
} from './report-words.ts';

export interface Report {
  readonly period: ReportPeriod;
  readonly timeZone: string;
  readonly dates: DateStyle;
  /** The result of `reportBoundaries`: newest first. The current period comes first and is not shown. */
  readonly boundaries: readonly Instant[];
  readonly projects: readonly ReportedProject[];
  /** The recipient. */
  readonly email: string;
  readonly site: MessageSite;
  readonly unsubscribeUrl: string;
}

export interface ReportedProject {
  readonly id: number;
  readonly name: string;
  /** The address of the owner. Null if nobody owns it yet. */
  readonly owner: string | null;
  readonly checks: readonly ReportedCheck[];
}

export interface ReportedCheck {
  /** May be empty. */
  readonly name: string;
  readonly status: Status;
  /** The result of `downtimes` for the boundaries. */
  readonly downtimes: readonly (Downtime | null)[];
  /** The result of `uptimes` for the boundaries. */
  readonly uptimes: readonly (number | null)[];
  /** The longest outage of the latest complete period. */
  readonly longest: Outage | null;
}

/** Rows of checks in one mail. Mail programs cut mails after a hundred kilobytes. */
const MAX_ROWS = 30;
/** Projects with tables of their own. */
const MAX_PROJECTS = 10;

/** The report on an account's checks in the last complete period, beside the one before. */
export function reportMail(report: Report): MailText {
  const { period, timeZone, dates, boundaries, email, site, unsubscribeUrl } = report;
  const [latest, earlier] = periodsBetween(boundaries, timeZone);
  const projects = inOrder(report.projects);
  const checks = projects.flatMap((project) => project.checks);
  const sum = total(checks.map(latestDowntime));
  const name = latest === undefined ? '' : periodName(period, latest, dates);
  return writeMail({
    subject: `${name}: ${totalText(sum)}`,
    preview: previewOf(checks),
    top: { from: reportName(period), date: latest === undefined ? '' : periodDates(latest, dates) },
    pill: null,
    title: `${totalText(sum).replace(/^n/, 'N')}.`,
    lead: leadOf(report, checks, earlier),
    blocks: [
      ...projectBlocks(report, projects, [latest, earlier]),
      {
        kind: 'paragraphs',
        heading: { heading: 'Right now', aside: '' },
        texts: [rightNow(checks.map(({ status }) => status))],
      },
      { kind: 'link', label: 'Open all projects', href: `${site.root}/` },
    ],
    foot: {
      date: '',
      why: `Sent to ${oneLine(email)} ${reportRhythm(period)}, times in ${inZone(0, timeZone).timeZoneId}.`,
      stop: { label: 'Stop reports', href: unsubscribeUrl },
    },
  });
}

/** The number of checks that existed in the latest period, and the number that were never down. */
function neverDown(checks: readonly ReportedCheck[]): string {
  const existed = checks.map(latestDowntime).filter((downtime) => downtime !== null);
  const good = existed.filter((downtime) => downtime.count === 0).length;
  return `${good} of ${count(existed.length, 'check')} never missed.`;
}

function longestOf(checks: readonly ReportedCheck[]): ReportedCheck | null {
  return checks.reduce<ReportedCheck | null>(
    (worst, check) => ((check.longest?.duration ?? 0) > (worst?.longest?.duration ?? 0) ? check : worst),
    null,
  );
}

function previewOf(checks: readonly ReportedCheck[]): string {
  const longest = longestOf(checks);
  const down = checks.filter(({ status }) => status === 'down').length;
  const parts = [
    neverDown(checks),
    ...(longest?.longest
      ? [`Longest: ${checkName(longest, 30)}, ${spanText(longest.longest.duration)}.`]
      : []),
    down === 0 ? 'Nothing is down right now.' : `${down} down right now.`,
  ];
  return shortened(parts.join(' '), MAX_PREVIEW);
}

function leadOf(
  { period, timeZone, dates }: Report,
  checks: readonly ReportedCheck[],
  earlier: PeriodDays | undefined,
): Phrase {
  const longest = longestOf(checks);
  const before = checks.map(({ downtimes }) => downtimes[2] ?? null);
  return [
    `${neverDown(checks)} `,
    ...(longest?.longest
      ? [
          { text: checkName(longest), as: 'strong' } as const,
          ` was down longest: ${spanText(longest.longest.duration)} on ${sentenceEnd(dayOfMonth(inZone(longest.longest.from, timeZone).toPlainDate(), dates, 'short'))} `,
        ]
      : []),
    earlier === undefined || before.every((downtime) => downtime === null)
      ? ''
      : `${periodName(period, earlier, dates)}: ${earlierText(total(before))}.`,
  ];
}

type TwoPeriods = readonly [PeriodDays | undefined, PeriodDays | undefined];

/** A table for each project in which something was down, and a line about the others. */
function projectBlocks(report: Report, projects: readonly ReportedProject[], days: TwoPeriods): Block[] {
  const wasDown = (check: ReportedCheck) => (latestDowntime(check)?.count ?? 0) > 0;
  const shown = new Set(
    projects
      .flatMap(({ checks }) => checks.filter(wasDown))
      .toSorted(worstFirst)
      .slice(0, MAX_ROWS),
  );
  const [bad, good] = [
    projects.filter(({ checks }) => checks.some(wasDown)),
    projects.filter(({ checks }) => !checks.some(wasDown)),
  ];
  const left = bad.slice(MAX_PROJECTS);
  return [
    ...bad.slice(0, MAX_PROJECTS).map((project): Block => {
      const rows = project.checks.filter((check) => shown.has(check)).toSorted(worstFirst);
      const hidden = project.checks.filter(wasDown).length - rows.length;
      return {
        kind: 'grid',
        heading: { heading: projectName(project), aside: asideOf(project) },
        grid: rows.length === 0 ? null : { columns: columnsOf(report, days), rows: rows.map(rowOf) },
        note: [
          ...(hidden === 0 ? [] : [`${hidden} more ${hidden === 1 ? 'was' : 'were'} down.`]),
          ...othersText(project.checks.filter((check) => !wasDown(check))),
        ].join(' '),
      };
    }),
    ...nameBlock('Also with checks that were down', left),
    ...nameBlock('Without an outage', good),
  ];
}

function nameBlock(heading: string, projects: readonly ReportedProject[]): Block[] {
  if (projects.length === 0) return [];
  const names = projects.map(
    (project) => `${projectName(project)} (${count(project.checks.length, 'check')})`,
  );
  return [
    { kind: 'paragraphs', heading: { heading, aside: '' }, texts: [`${namesText(names, MAX_PROJECTS)}.`] },
  ];
}

function asideOf({ checks, owner }: ReportedProject): string {
  return `${count(checks.length, 'check')}${owner === null ? '' : `, owner ${oneLine(owner)}`}`;
}

function columnsOf({ period, dates }: Report, days: TwoPeriods): Column[] {
  const [latest = '', earlier = ''] = days.map((one) =>
    one === undefined ? '' : periodColumn(period, one, dates),
  );
  return [
    { label: 'Check' },
    { label: 'Down', width: 52 },
    { label: 'In all', width: 86 },
    { label: latest, width: 70, isStrong: true },
    { label: earlier, width: 86, isMinor: true },
  ];
}

function rowOf(check: ReportedCheck): string[] {
  const downtime = latestDowntime(check);
  const [, latest = null, earlier = null] = check.uptimes;
  return [
    checkName(check),
    count(downtime?.count ?? 0, 'time'),
    spanText(downtime?.duration ?? 0),
    ...[latest, earlier].map((share) => (share === null ? '' : percentText(share))),
  ];
}

/** `15 others: 100 %. 3 of them are paused or new.` */
function othersText(others: readonly ReportedCheck[]): string[] {
  if (others.length === 0) return [];
  const silent = (['paused', 'new'] as const).filter((one) => others.some(({ status }) => status === one));
  const number = others.filter(({ status }) => status === 'paused' || status === 'new').length;
  return [
    `${count(others.length, 'other')}: 100 %.`,
    ...(number === 0 ? [] : [`${number} of them ${number === 1 ? 'is' : 'are'} ${silent.join(' or ')}.`]),
  ];
}

function worstFirst(a: ReportedCheck, b: ReportedCheck): number {
  return (latestDowntime(b)?.duration ?? 0) - (latestDowntime(a)?.duration ?? 0) || byName(a, b);
}

function latestDowntime({ downtimes }: ReportedCheck): Downtime | null {
  return downtimes[1] ?? null;
}

/** Some languages write months with a full stop, which also ends the sentence. */
function sentenceEnd(words: string): string {
  return words.endsWith('.') ? words : `${words}.`;
}
