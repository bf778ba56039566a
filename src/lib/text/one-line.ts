/**
 * A text as one line: line breaks and other control characters, which could begin a header, become a space.
 * What turns the direction of writing goes, since it would turn around the text that follows too; letters that
 * run from right to left do so without.
 */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u00a0]+/gu, ' ')
    .trim();
}

/** A text of lines: neither carriage returns nor control characters, which no message format can carry. */
export function plainLines(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Cc}--[\n\t]]/gv, '\u{fffd}');
}
