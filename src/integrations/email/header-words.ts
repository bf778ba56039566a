import { decodeText } from '../../lib/mime/charset.ts';

/** Longest that base64 leaves within the 75 characters of an encoded word (RFC 2047, section 2). */
const BYTES_IN_WORD = 45;

/** Writes what is not ASCII as encoded words, piece by piece, so that addresses stay addresses. */
export function encodeWords(value: string): string {
  return value
    .split(/([\s<>,;:"()@]+)/)
    .map((piece) => (isAscii(piece) ? piece : encodeWord(piece)))
    .join('');
}

export function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}

/** Text of a header as it came over the wire, whose bytes are UTF-8 if they are not ASCII. */
export function decodeHeader(bytes: string): string {
  return decodeText(Buffer.from(bytes, 'latin1'), 'utf-8');
}

function encodeWord(text: string): string {
  const chunks: string[] = [''];
  for (const character of text) {
    const longer = `${chunks.at(-1)}${character}`;
    if (Buffer.byteLength(longer) <= BYTES_IN_WORD) chunks[chunks.length - 1] = longer;
    else chunks.push(character);
  }
  return chunks.map((chunk) => `=?utf-8?B?${Buffer.from(chunk).toString('base64')}?=`).join(' ');
}
