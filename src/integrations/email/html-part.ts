import { escapeHtml } from '../../lib/html-escape.ts';
import type { MailContent, MailDetail, QuotedBody } from './content.ts';

/**
 * Text and page keep the colours of the mail program, light or dark; whatever has a colour of its own has
 * both of them, at a contrast of at least 4.5. Nothing is loaded from anywhere.
 */
const COLOURS = { DOWN: '#b3261e', UP: '#1b7a3d', link: '#1f5fbf', line: '#888888' } as const;

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONOSPACE = 'font-family:ui-monospace,Menlo,Consolas,monospace';
const WRAP = 'white-space:pre-wrap;overflow-wrap:anywhere';

/** The message as HTML, with all styles inline: many mail programs drop any other. */
export function htmlPart(content: MailContent): string {
  const { state, name, statements, link, description, details, lastPingBody, siteName, unsubscribeUrl } =
    content;
  const title = escapeHtml(`${state} | ${name}`);
  return `${[
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="supported-color-schemes" content="light dark">',
    `<title>${title}</title>`,
    '</head>',
    `<body style="margin:0;padding:16px;${FONT};font-size:16px;line-height:1.5">`,
    '<div style="max-width:640px;margin:0 auto">',
    `<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3;overflow-wrap:anywhere">${badge(state)} ${escapeHtml(name)}</h1>`,
    ...statements.map((statement) => `<p style="margin:0 0 8px">${escapeHtml(statement)}</p>`),
    ...(link === null ? [] : [button(link, siteName)]),
    ...(description === '' ? [] : [`<p style="margin:0 0 16px;${WRAP}">${escapeHtml(description)}</p>`]),
    '<table aria-label="Details" style="margin:0 0 16px;border-collapse:collapse;font-size:15px">',
    ...details.map(detailRow),
    '</table>',
    ...(lastPingBody === null ? [] : quotedBody(lastPingBody)),
    `<p style="margin:24px 0 0;padding:12px 0 0;border-top:1px solid ${COLOURS.line};font-size:13px">`,
    `Sent by ${escapeHtml(siteName)}. <a href="${escapeHtml(unsubscribeUrl)}" style="color:inherit">Unsubscribe</a>`,
    '</p>',
    '</div>',
    '</body>',
    '</html>',
  ].join('\n')}\n`;
}

function badge(state: MailContent['state']): string {
  return `<span style="display:inline-block;padding:2px 10px;border-radius:4px;background-color:${COLOURS[state]};color:#ffffff">${state}</span>`;
}

function button(link: string, siteName: string): string {
  const style = `display:inline-block;padding:8px 16px;border-radius:4px;background-color:${COLOURS.link};color:#ffffff;text-decoration:none`;
  return `<p style="margin:16px 0"><a href="${escapeHtml(link)}" style="${style}">View on ${escapeHtml(siteName)}</a></p>`;
}

function detailRow({ label, value }: MailDetail): string {
  const cell = `padding:4px 16px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid ${COLOURS.line}`;
  return `<tr><th scope="row" style="${cell};white-space:nowrap">${label}</th><td style="${cell};${WRAP}">${escapeHtml(value)}</td></tr>`;
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
