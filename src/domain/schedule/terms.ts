/** Helpers for the terms of both languages. */

/** Accepts only ASCII digits: no sign, no fraction, no digits of other scripts. */
export function isDigits(text: string): boolean {
  return /^[0-9]+$/.test(text);
}

/** The text before the separator, and the text after it. Null if there is no separator. */
export function splitAtFirst(text: string, separator: string): [string, string | null] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + separator.length)];
}
