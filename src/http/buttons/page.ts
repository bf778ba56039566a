import { createHash } from 'node:crypto';
import {
  BUTTON_LABELS,
  type ButtonVerb,
  isManyVerb,
  MANY_LABELS,
  type ManyVerb,
} from '../../domain/alert/button.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import type { ButtonPage, PressedButton, ShownButton } from '../../services/alert/pressing.ts';
import { listFilter } from '../../wire/notice/together-words.ts';
import { checkAddress, projectAddress } from '../../wire/site.ts';
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

const EFFECTS_ON_MANY: Readonly<Record<ManyVerb, string>> = {
  acknowledge: 'Nobody else is told of those that are still down, until they are up.',
  snooze: 'Nobody is told of those that are still down for an hour.',
};

/** What the button is about, what it does, and the button itself. */
export function buttonPage(shown: ShownButton, root: string): string {
  if (shown.kind === 'told') return sentencePage(shown.text);
  const { verb, name, projectName, cause, isMany } = shown;
  const isOfMany = isMany && isManyVerb(verb);
  const label = isOfMany ? MANY_LABELS[verb] : BUTTON_LABELS[verb];
  const effect = isOfMany ? EFFECTS_ON_MANY[verb] : EFFECTS[verb];
  return document(
    `${label}: ${name}`,
    `<h1>Down: ${escapeHtml(name)}</h1><p>project ${escapeHtml(projectName)}</p><p>${escapeHtml(cause)}</p>` +
      `<form method="post"><button type="submit">${label}</button></form><p>${effect}</p>` +
      linkTo(shown.page, root),
  );
}

/** What has become of it, and where to read more. */
export function answerPage({ text, page }: PressedButton, root: string): string {
  const link = page === null ? '' : `<p>${linkTo(page, root)}</p>`;
  return document(text, `<h1>${escapeHtml(text)}</h1>${link}`);
}

export function sentencePage(text: string): string {
  return document(text, `<h1>${escapeHtml(text)}</h1>`);
}

function linkTo(page: ButtonPage, root: string): string {
  if (page.of === 'check')
    return `<a href="${escapeHtml(checkAddress(root, page.uniqueKey))}">Open the check</a>`;
  const list = `${projectAddress(root, page.projectUuid)}?${listFilter(page.tag)}`;
  return `<a href="${escapeHtml(list)}">Open the list</a>`;
}

function document(title: string, body: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>` +
    `<body><main>${body}</main></body></html>`
  );
}
