/**
 * Text of bytes in a named character set; what cannot be decoded is replaced. ASCII, the default of mail, and
 * names that nobody knows are read as UTF-8, which is what such bytes most often are.
 */
export function decodeText(bytes: Uint8Array, label: string): string {
  return decoders.of(label).decode(bytes);
}

/** The platform would read ASCII as windows-1252, as browsers do. */
const ASCII = ['', 'ascii', 'us-ascii', 'ansi_x3.4-1968'];
/** No character set has a longer name. */
const MAX_LABEL_LENGTH = 40;

/** More than all mail programs use together. */
export const MAX_DECODERS = 100;

/**
 * Decoders by the names that mails give to character sets, known or not. To ask the platform for a name that it does not
 * know takes tens of microseconds, and a mail can hold thousands of names.
 */
export class DecoderCache {
  readonly #utf8 = new TextDecoder();
  readonly #byLabel = new Map<string, TextDecoder>();
  #lookups = 0;

  /** How many names were looked up in the platform. */
  get lookups(): number {
    return this.#lookups;
  }

  of(name: string): TextDecoder {
    const label = name.trim().toLowerCase();
    if (label.length > MAX_LABEL_LENGTH || ASCII.includes(label)) return this.#utf8;
    let decoder = this.#byLabel.get(label);
    if (decoder === undefined) {
      decoder = this.#lookUp(label);
      if (this.#byLabel.size >= MAX_DECODERS) this.#byLabel.clear();
      this.#byLabel.set(label, decoder);
    }
    return decoder;
  }

  #lookUp(label: string): TextDecoder {
    this.#lookups++;
    for (const spelling of spellingsOf(label)) {
      try {
        return new TextDecoder(spelling);
      } catch {
        // Not that one.
      }
    }
    return this.#utf8;
  }
}

const decoders = new DecoderCache();

/** Programs write `iso8859_1`, `latin-1` and `macroman`, which the platform knows by other names. */
function spellingsOf(label: string): Set<string> {
  const bare = label.replaceAll(/[-_]/g, '');
  return new Set([label, label.replaceAll('_', '-'), bare === 'macroman' ? 'macintosh' : bare]);
}
