import type { BadgeStatus } from '../../domain/public/badge.ts';
import { escapeHtml } from '../../lib/html-escape.ts';

/** The dashboard's colours of these statuses on light ground. White can be read on them. A test compares both. */
const COLORS: Record<BadgeStatus, string> = { up: '#0a6b51', late: '#855000', down: '#b3261e' };
const LABEL_COLOR = '#3a3f48';
const PADDING = 10;

/** A badge of two parts, 20 pixels high: the label on grey, the status on its colour. */
export function badgeSvg(label: string, status: BadgeStatus): string {
  const labelWidth = textWidth(label) + PADDING;
  const statusWidth = textWidth(status) + PADDING;
  const width = labelWidth + statusWidth;
  // XML cannot contain control characters and these two, not even escaped.
  const text = escapeHtml(label.replace(/[\p{Cc}\uFFFE\uFFFF]/gu, ' '));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${text}: ${status}">
<clipPath id="r"><rect width="${width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)">
<rect width="${labelWidth}" height="20" fill="${LABEL_COLOR}"/>
<rect x="${labelWidth}" width="${statusWidth}" height="20" fill="${COLORS[status]}"/>
</g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
<text x="${labelWidth / 2}" y="14">${text}</text>
<text x="${labelWidth + statusWidth / 2}" y="14">${status}</text>
</g>
</svg>
`;
}

// Widths of characters in pixels, for Verdana at 11 px. The width of a label is right within two pixels.
const NARROW = new Set("ijlI.,:;'|!()[] ");
const WIDE = new Set('mwMW@%');

function textWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (NARROW.has(character)) width += 4.5;
    else if (WIDE.has(character)) width += 10.5;
    else if (/[\p{Lu}\d]/u.test(character)) width += 7.5;
    else if (character > '\u2e7f') width += 11;
    else width += 6.8;
  }
  return Math.round(width);
}
