import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { Means } from './audit.ts';

/** A read-write key opens all endpoints of its project. A read-only key only reads, and sees no secrets. */
export type ApiKeyKind = 'read_write' | 'read_only';

export const API_KEY_KINDS: readonly ApiKeyKind[] = ['read_write', 'read_only'];

export const API_KEY_LENGTH = 32;

/** API keys of a project, expired ones included. */
export const MAX_PROJECT_KEYS = 100;
/** Hours for which a key that is replaced may stay valid. */
export const MAX_OVERLAP_HOURS = 720;
/** The use of a key or token is written at most once in this time. */
export const USED_EVERY: Micros = seconds(60);
/** For so long a key that has expired is listed. */
export const EXPIRED_KEYS_KEPT: Micros = seconds(30 * 86_400);

const PREFIXES: Record<ApiKeyKind, string> = { read_write: 'hcw_', read_only: 'hcr_' };
const TOKEN_PREFIX = 'hct_';
const WALL_PREFIX = 'hcd_';
const RANDOM_LENGTH = 28;
const LOOKUP_LENGTH = 8;
const PING_KEY_LENGTH = 22;
/** Ping keys that people bring along have other lengths than ours. */
export const MIN_PING_KEY = 16;
export const MAX_PING_KEY = 128;
/** In an address it stands for a check. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const PRINTABLE = /^[\x21-\x7E]*$/;

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
// Lower case only: a ping key is part of mail addresses, and mail systems change their case.
const LOWER_ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** In place of the id of a secret: the digest was made under the secret of another program. */
export const FOREIGN_SECRET_ID = 'foreign';

export type RandomBytes = (count: number) => Uint8Array;

export function generateApiKey(kind: ApiKeyKind, randomBytes: RandomBytes): string {
  return PREFIXES[kind] + randomText(RANDOM_LENGTH, ALPHANUMERIC, randomBytes);
}

/** A token with which a program acts for an account. It is as long as an API key, and sent in the same header. */
export function generateAccountToken(randomBytes: RandomBytes): string {
  return TOKEN_PREFIX + randomText(RANDOM_LENGTH, ALPHANUMERIC, randomBytes);
}

export function isAccountToken(key: string): boolean {
  return key.startsWith(TOKEN_PREFIX);
}

/** The token in the address of a wall display. */
export function generateWallToken(randomBytes: RandomBytes): string {
  return WALL_PREFIX + randomText(RANDOM_LENGTH, ALPHANUMERIC, randomBytes);
}

export function generatePingKey(randomBytes: RandomBytes): string {
  return randomText(PING_KEY_LENGTH, LOWER_ALPHANUMERIC, randomBytes);
}

/** The characters by which a presented key is looked up. The rest of the key is stored only as part of a digest. */
export function lookupPart(key: string): string {
  const hasPrefix = kindByPrefix(key) !== null || isAccountToken(key);
  const prefix = hasPrefix ? PREFIXES.read_write.length : 0;
  return key.slice(prefix, prefix + LOOKUP_LENGTH);
}

/**
 * The text for a key in lists: the characters by which it is found, which are useless to an attacker. A key from a file or another program
 * may have no prefix, so none is shown for it.
 */
export function maskedKey({
  kind,
  lookup,
  madeBy,
}: {
  readonly kind: ApiKeyKind;
  readonly lookup: string;
  readonly madeBy: Means;
}): string {
  return masked(madeBy === 'file' || madeBy === 'import' ? '' : PREFIXES[kind], lookup);
}

export function maskedToken(lookup: string): string {
  return masked(TOKEN_PREFIX, lookup);
}

export function maskedWallToken(lookup: string): string {
  return masked(WALL_PREFIX, lookup);
}

/** Why the text cannot be the token of a wall display. Null if it can. */
export function wallTokenFault(token: string): string | null {
  return isTokenOf(WALL_PREFIX, token);
}

/** Why the text cannot be a token of an account. Null if it can. */
export function accountTokenFault(token: string): string | null {
  return isTokenOf(TOKEN_PREFIX, token);
}

function isTokenOf(prefix: string, token: string): string | null {
  const isRight = token.startsWith(prefix) && /^[A-Za-z0-9]+$/.test(token.slice(prefix.length));
  return isRight && token.length === prefix.length + RANDOM_LENGTH
    ? null
    : `is not "${prefix}" and ${RANDOM_LENGTH} letters and digits`;
}

/** The characters of a wall's token that lists show. */
export function wallLookup(token: string): string {
  return token.slice(WALL_PREFIX.length, WALL_PREFIX.length + LOOKUP_LENGTH);
}

function masked(prefix: string, lookup: string): string {
  return (prefix + lookup).padEnd(API_KEY_LENGTH, '*');
}

/** Whether the key or the token is refused at this time. */
export function hasExpired({ expiresAt }: { readonly expiresAt: Instant | null }, now: Instant): boolean {
  return expiresAt !== null && now >= expiresAt;
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

/** Why `key` is not a valid API key of this kind. Null if it is valid. */
export function apiKeyFault(key: string, kind: ApiKeyKind): string | null {
  if (!isPrintable(key)) return 'has characters other than printable ASCII';
  if (key.length !== API_KEY_LENGTH) return `is not ${API_KEY_LENGTH} characters long`;
  if (isAccountToken(key)) return `begins with "${TOKEN_PREFIX}", which marks a token of an account`;
  const claimed = kindByPrefix(key);
  if (claimed !== null && claimed !== kind)
    return `begins with "${PREFIXES[claimed]}", which marks the other kind`;
  return null;
}

/** Why `key` is not a valid ping key. Null if it is valid. */
export function pingKeyFault(key: string): string | null {
  if (key.length < MIN_PING_KEY || key.length > MAX_PING_KEY)
    return `is not ${MIN_PING_KEY} to ${MAX_PING_KEY} characters long`;
  if (!/^[A-Za-z0-9_-]*$/.test(key)) return 'has characters other than letters, digits, "-" and "_"';
  if (UUID.test(key)) return 'is a UUID, which stands for a check';
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
