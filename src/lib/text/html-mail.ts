import { escapeHtml } from '../html-escape.ts';

/**
 * Text and page keep the colours of the mail program, light or dark. An element with its own background also has its own
 * text colour, with a contrast of at least 4.5. Mails load nothing from elsewhere.
 */
export const COLOURS = {
  bad: '#b3261e',
  good: '#1b7a3d',
  late: '#8a5a00',
  quiet: '#5f6368',
  link: '#1f5fbf',
  line: '#888888',
} as const;

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** Keeps line breaks, and breaks long words that would widen the page. */
export const WRAP = 'white-space:pre-wrap;overflow-wrap:anywhere';

/** The whole page. All styles are inline, since many mail programs drop others. `body` and `footer` are HTML. */
export function htmlPage(title: string, body: readonly string[], footer: string): string {
  return `${[
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="supported-color-schemes" content="light dark">',
    `<title>${escapeHtml(title)}</title>`,
    '</head>',
    `<body style="margin:0;padding:16px;${FONT};font-size:16px;line-height:1.5">`,
    '<div style="max-width:640px;margin:0 auto">',
    ...body,
    `<p style="margin:24px 0 0;padding:12px 0 0;border-top:1px solid ${COLOURS.line};font-size:13px">`,
    footer,
    '</p>',
    '</div>',
    '</body>',
    '</html>',
  ].join('\n')}\n`;
}

/** The content is HTML. */
export function heading(content: string): string {
  return `<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3;overflow-wrap:anywhere">${content}</h1>`;
}

export function paragraph(text: string): string {
  return `<p style="margin:0 0 8px;overflow-wrap:anywhere">${escapeHtml(text)}</p>`;
}

/** A word on a coloured background. */
export function badge(text: string, colour: string): string {
  return `<span style="display:inline-block;padding:2px 10px;border-radius:4px;background-color:${colour};color:#ffffff">${escapeHtml(text)}</span>`;
}

/** No button if there is no address. */
export function button(href: string | null, label: string): string[] {
  if (href === null) return [];
  const style = `display:inline-block;padding:8px 16px;border-radius:4px;background-color:${COLOURS.link};color:#ffffff;text-decoration:none`;
  return [
    `<p style="margin:16px 0"><a href="${escapeHtml(href)}" style="${style}">${escapeHtml(label)}</a></p>`,
  ];
}

export interface Detail {
  readonly label: string;
  readonly value: string;
}

/** A table of labels and values. */
export function detailTable(details: readonly Detail[]): string[] {
  const cell = `padding:4px 16px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid ${COLOURS.line}`;
  return [
    '<table aria-label="Details" style="margin:0 0 16px;border-collapse:collapse;font-size:15px">',
    ...details.map(
      ({ label, value }) =>
        `<tr><th scope="row" style="${cell};white-space:nowrap">${escapeHtml(label)}</th><td style="${cell};${WRAP}">${escapeHtml(value)}</td></tr>`,
    ),
    '</table>',
  ];
}

/** The sender and, if there is one, the link to unsubscribe. */
export function htmlFooter(siteName: string, unsubscribeUrl: string | null): string {
  const unsubscribe =
    unsubscribeUrl === null
      ? ''
      : ` <a href="${escapeHtml(unsubscribeUrl)}" style="color:inherit">Unsubscribe</a>`;
  return `Sent by ${escapeHtml(siteName)}.${unsubscribe}`;
}
