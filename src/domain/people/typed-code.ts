const GROUP_LENGTH = 4;
// Without letters and digits that look alike.
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A random code that people type, such as `abcd-efgh`. Each group has about 20 random bits. */
export function newTypedCode(groups: number, randomBytes: (count: number) => Uint8Array): string {
  const usable = 256 - (256 % ALPHABET.length);
  const length = groups * GROUP_LENGTH;
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < usable && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text.replace(/(.{4})(?!$)/g, '$1-');
}

/** The code as it is compared: people leave out dashes, and write capitals. */
export function plainCode(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, '');
}
