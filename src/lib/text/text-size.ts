/**
 * The unit that a provider counts: bytes of UTF-8, units of UTF-16 (two for an emoji), code points, or bytes of the
 * JSON that Go writes, which escapes angle brackets and ampersands.
 */
export type Unit = 'bytes' | 'units' | 'code points' | 'bytes of JSON';

export function sizeOf(text: string, unit: Unit): number {
  switch (unit) {
    case 'bytes':
      return Buffer.byteLength(text);
    case 'units':
      return text.length;
    case 'code points':
      return [...text].length;
    case 'bytes of JSON':
      return Buffer.byteLength(JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, '\\u0000')) - 2;
    default:
      return unit satisfies never;
  }
}

/** The text, or as much of its beginning as fits, with an ellipsis. `fits` must be true for every shorter text, too. */
export function longestFitting(text: string, fits: (start: string) => boolean): string {
  if (fits(text)) return text;
  const characters = [...text];
  const start = (count: number) => `${characters.slice(0, count).join('').trimEnd()}…`;
  let [fitting, tooLong] = [-1, characters.length];
  while (tooLong - fitting > 1) {
    const middle = Math.floor((fitting + tooLong) / 2);
    if (fits(start(middle))) fitting = middle;
    else tooLong = middle;
  }
  return fitting < 0 ? '' : start(fitting);
}

/** The text, or as much of its beginning as that. It is never cut inside of a code point. */
export function cutTo(text: string, most: number, unit: Unit): string {
  return longestFitting(text, (start) => sizeOf(start, unit) <= most);
}
