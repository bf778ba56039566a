/** Headers as people write them: one in a line. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, content]) => `${name}: ${content}`)
    .join('\n');
}

/** The last of equal headers counts. A line without a colon is a name without a value, which the server refuses. */
export function headersIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split(':');
      return [name.trim(), rest.join(':').trim()];
    }),
  );
}
