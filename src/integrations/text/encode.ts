/** Percent-encoding of UTF-8 that leaves letters, digits and `_ . - ~ /` as they are. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** For header values: what Latin-1 does not have becomes an XML reference, and control characters a space. */
export function latin1(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\P{ASCII}/gu, (character) => {
      const codePoint = character.codePointAt(0) ?? 0;
      return codePoint <= 0xff ? character : `&#${codePoint};`;
    })
    .trim();
}

/** A JSON string with its quotes, in ASCII alone. */
export function jsonString(text: string): string {
  return asciiJson(JSON.stringify(text));
}

/** The same JSON, in ASCII alone: outside of strings JSON has nothing else. */
export function asciiJson(json: string): string {
  return json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
