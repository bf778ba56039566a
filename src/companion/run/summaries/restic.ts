import { bytesOf, countOf, lastMatch, linesOf, numbersIn, objectsOf } from './reading.ts';
import type { Summarize } from './summary.ts';

/** `restic backup`, with or without `--json`. */
export const restic: Summarize = ({ out, err }) => {
  const objects = objectsOf(`${out.text}\n${err.text}`);
  const lines = linesOf(`${out.text}\n${err.text}`);
  // A folder that does not exist is left out, and older versions end with 0.
  const skipped = countOf(lines, /does not exist, skipping$/);
  const summary = objects.filter(({ message_type: type }) => type === 'summary').at(-1);
  if (summary !== undefined) {
    const told = objects.filter(({ message_type: type }) => type === 'error').length;
    const counts = objects.flatMap(({ error_count: count }) => (typeof count === 'number' ? [count] : []));
    return numbersIn({
      files: summary.total_files_processed,
      bytes_added: summary.data_added,
      bytes_total: summary.total_bytes_processed,
      errors: Math.max(told, counts.at(-1) ?? 0) + skipped,
    });
  }
  const processed = lastMatch(lines, /^processed (\d+) files?, ([\d.]+ \w+) in /);
  if (processed === null) return null;
  const [files, total] = processed;
  const [added] = lastMatch(lines, /^Added to the repo(?:sitory)?: +([\d.]+ \w+)/) ?? [];
  return numbersIn({
    files: Number(files),
    bytes_added: bytesOf(added),
    bytes_total: bytesOf(total),
    errors: countOf(lines, /^error: /) + skipped,
  });
};
