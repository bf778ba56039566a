import type { MailDocument, MailText } from './document.ts';
import { mailHtml } from './html.ts';
import { mailPlainText } from './text.ts';

export function writeMail(document: MailDocument): MailText {
  return { subject: document.subject, text: mailPlainText(document), html: mailHtml(document) };
}
