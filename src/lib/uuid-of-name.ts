import { createHash } from 'node:crypto';

/** The namespace of URLs (RFC 9562, section 6.6). */
const NAMESPACE = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** The UUID of version 5 for a name (RFC 9562, section 5.5). */
export function uuidOfName(name: string): string {
  return uuidOfDigest(createHash('sha1').update(NAMESPACE).update(name).digest('hex'), 5);
}

/** A UUID of the first bits of a digest in hex. */
export function uuidOfDigest(hex: string, version: 4 | 5): string {
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  const time = [hex.slice(0, 8), hex.slice(8, 12), `${version}${hex.slice(13, 16)}`];
  return [...time, variant + hex.slice(18, 20), hex.slice(20, 32)].join('-');
}
