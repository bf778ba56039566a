import type { Block, Fact, MailText } from '../../lib/mail-document/document.ts';
import { writeMail } from '../../lib/mail-document/write.ts';
import { oneLine } from '../../lib/text/one-line.ts';

/** A mail that says something once. Nobody has subscribed to it, so it has no link to stop it. */
export interface Notice {
  readonly siteName: string;
  readonly subject: string;
  readonly lead: string;
  readonly blocks: readonly Block[];
}

export function noticeMail({ siteName, subject, lead, blocks }: Notice): MailText {
  const from = oneLine(siteName);
  return writeMail({
    subject,
    preview: lead,
    top: { from, date: '' },
    pill: null,
    title: subject,
    lead,
    blocks,
    foot: { date: '', why: `Sent by ${from}.`, stop: null },
  });
}

export function paragraphs(...texts: readonly string[]): Block {
  return { kind: 'paragraphs', heading: null, texts };
}

export function facts(...facts: readonly Fact[]): Block {
  return { kind: 'facts', facts };
}

export function link(href: string, label: string): Block {
  return { kind: 'link', href, label };
}
