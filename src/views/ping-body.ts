import {
  type BodyLines,
  type BodyType,
  bodyLines,
  bodyTypeOf,
  MAX_WHOLE_BODY,
} from '../domain/ping/ping-body.ts';
import { type Attachment, type MailContent, mailContent } from '../lib/mime/mail-content.ts';
import { safeHtml } from '../lib/mime/safe-html.ts';
import { decodeBody } from '../lib/text/excerpt.ts';
import type { PingPage } from '../services/history/ping-page.ts';

/** A mail as people read it. The HTML has an address of its own. */
interface MailJson {
  readonly from: string;
  readonly to: string;
  readonly date: string;
  readonly subject: string;
  /** The lines of its text. Null if it has none. */
  readonly text: BodyLines | null;
  readonly hasHtml: boolean;
  readonly attachments: readonly Attachment[];
}

type BodyJson =
  /** None was sent. */
  | { readonly state: 'none' }
  /** It was sent and is not there any more. */
  | { readonly state: 'gone'; readonly size: number }
  /** Its storage does not answer now. */
  | { readonly state: 'unavailable'; readonly size: number }
  | {
      readonly state: 'present';
      readonly size: number;
      readonly type: BodyType;
      /** Whether it is as long as bodies may be, so that more may have been sent. */
      readonly isFull: boolean;
      /**
       * Null for binary data. Also null for the source of a mail if the reader may not know the address of the check:
       * it contains the address in any encoding.
       */
      readonly lines: BodyLines | null;
      readonly mail: MailJson | null;
    };

interface BodyRules {
  readonly bodyLimit: number | null;
  readonly isWhole: boolean;
  readonly seesAddresses: boolean;
}

export function bodyJson(
  { ping, body }: PingPage,
  { bodyLimit, isWhole, seesAddresses }: BodyRules,
): BodyJson {
  const { bodySize: size } = ping;
  if (size === 0) return { state: 'none' };
  if (body === 'unavailable') return { state: 'unavailable', size };
  if (body === null) return { state: 'gone', size };
  const text = decodeBody(body);
  const type = bodyTypeOf(text, ping);
  const showsAll = isWhole || size <= MAX_WHOLE_BODY;
  return {
    state: 'present',
    size,
    type,
    isFull: bodyLimit !== null && size >= bodyLimit,
    lines: type === 'binary' || (type === 'email' && !seesAddresses) ? null : bodyLines(text, showsAll),
    mail: type === 'email' ? mailJson(mailContent(body), showsAll) : null,
  };
}

function mailJson({ text, html, ...mail }: MailContent, isWhole: boolean): MailJson {
  return { ...mail, text: text === null ? null : bodyLines(text, isWhole), hasHtml: html !== null };
}

/** The style of the HTML of a mail. Its digest is in the policy of the document, which allows no other style. */
export const MAIL_STYLE =
  ':root{color-scheme:light}body{margin:16px;font:14px/1.5 system-ui,sans-serif;color:#17191e;background:#fff;overflow-wrap:anywhere}pre{white-space:pre-wrap}table{border-collapse:collapse}td,th{padding:2px 6px;text-align:start;vertical-align:top}';

/** A document that shows the HTML of a mail, and loads and runs nothing. Null if the mail has none. */
export function mailDocument({ ping, body }: Pick<PingPage, 'ping' | 'body'>): string | null {
  if (ping.scheme !== 'email' || body === null || body === 'unavailable') return null;
  const { html } = mailContent(body);
  if (html === null) return null;
  const head = `<meta charset="utf-8"><title>Mail</title><style>${MAIL_STYLE}</style>`;
  return `<!doctype html><html lang="en"><head>${head}</head><body>${safeHtml(html)}</body></html>`;
}
