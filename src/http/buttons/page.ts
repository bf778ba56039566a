import { createHash } from 'node:crypto';
import { BUTTON_LABELS, type ButtonVerb } from '../../domain/alert/button.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import type { PressedButton, ShownButton } from '../../services/alert/pressed-buttons.ts';
import { checkAddress } from '../../wire/site.ts';
import { SYSTEM_FONT, TOKENS_STYLE } from '../public/tokens-style.ts';

const STYLE = `${TOKENS_STYLE}
body { color: var(--ink); font: 400 15px/22px ${SYSTEM_FONT}; }
main { max-width: 520px; margin: 0 auto; padding: 32px 20px; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 20px; line-height: 26px; font-weight: 600; }
p { margin: 4px 0 0; color: var(--ink-2); }
form { margin: 24px 0 8px; }
button { width: 100%; min-height: 48px; border: 0; border-radius: 8px; background: var(--ink); color: var(--surface);
  font: 600 16px/22px ${SYSTEM_FONT}; cursor: pointer; }
a { display: inline-block; padding: 11px 0; color: var(--link); }
a:focus-visible, button:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
`;

/** The page runs nothing, loads nothing and is framed by nobody. */
export const BUTTON_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const EFFECTS: Readonly<Record<ButtonVerb, string>> = {
  acknowledge: 'Nobody else is told until it is up.',
  snooze: 'Nobody is told of it for an hour.',
  pause: 'It is not watched until somebody resumes it, or it pings.',
};

/** What the button is about, what it does, and the button itself. */
export function buttonPage(shown: ShownButton, root: string): string {
  if (shown.kind === 'told') return sentencePage(shown.text);
  const { verb, name, projectName, uniqueKey, cause } = shown;
  return document(
    `${BUTTON_LABELS[verb]}: ${name}`,
    `<h1>Down: ${escapeHtml(name)}</h1><p>project ${escapeHtml(projectName)}</p><p>${escapeHtml(cause)}</p>` +
      `<form method="post"><button type="submit">${BUTTON_LABELS[verb]}</button></form><p>${EFFECTS[verb]}</p>` +
      linkTo(uniqueKey, root),
  );
}

/** What has become of it, and the way to the check. */
export function answerPage({ text, uniqueKey }: PressedButton, root: string): string {
  const link = uniqueKey === null ? '' : `<p>${linkTo(uniqueKey, root)}</p>`;
  return document(text, `<h1>${escapeHtml(text)}</h1>${link}`);
}

export function sentencePage(text: string): string {
  return document(text, `<h1>${escapeHtml(text)}</h1>`);
}

function linkTo(uniqueKey: string, root: string): string {
  return `<a href="${escapeHtml(checkAddress(root, uniqueKey))}">Open the check</a>`;
}

function document(title: string, body: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>` +
    `<body><main>${body}</main></body></html>`
  );
}
