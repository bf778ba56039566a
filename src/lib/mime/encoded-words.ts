import { decodeText } from './charset.ts';
import { decodeQuotedPrintable } from './transfer-encoding.ts';

/** The bytes of consecutive encoded words in one character set. */
interface Run {
  readonly charset: string;
  readonly bytes: Buffer[];
}

/** A character set, with or without a language (RFC 2231), and the letter of an encoding. */
const WORD_START = /=\?([^?*]*)(?:\*[^?]*)?\?([bq])\?/gi;

/** More than any real subject has: a word has up to 75 characters (RFC 2047, section 2). Further words stay encoded. */
export const MAX_ENCODED_WORDS = 1_000;

/**
 * Decodes the encoded words of a header (RFC 2047). Blanks between two encoded words are dropped. A character may begin in
 * one word and end in the next, as many programs send it.
 */
export function decodeWords(text: string): string {
  const pieces: (string | Run)[] = [];
  let end = 0;
  WORD_START.lastIndex = 0;
  for (let count = 0; count < MAX_ENCODED_WORDS; count++) {
    const start = WORD_START.exec(text);
    const close = start === null ? -1 : text.indexOf('?=', WORD_START.lastIndex);
    if (start === null || close === -1) break;
    const [, charset = '', encoding = ''] = start;
    addText(pieces, text.slice(end, start.index));
    addBytes(pieces, charset, decodeWord(encoding, text.slice(WORD_START.lastIndex, close)));
    end = close + 2;
    WORD_START.lastIndex = end;
  }
  pieces.push(text.slice(end));
  return pieces
    .map((piece) =>
      typeof piece === 'string' ? piece : decodeText(Buffer.concat(piece.bytes), piece.charset),
    )
    .join('');
}

/** Keeps a line with `Subject: ` and one word within 76 characters (RFC 2047, section 2). */
const MAX_WORD_BYTES = 39;

/** Writes the whole text as encoded words, separated by spaces. No character is divided between two words. */
export function encodeWords(text: string): string {
  const chunks: string[] = [''];
  for (const character of text) {
    const longer = `${chunks.at(-1)}${character}`;
    if (Buffer.byteLength(longer) <= MAX_WORD_BYTES) chunks[chunks.length - 1] = longer;
    else chunks.push(character);
  }
  return chunks.map((chunk) => `=?utf-8?B?${Buffer.from(chunk).toString('base64')}?=`).join(' ');
}

/** Whether a mail program may take part of the text for an encoded word. */
export function looksEncoded(text: string): boolean {
  return text.includes('=?');
}

function addText(pieces: (string | Run)[], text: string): void {
  const isGap = typeof pieces.at(-1) === 'object' && text.trim() === '';
  if (!isGap) pieces.push(text);
}

function addBytes(pieces: (string | Run)[], charset: string, bytes: Buffer): void {
  const last = pieces.at(-1);
  if (typeof last === 'object' && last.charset === charset.toLowerCase()) last.bytes.push(bytes);
  else pieces.push({ charset: charset.toLowerCase(), bytes: [bytes] });
}

function decodeWord(encoding: string, text: string): Buffer {
  if (encoding.toLowerCase() === 'b') return Buffer.from(text, 'base64');
  return decodeQuotedPrintable(Buffer.from(text.replaceAll('_', ' ')));
}
