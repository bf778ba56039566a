/**
 * Turns a text into one line. Line breaks and other control characters, which could begin a header, become a space.
 * Characters that change the direction of writing are removed, since they would also turn the text that follows. Letters
 * that run from right to left do not need them.
 */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u00a0]+/gu, ' ')
    .trim();
}

/** Keeps the lines of a text. Replaces carriage returns and control characters, which message formats cannot carry. */
export function plainLines(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Cc}--[\n\t]]/gv, '\u{fffd}');
}
