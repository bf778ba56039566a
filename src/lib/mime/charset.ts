/**
 * Decodes bytes in a named character set and replaces what cannot be decoded. ASCII, which is the default of mail, and
 * unknown character sets are read as UTF-8, since most such bytes are UTF-8.
 */
export function decodeText(bytes: Uint8Array, label: string): string {
  return decoders.of(label).decode(bytes);
}

/** Names of ASCII. The platform reads ASCII as windows-1252, as browsers do. */
const ASCII = ['', 'ascii', 'us-ascii', 'ansi_x3.4-1968'];
/** All names of character sets are shorter. */
const MAX_LABEL_LENGTH = 40;

/** More than all mail programs use together. */
export const MAX_DECODERS = 100;

/**
 * Keeps decoders by the names that mails use, including unknown names. Looking up an unknown name in the platform takes tens
 * of microseconds, and a mail can contain thousands of names.
 */
export class DecoderCache {
  readonly #utf8 = new TextDecoder();
  readonly #byLabel = new Map<string, TextDecoder>();
  #lookups = 0;

  /** The number of names that were looked up in the platform. */
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
        // The platform does not know this spelling.
      }
    }
    return this.#utf8;
  }
}

const decoders = new DecoderCache();

/** Other spellings of a name: programs write `iso8859_1`, `latin-1` and `macroman`, which the platform does not know. */
function spellingsOf(label: string): Set<string> {
  const bare = label.replaceAll(/[-_]/g, '');
  return new Set([label, label.replaceAll('_', '-'), bare === 'macroman' ? 'macintosh' : bare]);
}
