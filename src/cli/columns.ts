/** A line of help: a term, and its meaning. A meaning of several lines goes on below itself. */
export type HelpRow = readonly [left: string, right: string];

const GAP = '  ';

/** Lines with two columns, indented. The right one begins behind the widest text of the left one. */
export function columns(rows: readonly HelpRow[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  const below = `\n${GAP}${' '.repeat(width)}${GAP}`;
  return rows.map(([left, right]) => `${GAP}${left.padEnd(width)}${GAP}${right.replaceAll('\n', below)}`);
}
