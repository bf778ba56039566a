const END = '<!-- End of the table. -->';

/** The page with these rows in place of the table that the command writes. */
export function withTable(page: string, command: string, rows: readonly string[]): string {
  const mark = `<!-- \`${command}\` writes the table below. -->`;
  const begin = page.indexOf(mark) + mark.length;
  const end = page.indexOf(END, begin);
  if (!page.includes(mark) || end === -1)
    throw new Error(`The page has no place for the table: ${mark} … ${END}`);
  return `${page.slice(0, begin)}\n\n${rows.join('\n')}\n\n${page.slice(end)}`;
}
