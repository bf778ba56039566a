/** The text of a body. What is no UTF-8 is replaced. */
export function decodeBody(body: Uint8Array): string {
  // A byte order mark belongs to the body as it was sent.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
}

/** At most so many characters from the start, and a word on it when there were more. */
export function clipped(text: string, limit: number): string {
  const start = firstCharacters(text, limit);
  return start.length < text.length ? `${start}\n[truncated]` : text;
}

/** At most so many characters from the start. A character is a code point: no emoji is torn apart. */
export function firstCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return [...text.slice(0, limit * 2)].slice(0, limit).join('');
}

/** A line of at most so many characters, the last of which shows that there were more. */
export function shortened(line: string, limit: number): string {
  const start = firstCharacters(line, limit);
  return start.length < line.length ? `${firstCharacters(line, limit - 1)}…` : line;
}

/** At most so many characters from the end. */
export function lastCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // The first of these may be half a character, but then there are enough others.
  return [...text.slice(-limit * 2)].slice(-limit).join('');
}
