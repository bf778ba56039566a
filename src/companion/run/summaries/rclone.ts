import { bytesOf, isObject, lastMatch, linesOf, numbersIn, objectsOf } from './reading.ts';
import type { Summarize } from './summary.ts';

/**
 * `rclone sync` and its like, with `--use-json-log`, `-v` or `-P`. rclone counts what it has transferred and what it has compared;
 * it does not know how much there is in all.
 */
export const rclone: Summarize = ({ out, err }) => {
  const text = `${out.text}\n${err.text}`;
  const stats = objectsOf(text)
    .map((one) => one.stats)
    .filter(isObject)
    .at(-1);
  if (stats !== undefined) {
    return numbersIn({
      files: stats.transfers,
      files_checked: stats.checks,
      bytes_added: stats.bytes,
      errors: stats.errors,
    });
  }
  const lines = linesOf(text);
  const start = lines.map((line) => BYTES.test(line)).lastIndexOf(true);
  if (start === -1) return null;
  // Lines that would say zero are not written.
  const last = lines.slice(start);
  const count = (pattern: RegExp) => Number(lastMatch(last, pattern)?.[0] ?? 0);
  return numbersIn({
    files: count(/^Transferred:\s+(\d+) \/ \d+, /),
    files_checked: count(/^Checks:\s+(\d+) \/ /),
    bytes_added: bytesOf(BYTES.exec(last[0] ?? '')?.[1]),
    errors: count(/^Errors:\s+(\d+)/),
  });
};

const BYTES = /^Transferred:\s+([\d.]+ ?[kMGTP]?i?B(?:ytes)?) \/ /;
