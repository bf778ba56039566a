import { type Field, refined, text } from '../../lib/fields.ts';
import { MAX_NEXT_LENGTH } from './limits.ts';

/** A path of this site, where the person goes on after they were at the provider, or in their mailbox. */
export const nextField: Field<string> = refined(text({ maxLength: MAX_NEXT_LENGTH }), 'path', ownPath);

const SOMEWHERE = 'http://somewhere';

/**
 * The path as browsers read it. Null for an address of another site, in any of the spellings that they understand: the person
 * is sent there after the sign-in.
 */
function ownPath(value: string): string | null {
  const url = /^\/[!-~]*$/.test(value) ? URL.parse(value, SOMEWHERE) : null;
  // `/.//host` becomes `//host`, which alone would be another site.
  if (url?.origin !== SOMEWHERE || url.pathname.startsWith('//')) return null;
  return url.pathname + url.search + url.hash;
}
