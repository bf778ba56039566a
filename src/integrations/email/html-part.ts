import { escapeHtml } from '../../lib/html-escape.ts';
import {
  badge,
  button,
  COLOURS,
  detailTable,
  heading,
  htmlFooter,
  htmlPage,
  paragraph,
  WRAP,
} from '../../lib/text/html-mail.ts';
import type { MailContent, QuotedBody } from './content.ts';

const STATE_COLOURS = { DOWN: COLOURS.bad, UP: COLOURS.good } as const;
const MONOSPACE = 'font-family:ui-monospace,Menlo,Consolas,monospace';

/** The message as HTML. */
export function htmlPart(content: MailContent): string {
  const { state, name, statements, link, description, details, lastPingBody, siteName, unsubscribeUrl } =
    content;
  const body = [
    heading(`${badge(state, STATE_COLOURS[state])} ${escapeHtml(name)}`),
    ...statements.map(paragraph),
    ...button(link, `View on ${siteName}`),
    ...(description === '' ? [] : [`<p style="margin:0 0 16px;${WRAP}">${escapeHtml(description)}</p>`]),
    ...detailTable(details),
    ...(lastPingBody === null ? [] : quotedBody(lastPingBody)),
  ];
  return htmlPage(`${state} | ${name}`, body, htmlFooter(siteName, unsubscribeUrl));
}

function quotedBody({ note, text }: QuotedBody): string[] {
  const box = `margin:0;padding:12px;border:1px solid ${COLOURS.line};border-radius:4px;font-size:13px`;
  return [
    '<h2 style="margin:16px 0 8px;font-size:17px">Last Ping Body</h2>',
    ...(note === null ? [] : [`<p style="margin:0 0 8px">${escapeHtml(note)}</p>`]),
    // A parser drops the first line break after the tag.
    ...(text === null ? [] : [`<pre style="${box};${MONOSPACE};${WRAP}">\n${escapeHtml(text)}</pre>`]),
  ];
}
