import { shortened } from './excerpt.ts';

/** Longer cells are cut, so that one long name does not widen the whole table. */
const WIDEST = 40;

/** Characters that are twice as wide as others. */
const WIDE =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\uff01-\uff60]/u;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A table for a fixed-width font. Each row has as many cells as the head. Cells are single lines. */
export function asciiTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map((cell) => shortened(cell, WIDEST)));
  const widths = head.map((_, column) =>
    all.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), 0),
  );
  const rule = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`;
  const [headLine, ...lines] = all.map(
    (row) => `| ${row.map((cell, column) => padded(cell, widths[column] ?? 0)).join(' | ')} |`,
  );
  return [rule, headLine, rule, ...lines, rule].join('\n');
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(width - widthOf(cell));
}

const PLAIN = /^[\x20-\x7e]*$/;

function widthOf(text: string): number {
  // A fast path for reports of thousands of checks: splitting into graphemes is slow.
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
