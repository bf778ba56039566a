import type { Status } from '../../domain/check.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import { COLOURS } from '../../lib/text/html-mail.ts';
import { checkPage, type MessageSite } from '../site.ts';
import { checkName, type MailCheck, tagsOf } from './mail-text.ts';

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  down: 'DOWN',
  grace: 'LATE',
  up: 'UP',
  new: 'NEW',
  paused: 'PAUSED',
};

const STATUS_COLOURS: Readonly<Record<Status, string>> = {
  down: COLOURS.bad,
  grace: COLOURS.late,
  up: COLOURS.good,
  new: COLOURS.quiet,
  paused: COLOURS.quiet,
};

export const PROJECT_HEADING = 'margin:24px 0 8px;font-size:17px;line-height:1.3;overflow-wrap:anywhere';

export function statusBadge(status: Status): string {
  return `<span style="display:inline-block;min-width:52px;padding:1px 4px;border-radius:4px;font-size:12px;text-align:center;background-color:${STATUS_COLOURS[status]};color:#ffffff">${STATUS_WORDS[status]}</span>`;
}

/** The name, as a link if the check has a page, and the tags. */
export function checkLine(check: MailCheck, site: MessageSite): string {
  const link = checkPage(site, check.uniqueKey);
  // Isolates a name that runs from right to left, so that it does not turn the text after it.
  const name = `<bdi>${escapeHtml(checkName(check))}</bdi>`;
  const linked = link === null ? name : `<a href="${escapeHtml(link)}" style="color:inherit">${name}</a>`;
  return [linked, ...tagsOf(check).map(tagPiece)].join(' ');
}

function tagPiece(tag: string): string {
  return `<span style="display:inline-block;padding:0 6px;border:1px solid ${COLOURS.line};border-radius:4px;font-size:12px">${escapeHtml(tag)}</span>`;
}
