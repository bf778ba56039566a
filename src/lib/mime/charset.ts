/**
 * Text of bytes in a named character set; what cannot be decoded is replaced. ASCII, the default of mail, and
 * names that nobody knows are read as UTF-8, which is what such bytes most often are.
 */
export function decodeText(bytes: Uint8Array, label: string): string {
  return decoderOf(label.trim().toLowerCase()).decode(bytes);
}

/** The platform would read ASCII as windows-1252, as browsers do. */
const ASCII = ['', 'ascii', 'us-ascii', 'ansi_x3.4-1968'];

function decoderOf(label: string): TextDecoder {
  if (ASCII.includes(label)) return new TextDecoder();
  for (const spelling of spellingsOf(label)) {
    try {
      return new TextDecoder(spelling);
    } catch {
      // Not that one.
    }
  }
  return new TextDecoder();
}

/** Programs write `iso8859_1`, `latin-1` and `macroman`, which the platform knows by other names. */
function spellingsOf(label: string): string[] {
  const bare = label.replaceAll(/[-_]/g, '');
  return [label, label.replaceAll('_', '-'), bare === 'macroman' ? 'macintosh' : bare];
}
