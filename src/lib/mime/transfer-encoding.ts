const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** Decodes a content transfer encoding, given in lower case. Invalid base64 and unknown encodings are returned unchanged. */
export function decodeTransfer(bytes: Buffer, encoding: string): Buffer {
  switch (encoding) {
    case 'base64':
      return decodeBase64(bytes) ?? bytes;
    case 'quoted-printable':
      return decodeQuotedPrintable(bytes);
    default:
      return bytes;
  }
}

/** For each byte, whether it is a character of base64. */
const BASE64_LETTERS = new Uint8Array(256);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') {
  BASE64_LETTERS[letter.charCodeAt(0)] = 1;
}

/** Returns null for invalid base64. Decoding ends at the padding, since mailing lists add footers after it. */
function decodeBase64(bytes: Buffer): Buffer | null {
  let letters = 0;
  let end = 0;
  for (; end < bytes.length; end++) {
    const byte = bytes[end] ?? 0;
    if (BASE64_LETTERS[byte] === 1) letters++;
    else if (byte === EQUALS) break;
    else if (!isBlank(byte)) return null;
  }
  // A single remaining character has six bits, too few for a byte.
  if (letters % 4 === 1) return null;
  return Buffer.from(bytes.toString('latin1', 0, end), 'base64');
}

/** RFC 2045, section 6.7. An equals sign that begins no valid sequence is kept. */
export function decodeQuotedPrintable(bytes: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let from = 0;
  for (;;) {
    const equals = bytes.indexOf(EQUALS, from);
    const to = equals === -1 ? bytes.length : equals;
    length += bytes.copy(decoded, length, from, to);
    if (equals === -1) return decoded.subarray(0, length);
    const byte = hexByte(bytes, equals + 1);
    const next = byte === null ? afterSoftBreak(bytes, equals + 1) : equals + 3;
    if (next === null) decoded[length++] = EQUALS;
    if (byte !== null) decoded[length++] = byte;
    from = next ?? equals + 1;
  }
}

function hexByte(bytes: Buffer, at: number): number | null {
  const high = hexDigit(bytes[at]);
  const low = hexDigit(bytes[at + 1]);
  return high === null || low === null ? null : high * 16 + low;
}

function hexDigit(byte = 0): number | null {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : null;
}

/** The place after a soft line break, which may have blanks before its line end. Null if there is none. */
function afterSoftBreak(bytes: Buffer, from: number): number | null {
  let at = from;
  while (bytes[at] === SPACE || bytes[at] === TAB) at++;
  if (at === bytes.length) return at;
  if (bytes[at] === CR && bytes[at + 1] === LF) return at + 2;
  return bytes[at] === LF ? at + 1 : null;
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}
