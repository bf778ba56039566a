import { decodeBody, shortened } from './excerpt.ts';

/** Bytes at the end of an output that are looked at. */
const TAIL = 16 * 1024;

/** Commands to a terminal, such as colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const TERMINAL_COMMAND = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

/** The last lines of an output, as a terminal would show them. Each has at most `width` characters. */
export function lastLines(body: Uint8Array, most: number, width: number): string[] {
  const lines = decodeBody(body.subarray(-TAIL))
    .replace(TERMINAL_COMMAND, '')
    .replace(/\r\n/g, '\n')
    .split('\n');
  // The first line may have been cut.
  const whole = body.length > TAIL && lines.length > 1 ? lines.slice(1) : lines;
  const shown = whole.map(shownLine);
  const end = shown.findLastIndex((line) => line !== '') + 1;
  return shown
    .slice(0, end)
    .slice(-most)
    .map((line) => shortened(line, width));
}

/** The visible part of a line that was written over, without signs that cannot be shown or that turn the text. */
function shownLine(line: string): string {
  return line
    .slice(line.trimEnd().lastIndexOf('\r') + 1)
    .toWellFormed()
    .replaceAll('\t', '  ')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '')
    .trimEnd();
}
