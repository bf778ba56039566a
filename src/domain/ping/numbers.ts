/** Numbers that a ping reports at most. A longer line is text. */
export const MAX_NUMBERS = 10;

/** Bytes of a body that are looked at. No line of numbers is longer. */
export const MAX_NUMBER_LINE = 1_024;

/** |v| < 10^15. So many digits are exact enough for sizes, and no line becomes longer than is looked at. */
export const MOST_NUMBER = 1e15;

const PAIR = /^([A-Za-z_][A-Za-z0-9_.-]{0,62})=(-?\d{1,15}(?:\.\d{1,15})?)$/;

/** By name, in the order of the line. */
export type Numbers = ReadonlyMap<string, number>;

const NONE: Numbers = new Map();

/**
 * The numbers at the head of a body: its first line, if it is nothing but pairs such as `files=120 bytes_added=1234` with one
 * space between them. Otherwise the line is text, and there are none. Of two pairs with one name the later one counts.
 * `head` may be cut off after `MAX_NUMBER_LINE` bytes.
 */
export function readNumbers(head: Uint8Array): Numbers {
  const line = firstLine(head);
  const pairs = line === null ? [] : line.split(' ', MAX_NUMBERS + 1);
  if (pairs.length > MAX_NUMBERS) return NONE;
  const numbers = new Map<string, number>();
  for (const pair of pairs) {
    const [, name, text] = PAIR.exec(pair) ?? [];
    const value = Number(text);
    if (name === undefined || Math.abs(value) >= MOST_NUMBER) return NONE;
    numbers.set(name, value);
  }
  return numbers;
}

/** Null if it is longer than a line of numbers can be. */
function firstLine(head: Uint8Array): string | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, MAX_NUMBER_LINE));
  const end = bytes.indexOf('\n');
  if (end < 0 && bytes.length === MAX_NUMBER_LINE) return null;
  const line = bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
