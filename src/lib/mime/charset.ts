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
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
