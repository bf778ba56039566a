import { TEXT_LIMITS } from '../domain/text-limits.ts';
import { type Field, refined, text } from '../lib/fields.ts';

/** A web address. It may contain placeholders anywhere, also in the host. */
export const webUrlField: Field<string> = refined(
  text({ maxLength: TEXT_LIMITS.webhookUrl }),
  'http or https URL',
  readUrl,
);

/** A URL without a scheme gets https. */
function readUrl(value: string): string | null {
  const trimmed = value.trim();
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const isWeb = /^https?:\/\/[^\s/]/i.test(url) && !/\p{Cc}/u.test(url);
  return isWeb && url.length <= TEXT_LIMITS.webhookUrl && URL.canParse(url) ? url : null;
}

/**
 * The host of an address. Placeholders may be anywhere, so there may be no valid host. All such addresses count as one
 * destination.
 */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}
