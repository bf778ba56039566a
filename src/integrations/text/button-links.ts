import type { ButtonVerb } from '../../domain/alert/button.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import type { AlertEvent } from '../kind/alert-event.ts';

/** The beginning of a token, for messages that have little room: its time, and 64 bits of its signature. */
export const SHORT_TOKEN = 24;

type WithButtons = Pick<AlertEvent, 'buttons'>;

/** Writes a link in a format of messages. */
export type LinkDialect = (label: string, url: string) => string;

export const MARKDOWN_LINK: LinkDialect = (label, url) => `[${label}](${url})`;
export const HTML_LINK: LinkDialect = (label, url) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`;

/** The buttons of a message as one line of links. Nothing without buttons. */
export function buttonLine({ buttons }: WithButtons, link: LinkDialect): string[] {
  return buttons.length === 0 ? [] : [buttons.map(({ label, url }) => link(label, url)).join(' · ')];
}

/** The same for plain text, where an address stands for itself, on a line of its own. */
export function plainButtonLines({ buttons }: WithButtons): string[] {
  return buttons.map(({ label, url }) => `${label}: ${url}`);
}

/** The address of the button. Empty if the message has none. */
export function buttonAddress({ buttons }: WithButtons, verb: ButtonVerb): string {
  return buttons.find((button) => button.verb === verb)?.url ?? '';
}

/** Texts by which somebody could use a button, the longest first. Some messages contain the beginning of a token. */
export function buttonSecrets({ buttons }: WithButtons): string[] {
  return buttons.flatMap(({ token }) => [token, token.slice(0, SHORT_TOKEN)]);
}
