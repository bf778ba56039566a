import type { NoticeUpdate } from '../../domain/public/status-page.ts';
import type { StatusView, ViewedNotice } from '../../domain/public/status-view.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import { type Instant, MICROS_PER_SECOND } from '../../lib/instant.ts';
import { anchorOf } from './page.ts';
import { noticeWords, UPDATE_WORDS } from './words.ts';

/** Entries of a feed: readers keep the ones that they have seen. */
const MAX_ENTRIES = 50;

/** The notices of the page as RSS 2.0, an entry for each update, the newest first. */
export function statusFeed(view: StatusView, address: string): string {
  const { page, notices } = view;
  const entries = notices
    .flatMap((notice) => notice.updates.map((update) => ({ notice, update })))
    .toSorted((a, b) => b.update.createdAt - a.update.createdAt)
    .slice(0, MAX_ENTRIES)
    .map(({ notice, update }) => entryXml(notice, update, view, address));
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>${xml(page.title)}</title>
<link>${xml(address)}</link>
<description>${xml(page.about === '' ? page.title : page.about)}</description>
<atom:link href="${xml(`${address}feed.xml`)}" rel="self" type="application/rss+xml"/>
${entries.join('\n')}
</channel></rss>
`;
}

function entryXml(notice: ViewedNotice, update: NoticeUpdate, view: StatusView, address: string): string {
  const word = update.state === 'note' ? noticeWords(notice, view) : UPDATE_WORDS[update.state];
  return `<item><title>${xml(`${notice.title}: ${word}`)}</title><link>${xml(`${address}#${anchorOf(notice)}`)}</link>
<guid isPermaLink="false">${anchorOf(update)}</guid><pubDate>${dateOf(update.createdAt)}</pubDate>
<description>${xml(update.text)}</description></item>`;
}

function dateOf(at: Instant): string {
  return new Date((at / MICROS_PER_SECOND) * 1_000).toUTCString();
}

/** Without the characters that XML has no way to write. */
function xml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  return escapeHtml(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ''));
}
