import { bytesOf, countOf, lastMatch, linesOf, numbersIn } from './reading.ts';
import type { Summarize } from './summary.ts';

/** `rsync --stats`, or the last lines of `rsync -v`. */
export const rsync: Summarize = ({ out, err }) => {
  const lines = linesOf(`${out.text}\n${err.text}`);
  const find = (pattern: RegExp) => lastMatch(lines, pattern)?.[0];
  const total =
    find(/^Total file size: ([\d.,]+[KMGTP]?) bytes$/) ?? find(/^total size is ([\d.,]+[KMGTP]?) /);
  if (total === undefined) return null;
  const regular = find(/^Number of files: [\d,]+ \(.*\breg: ([\d,]+)/);
  // Where there are folders alone, regular files are not counted.
  const files = regular ?? (find(/^Number of files: [\d,]+ (\(\w)/) === undefined ? undefined : '0');
  const told = countOf(lines, /^rsync: .*\(\d+\)$/);
  return numbersIn({
    files: bytesOf(files),
    bytes_added: bytesOf(find(/^Literal data: ([\d.,]+[KMGTP]?) bytes$/)),
    bytes_total: bytesOf(total),
    errors: Math.max(told, countOf(lines, /^rsync error: /)),
  });
};
