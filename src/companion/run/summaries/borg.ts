import type { Numbers } from '../numbers.ts';
import { bytesOf, countOf, isObject, type Json, linesOf, numbersIn, objectsOf } from './reading.ts';
import type { Summarize } from './summary.ts';

/** `borg create` and `borgmatic create`, with `--json` or `--stats`. Several archives are added up. */
export const borg: Summarize = ({ out, err }) => {
  const text = `${out.text}\n${err.text}`;
  const archives = objectsOf(text).flatMap(archiveOf);
  const found = archives.length > 0 ? archives : statsOf(text);
  if (found.length === 0) return null;
  const sum = (name: string) => found.reduce((total, one) => total + (one[name] ?? 0), 0);
  const names = ['files', 'bytes_added', 'bytes_total'];
  return { ...Object.fromEntries(names.map((name) => [name, sum(name)])), errors: errorsIn(text) };
};

function archiveOf({ archive }: Json): Numbers[] {
  const stats = isObject(archive) ? archive.stats : null;
  if (!isObject(stats)) return [];
  return [
    numbersIn({
      files: stats.nfiles,
      bytes_added: stats.deduplicated_size,
      bytes_total: stats.original_size,
    }),
  ];
}

/** The table of borg 1, and the lines of borg 2. Each archive begins with its name. */
function statsOf(text: string): Numbers[] {
  const archives = text.split(/^.*Archive name: /m).slice(1);
  return archives.map((archive) => {
    const [, files] = /^.*Number of files: (\d+)/m.exec(archive) ?? [];
    const [, original, , deduplicated] =
      /^.*This archive: +([\d.]+ \w+) +([\d.]+ \w+) +([\d.]+ \w+)/m.exec(archive) ?? [];
    const [, size] = /^.*Original size: ([\d.]+ \w+)/m.exec(archive) ?? [];
    const [, added] = /^.*Deduplicated size: ([\d.]+ \w+)/m.exec(archive) ?? [];
    return numbersIn({
      files: files === undefined ? undefined : Number(files),
      bytes_added: bytesOf(deduplicated ?? added),
      bytes_total: bytesOf(original ?? size),
    });
  });
}

/** Files that could not be read. Exceptions of Python's own have the same number behind their name. */
function errorsIn(text: string): number {
  return countOf(linesOf(text), /^(?!\w+Error: ).*: \[Errno \d+\]/);
}
