/** A read-write key opens every endpoint of its project, a read-only key those that change nothing and reveal no secret. */
export type ApiKeyKind = 'read_write' | 'read_only';

export const API_KEY_LENGTH = 32;

const PREFIXES: Record<ApiKeyKind, string> = { read_write: 'hcw_', read_only: 'hcr_' };
const RANDOM_LENGTH = 28;
const LOOKUP_LENGTH = 8;
const PING_KEY_LENGTH = 22;

const PRINTABLE = /^[\x21-\x7E]*$/;

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
// Lower case only: a ping key is part of mail addresses, and mail systems change their case.
const LOWER_ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyz0123456789';

export type RandomBytes = (count: number) => Uint8Array;

export function generateApiKey(kind: ApiKeyKind, randomBytes: RandomBytes): string {
  return PREFIXES[kind] + randomText(RANDOM_LENGTH, ALPHANUMERIC, randomBytes);
}

export function generatePingKey(randomBytes: RandomBytes): string {
  return randomText(PING_KEY_LENGTH, LOWER_ALPHANUMERIC, randomBytes);
}

/** The characters by which a presented key is looked up. The rest of the key is stored only as part of a digest. */
export function lookupPart(key: string): string {
  const prefix = kindByPrefix(key) === null ? 0 : PREFIXES.read_write.length;
  return key.slice(prefix, prefix + LOOKUP_LENGTH);
}

/** The kind that the key's prefix names. Null for older keys, which have no prefix. */
export function kindByPrefix(key: string): ApiKeyKind | null {
  if (key.startsWith(PREFIXES.read_write)) return 'read_write';
  if (key.startsWith(PREFIXES.read_only)) return 'read_only';
  return null;
}

/** Whether a key has printable characters only, as all keys do. PostgreSQL rejects a query with NUL. */
export function isPrintable(key: string): boolean {
  return PRINTABLE.test(key);
}

/** Why `key` is no valid API key of this kind. Null if it is valid. */
export function apiKeyFault(key: string, kind: ApiKeyKind): string | null {
  if (!isPrintable(key)) return 'has characters other than printable ASCII';
  if (key.length !== API_KEY_LENGTH) return `is not ${API_KEY_LENGTH} characters long`;
  const claimed = kindByPrefix(key);
  if (claimed !== null && claimed !== kind)
    return `begins with "${PREFIXES[claimed]}", which marks the other kind`;
  return null;
}

/** Why `key` is no valid ping key. Null if it is valid. */
export function pingKeyFault(key: string): string | null {
  if (key.length !== PING_KEY_LENGTH) return `is not ${PING_KEY_LENGTH} characters long`;
  if (!/^[A-Za-z0-9_-]*$/.test(key)) return 'has characters other than letters, digits, "-" and "_"';
  return null;
}

/** Draws again instead of taking a remainder, so that every character is equally likely. */
function randomText(length: number, alphabet: string, randomBytes: RandomBytes): string {
  const usable = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < usable && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
