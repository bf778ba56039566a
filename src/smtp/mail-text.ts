import type { MailText } from '../domain/ping/mail-filter.ts';
import { decodeWords } from '../lib/mime/encoded-words.ts';
import { mailScanBudget, PartSearch } from '../lib/mime/mail-content.ts';
import { readMessage } from '../lib/mime/mime-part.ts';
import { htmlToText } from './html-text.ts';

/**
 * The decoded subject, and the first inline plain text followed by the text of the first inline HTML. Never throws.
 * When the budget is spent, it returns the part that was found so far.
 */
export function mailText(raw: Uint8Array, scan = mailScanBudget(raw.length)): MailText {
  const message = readMessage(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), scan);
  const encoded = message.fields.get('subject') ?? '';
  const subject = decodeWords(encoded.slice(0, scan.take(encoded.length)));
  const search = new PartSearch(scan);
  search.visit(message);
  const html = search.html === null ? null : htmlToText(search.html.slice(0, scan.take(search.html.length)));
  return { subject, text: [search.plain, html].filter((text) => text !== null).join('\n') };
}
