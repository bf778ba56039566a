/**
 * The first of the messages, each given by its lines, that is not longer than `most`. Null if none fits. A provider may
 * count something else than units of UTF-16.
 */
export function firstFitting(
  messages: readonly (readonly string[])[],
  most: number,
  lengthOf: (text: string) => number = (text) => text.length,
): string | null {
  return messages.map((lines) => lines.join('\n')).find((text) => lengthOf(text) <= most) ?? null;
}

/** The lines after an empty one, if there are any. */
export function paragraph(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}
