/** Characters that are twice as wide as others. */
const WIDE =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\uff01-\uff60]/u;

const PLAIN = /^[\x20-\x7e]*$/;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The number of columns that a line takes in a monospaced font. */
export function textWidth(line: string): number {
  // Splitting into graphemes is slow.
  if (PLAIN.test(line)) return line.length;
  let width = 0;
  for (const { segment } of graphemes.segment(line)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Breaks a line at blanks into lines of at most that many columns. A long word, such as an address, stays whole. */
export function wrapped(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current: string | null = null;
  for (const word of line.split(' ')) {
    const longer: string = current === null ? word : `${current} ${word}`;
    if (current !== null && textWidth(longer) > columns) {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  return [...lines, current ?? ''];
}
