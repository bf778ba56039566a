/** Percent-encodes UTF-8, except letters, digits and `_ . - ~ /`. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** For header values. Characters outside Latin-1 become XML references, and control characters become spaces. */
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

/** A JSON string with its quotes, only in ASCII. */
export function jsonString(text: string): string {
  return asciiJson(JSON.stringify(text));
}

/** The JSON in ASCII. Outside of strings JSON contains only ASCII. */
export function asciiJson(json: string): string {
  return json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
