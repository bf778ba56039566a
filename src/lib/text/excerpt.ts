/** The text of a body. Invalid UTF-8 is replaced. */
export function decodeBody(body: Uint8Array): string {
  // A byte order mark is part of the body, so it is kept.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
}

/** The first characters of a text, with a note if there were more. */
export function clipped(text: string, limit: number): string {
  const start = firstCharacters(text, limit);
  return start.length < text.length ? `${start}\n[truncated]` : text;
}

/** The first characters of a text. Characters are code points, so no emoji is cut in half. */
export function firstCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return [...text.slice(0, limit * 2)].slice(0, limit).join('');
}

/** A line of at most `limit` characters. It ends in an ellipsis if it was cut. */
export function shortened(line: string, limit: number): string {
  const start = firstCharacters(line, limit);
  return start.length < line.length ? `${firstCharacters(line, limit - 1)}…` : line;
}
