import { escapeHtml } from '../../lib/html-escape.ts';
import type { Instant } from '../../lib/instant.ts';
import { count } from '../../lib/text/durations.ts';
import { button, COLOURS, heading, htmlFooter, htmlPage, paragraph } from '../../lib/text/html-mail.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { relativeTime } from '../../lib/text/relative-time.ts';
import { textFooter, textMail } from '../../lib/text/text-mail.ts';
import { checkPage, homePage, type MessageSite } from '../site.ts';
import { checkLine, PROJECT_HEADING, statusBadge } from './html-pieces.ts';
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

export interface Reminder {
  readonly now: Instant;
  /** The projects that have checks that are down, with those checks only. */
  readonly projects: readonly MailProject<DownCheck>[];
  readonly site: MessageSite;
  readonly unsubscribeUrl: string;
}

export interface DownCheck extends MailCheck {
  readonly lastPingAt: Instant | null;
}

/** The mail about the checks that are still down. */
export function reminderMail({ now, site, unsubscribeUrl, ...reminder }: Reminder): MailText {
  const projects = firstChecks(inOrder(reminder.projects), byName);
  const checks = reminder.projects.reduce((sum, project) => sum + project.checks.length, 0);
  const stillDown = `${count(checks, 'check')} still down`;
  const siteName = oneLine(site.name);
  const introduction = checks === 1 ? 'This check is still down:' : 'These checks are still down:';
  return {
    subject: `Reminder: ${stillDown}`,
    text: textMail([
      introduction,
      ...projects.flatMap(({ name, checks, left }) => [
        `${name}\n${'='.repeat(Math.min(name.length, 80))}`,
        ...checks.map((check) => textEntry(check, now, site)),
        ...leftLines(left),
      ]),
      textFooter(siteName, unsubscribeUrl),
    ]),
    html: htmlPage(
      `Reminder: ${stillDown}`,
      [
        heading(escapeHtml(stillDown)),
        ...projects.flatMap(({ name, checks, left }) => [
          `<h2 style="${PROJECT_HEADING}">${escapeHtml(name)}</h2>`,
          '<table style="width:100%;border-collapse:collapse;font-size:15px;line-height:1.4">',
          ...checks.map((check) => htmlRow(check, now, site)),
          '</table>',
          ...leftLines(left).map(paragraph),
        ]),
        ...button(homePage(site), `Open ${siteName}`),
      ],
      htmlFooter(siteName, unsubscribeUrl),
    ),
  };
}

function textEntry(check: DownCheck, now: Instant, site: MessageSite): string {
  const tags = tagsOf(check);
  const link = checkPage(site, check.uniqueKey);
  return [
    checkName(check),
    ...(tags.length === 0 ? [] : [`Tags: ${tags.join(' ')}`]),
    lastPing(check, now),
    ...(link === null ? [] : [link]),
  ].join('\n');
}

function htmlRow(check: DownCheck, now: Instant, site: MessageSite): string {
  const cell = `padding:8px 12px 8px 0;text-align:left;vertical-align:top;border-bottom:1px solid ${COLOURS.line}`;
  return `<tr><td style="${cell};width:1%">${statusBadge('down')}</td><td style="${cell};overflow-wrap:anywhere">${checkLine(check, site)}<br><span style="font-size:13px">${lastPing(check, now)}</span></td></tr>`;
}

function lastPing({ lastPingAt }: DownCheck, now: Instant): string {
  return lastPingAt === null ? 'No ping yet' : `Last ping: ${relativeTime(lastPingAt, now)}`;
}
