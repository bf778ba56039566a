import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { type Field, refined, text } from '../../lib/fields.ts';
import { MASK } from './setting.ts';

/** A web address. It may contain placeholders, also in the host. */
export const webUrlField: Field<string> = refined(
  text({ maxLength: TEXT_LIMITS.webhookUrl }),
  'http or https URL',
  readUrl,
);

/** A single word without a scheme is a slip, and no host. */
function readUrl(value: string): string | null {
  const trimmed = value.trim();
  if (!/[.:/$]/.test(trimmed)) return null;
  const url = withScheme(trimmed);
  const isWeb = /^https?:\/\/[^\s/]/i.test(url) && !/\p{Cc}/u.test(url);
  return isWeb && url.length <= TEXT_LIMITS.webhookUrl && URL.canParse(url) ? url : null;
}

function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`;
}

/**
 * The host of an address. Placeholders may be anywhere, so there may be no valid host. All such addresses count as one
 * destination.
 */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}

/** Scheme, host, port and path of an address: the place to which a secret is sent. Null if it is not an address. */
export function placeOf(address: unknown): string | null {
  const url = typeof address === 'string' ? URL.parse(withScheme(address.trim())) : null;
  return url === null ? null : `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

/** The address with further parameters in its query. */
export function withQuery(url: string, parameters: Readonly<Record<string, string>>): string {
  const [address = url] = url.split('#');
  return `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`;
}

/** The address with its path and its query masked, which usually contain a token. Placeholders and names stay. */
export function maskedUrl(url: string): string {
  const [, origin = '', rest = ''] = /^(https?:\/\/[^/?#]*)(.*)$/i.exec(url) ?? [];
  const [path = '', query] = rest.split(/\?(.*)/s);
  const shownPath = path === '' || path === '/' ? path : `/${maskedText(path)}`;
  const shownOrigin = origin.replace(/\/\/.*@/, `//${MASK}@`);
  return query === undefined ? shownOrigin + shownPath : `${shownOrigin}${shownPath}?${maskedQuery(query)}`;
}

function maskedQuery(query: string): string {
  return query
    .split('&')
    .map((pair) => {
      const [name = '', value] = pair.split(/=(.*)/s);
      return value === undefined ? maskedText(name) : `${name}=${maskedText(value)}`;
    })
    .join('&');
}

/** The text with everything masked but its placeholders. */
export function maskedText(text: string): string {
  const masked = text.split(PLACEHOLDER).map((piece, index) => {
    const isSecret = index % 2 === 0 && piece.trim() !== '';
    return isSecret ? MASK : piece;
  });
  return masked.join('');
}

/** The names that `webhook/placeholders.ts` fills in. Anything else after a dollar sign may be a secret. */
export const PLACEHOLDER =
  /(\$(?:NAME_JSON|BODY_JSON|LAST_PING|EXITSTATUS|CODE|STATUS|NOW|NAME|SLUG|TAGS|TAG\d+|JSON|BODY|PROJECT|REASON|DURATION|ACK_URL|SNOOZE_URL|URL))/;
