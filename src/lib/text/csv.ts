/** A line of a table. Every cell is quoted (RFC 4180). */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${harmless(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/** Spreadsheets take a cell that begins like this for a formula. The apostrophe makes it a text. */
function harmless(cell: string): string {
  return /^\s*[=+\-@＝＋－＠|%]|^[\t\r\n]/.test(cell) ? `'${cell}` : cell;
}
