import { decodeText } from '../../lib/mime/charset.ts';
import { encodeWords } from '../../lib/mime/encoded-words.ts';

/**
 * Encodes the words that need it, and the text between them. Characters such as `<` and `@` stay, so that addresses
 * remain valid.
 */
export function encodeHeader(value: string, needsEncoding: (word: string) => boolean): string {
  const [first = '', ...rest] = value.split(/([\s<>,;:"()@]+)/);
  const runs = [{ text: first, isEncoded: needsEncoding(first) }];
  for (let index = 0; index < rest.length; index += 2) {
    const [gap = '', word = ''] = rest.slice(index, index + 2);
    const last = runs.at(-1);
    const isEncoded = needsEncoding(word);
    // Mail programs drop the blanks between two encoded words, so the blanks are encoded with them.
    if (last?.isEncoded && isEncoded && gap.trim() === '') last.text += gap + word;
    else runs.push({ text: gap, isEncoded: false }, { text: word, isEncoded });
  }
  return runs.map(({ text, isEncoded }) => (isEncoded ? encodeWords(text) : text)).join('');
}

export function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}

/** Decodes a header as it was received. Bytes that are not ASCII are UTF-8. */
export function decodeHeader(bytes: string): string {
  return decodeText(Buffer.from(bytes, 'latin1'), 'utf-8');
}
