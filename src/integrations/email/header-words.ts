/** Longest that base64 leaves within the 75 characters of an encoded word (RFC 2047, section 2). */
const BYTES_IN_WORD = 45;

/** Decodes the encoded words of a header (RFC 2047); blanks between two of them are no text. */
export function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?([^?*]+)(?:\*[^?]*)?\?([bq])\?([^?]*)\?=/gi, (_word, charset, encoding, text) =>
      decodeBytes(encoding.toLowerCase() === 'b' ? fromBase64(text) : fromQ(text), charset),
    );
}

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
  return decodeBytes(Buffer.from(bytes, 'latin1'), 'utf-8');
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

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

function fromQ(text: string): Buffer {
  const bytes = text
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_byte, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

function decodeBytes(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
